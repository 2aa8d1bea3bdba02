package main

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
)

// TestHints checks that an unchanged input shows the options that help, and only a single input.
func TestHints(t *testing.T) {
	t.Chdir("../../examples/programs")
	const hint = "    with --target d3d9"
	for _, test := range []struct {
		args string
		want int
	}{
		{"blur.vsh,blur.psh", 2},
		{"blur.psh", 1},
		{"basic_fog.psh", 0}, // improved
		{"-q blur.psh", 0},
		{"blur.psh blur_wrong.psh", 0},
		{"-p dce blur.psh", 0},
		{"--target nvidia blur.psh", 0},
		{"--time-limit 1h blur.psh", 0},
	} {
		_, stderr := command(t, strings.Fields("opt -n "+test.args)...)
		if got := strings.Count(stderr, hint); got != test.want {
			t.Errorf("%s: %d hints, want %d:\n%s", test.args, got, test.want, stderr)
		}
	}
}

// TestMayHint checks that large inputs, effects without programs and kernels get no hints.
func TestMayHint(t *testing.T) {
	h := &human{all: 1}
	for slots, want := range map[int]bool{0: false, 1: true, hintSlots: true, hintSlots + 1: false} {
		res := &shaderlift.Result{Status: shaderlift.Unchanged}
		if slots > 0 {
			res.Stages = make([]shaderlift.StageCosts, 1)
			res.Stages[0].Before.Slots = slots
		}
		if got := h.mayHint(&outcome{res: res}, shaderlift.Options{}); got != want {
			t.Errorf("%d slots: %v", slots, got)
		}
	}
}

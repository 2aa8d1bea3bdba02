package main

import (
	"strings"
	"testing"
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
	} {
		_, stderr := command(t, strings.Fields("opt -n "+test.args)...)
		if got := strings.Count(stderr, hint); got != test.want {
			t.Errorf("%s: %d hints, want %d:\n%s", test.args, got, test.want, stderr)
		}
	}
}

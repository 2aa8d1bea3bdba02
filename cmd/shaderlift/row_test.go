package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify"
)

// TestRow checks that the lines of a batch have aligned columns within 100 columns and show each kind of gain.
func TestRow(t *testing.T) {
	long := strings.Repeat("a", 30) + "é" + strings.Repeat("b", 30)
	h := &human{all: 2}
	h.align([]job{{name: "short"}, {name: long}, {paths: []string{"x/vs.vso", "x/ps.pso"}}, {name: "twice", input: "a/twice.fxb"},
		{name: "twice", input: "b/twice.fxb"}})
	draws := func(times ...float64) (list []shaderlift.DrawCosts) {
		for _, x := range times {
			c := shaderlift.DrawCosts{Target: "gcn", After: new(shaderlift.DrawCost)}
			c.Before.Time, c.After.Time = 100, x
			list = append(list, c)
		}
		return list
	}
	pair := func(vertex, pixel int, temps int) []shaderlift.StageCosts {
		return []shaderlift.StageCosts{{Stage: d3d9.Vertex, Before: d3d9.Cost{Slots: 4321}, After: &d3d9.Cost{Slots: vertex}},
			{Stage: d3d9.Pixel, Before: d3d9.Cost{Slots: 5678, Temps: 9}, After: &d3d9.Cost{Slots: pixel, Temps: temps}}}
	}
	tested := &shaderlift.Judgement{Verdict: verify.Tested}
	proved := &shaderlift.Judgement{Verdict: verify.Proved}
	shortened := strings.Repeat("a", 18) + "…" + strings.Repeat("b", 17)
	for _, c := range []struct {
		r    shaderlift.Result
		want string
	}{
		{shaderlift.Result{Name: "short", Status: shaderlift.Unchanged, Stages: pair(4321, 5678, 9)},
			"short                                 unchanged  ps 5678         vs 4321"},
		{shaderlift.Result{Name: long, Status: shaderlift.Improved, Judgement: proved, Stages: pair(4320, 5677, 9), Draws: draws(50, 100)},
			shortened + "  improved   ps 5678 -> 5677 vs 4321 -> 4320 faster on 1 of 2"},
		{shaderlift.Result{Name: "short", Status: shaderlift.Improved, Judgement: proved, Stages: pair(4321, 5678, 8)},
			"short                                 improved   ps 5678         vs 4321       9 -> 8 temporaries"},
		{shaderlift.Result{Name: "short", Status: shaderlift.Improved, Judgement: tested, Stages: pair(4321, 70, 9)},
			"short                                 improved   ps 5678 -> 70   vs 4321       tested"},
		{shaderlift.Result{Name: "short", Status: shaderlift.Changed, Judgement: proved, Stages: pair(4321, 70, 9)[1:], Draws: draws(50, 120, 70)},
			"short                                 changed    ps 5678 -> 70                 slower on 1 of 3"},
		{shaderlift.Result{Name: "short", Status: shaderlift.Failed}, "short                                 failed"},
		{shaderlift.Result{Name: "twice", Input: "b/twice.fxb", Status: shaderlift.Failed},
			"b/twice.fxb                           failed"},
	} {
		if got := h.row(&c.r); got != c.want || utf8.RuneCountInString(got) > rowWidth {
			t.Errorf("\n%s, want\n%s", got, c.want)
		}
	}
}

// TestFrontSlower checks that the text of a search names each version that is slower on a launch, not only the best one.
func TestFrontSlower(t *testing.T) {
	var out bytes.Buffer
	h := &human{w: &out, all: 1}
	h.front(&shaderlift.Tuning{Front: []shaderlift.Tuned{{Cycles: 10}, {Cycles: 20, Slower: "on launch few"}}})
	if text := out.String(); !strings.HasSuffix(text, "\n  20 cycles: on launch few\n") || strings.Count(text, "few") != 1 {
		t.Errorf("%s", text)
	}
}

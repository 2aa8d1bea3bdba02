package main

import (
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/opt"
	"github.com/shaderlift/shaderlift/passes"
)

// TestResumes checks that an interrupted and resumed run has the same result as an uninterrupted
// one.
func TestResumes(t *testing.T) {
	dir := t.TempDir()
	whole, parts := filepath.Join(dir, "whole"), filepath.Join(dir, "parts")
	for _, args := range [][]string{
		{"-n", "40", "-state", whole, "-jobs", "2"},
		{"-n", "15", "-state", parts, "-every", "10"},
		{"-n", "40", "-state", parts, "-every", "10"},
	} {
		if err := run(args, io.Discard); err != nil {
			t.Fatal(err)
		}
	}
	a, err := load(whole, 1)
	if err != nil {
		t.Fatal(err)
	}
	b, err := load(parts, 1)
	if err != nil {
		t.Fatal(err)
	}
	if a.Next != 40 || tally(a.Verdicts) != tally(b.Verdicts) || tally(a.Statuses) != tally(b.Statuses) {
		t.Errorf("%+v in one run, %+v in two", a, b)
	}
	if a.Kinds["pair"] != 8 || a.Kinds["effect"] != 4 || a.Kinds["kernel"] != 12 {
		t.Errorf("%v", a.Kinds)
	}
	if err := run([]string{"-n", "1", "-seed", "2", "-state", whole}, io.Discard); err == nil {
		t.Error("a state of another seed is accepted")
	}
}

// TestStuck checks that a task beyond the time limit ends the run immediately.
func TestStuck(t *testing.T) {
	err := run([]string{"-n", "1000000", "-limit", "1ns", "-every", "10"}, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "does not end") {
		t.Error(err)
	}
}

// TestCostsMore checks that draw times decide if a target has draws, and slots otherwise.
func TestCostsMore(t *testing.T) {
	slots := func(before, after int) []shaderlift.StageCosts {
		return []shaderlift.StageCosts{{Stage: d3d9.Pixel, Before: d3d9.Cost{Slots: before}, After: &d3d9.Cost{Slots: after}}}
	}
	times := func(before, after float64) []shaderlift.DrawCosts {
		return []shaderlift.DrawCosts{{Target: "gcn", Before: shaderlift.DrawCost{Time: before},
			After: &shaderlift.DrawCost{Time: after}}}
	}
	for _, c := range []struct {
		res  shaderlift.Result
		want bool
	}{
		{shaderlift.Result{Stages: slots(5, 5), Draws: times(8, 8.03)}, false},
		{shaderlift.Result{Stages: slots(5, 5), Draws: times(8, 8.05)}, true},
		{shaderlift.Result{Stages: slots(5, 11)}, true},
		{shaderlift.Result{Stages: slots(11, 5)}, false},
		{shaderlift.Result{Stages: slots(5, 11), Draws: times(8, 8)}, false},
		{shaderlift.Result{Stages: slots(11, 5), Draws: times(8, 9)}, true},
		{effectOf(slots(5, 11), ""), true},
		{effectOf(slots(5, 11), "other"), true},
		{effectOf(slots(5, 11), "part"), false}, // it is drawn with a program that gains
	} {
		if worse := costsMore(&c.res, 0.005); (worse != "") != c.want {
			t.Errorf("%+v: %q", c.res, worse)
		}
	}
}

// effectOf returns an effect of one part, and of a group of one pair with the named vertex program,
// whose pixel program gains.
func effectOf(stages []shaderlift.StageCosts, vertex string) shaderlift.Result {
	pair := opt.GroupPair{Vertex: vertex, PixelSlots: shaderlift.Change{Before: 5, After: 4}}
	return shaderlift.Result{Kind: shaderlift.KindEffect, Parts: []*shaderlift.Result{{Name: "part", Stages: stages}},
		Groups: []opt.Group{{Pairs: []opt.GroupPair{pair}}}}
}

// TestNothingWrong runs some hundred tasks, which include every random option, and expects no
// failure.
func TestNothingWrong(t *testing.T) {
	const tasks = 200
	var fits, promises, partners, boxes, several int
	for j := range uint64(tasks) {
		x := makeTask(7, j)
		o := x.options
		for n, is := range map[*int]bool{&fits: o.Fit != "", &promises: len(o.Host.Assume) > 0,
			&partners: o.Host.Partner != "",
			&boxes:    o.Report.Box != nil,
			&several:  strings.Contains(string(o.Target), ",")} {
			if is {
				*n++
			}
		}
		if out := x.perform(t.Context(), j); out.fault != nil {
			t.Errorf("task %d, %s: %v", j, x.describe(), out.fault)
		}
	}
	for _, n := range []int{fits, promises, partners, boxes, several} {
		if n < tasks/50 {
			t.Errorf("%d to fit a profile, %d with promises, %d with partners, %d with ranges, %d for several GPUs", fits,
				promises, partners, boxes, several)
			break
		}
	}
}

// TestPlantedPass checks that the miscompilations of a pass are found, in pairs, programs and
// effects.
func TestPlantedPass(t *testing.T) {
	found := map[shaderlift.Kind]bool{}
	for j := range uint64(400) {
		x := makeTask(1, j)
		if x.input.Kind() == shaderlift.KindKernel || found[x.input.Kind()] {
			continue
		}
		x.options = shaderlift.Options{Target: shaderlift.SlotTarget, Pipeline: "negates,gvn,dce",
			Hooks: shaderlift.Hooks{Passes: []*passes.Pass{passtest.Negates}}}
		found[x.input.Kind()] = x.perform(t.Context(), j).fault != nil
	}
	for _, k := range []shaderlift.Kind{shaderlift.KindPair, shaderlift.KindProgram, shaderlift.KindEffect} {
		if !found[k] {
			t.Errorf("no miscompilation of this kind is found: %s", k)
		}
	}
}

// TestPlantedResult checks that the second verification finds a result that is another effect than
// the input.
func TestPlantedResult(t *testing.T) {
	x, other := makeTask(1, 8), makeTask(1, 18)
	res, err := shaderlift.Optimize(t.Context(), x.input, x.options)
	if err != nil || res.Kind != shaderlift.KindEffect {
		t.Fatal(res.Kind, err)
	}
	if f := x.judge(t.Context(), 8, res, nil); f != nil {
		t.Fatal(f)
	}
	res.Status, res.Files = shaderlift.Improved, other.input.Files
	if f := x.judge(t.Context(), 8, res, nil); f == nil || f.Task != opt.TaskVerify {
		t.Errorf("%v", f)
	}
}

// TestJudgeFault checks that for an input that does not fit, judge returns the fault that occurred,
// if any.
func TestJudgeFault(t *testing.T) {
	x, met := makeTask(1, 8), &shaderlift.Fault{Err: errors.New("the result is refuted")}
	if f := x.judge(t.Context(), 8, &shaderlift.Result{Faults: []*shaderlift.Fault{met}}, shaderlift.ErrFit); f != met {
		t.Errorf("%v", f)
	}
}

// TestTasks checks that a task is a function of seed and number.
func TestTasks(t *testing.T) {
	pipelines := map[string]bool{}
	for j := range uint64(100) {
		a, b := makeTask(3, j), makeTask(3, j)
		if string(a.input.Files[0].Data) != string(b.input.Files[0].Data) || a.options.Pipeline != b.options.Pipeline {
			t.Fatalf("task %d is two", j)
		}
		if err := a.options.Check(); err != nil {
			t.Fatal(err)
		}
		pipelines[a.options.Pipeline] = true
	}
	if len(pipelines) < 40 { // twelve seeds gave 53 to 77
		t.Errorf("%d pipelines", len(pipelines))
	}
}

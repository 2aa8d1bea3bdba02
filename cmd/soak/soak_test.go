package main

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// A run that was cut in two comes to what one that was not comes to.
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
	if a.Kinds["pair"] != 8 || a.Kinds["kernel"] != 16 {
		t.Errorf("%v", a.Kinds)
	}
	if err := run([]string{"-n", "1", "-seed", "2", "-state", whole}, io.Discard); err == nil {
		t.Error("a state of another seed is taken up")
	}
}

// A task that takes longer than it may ends the run at once, whether it ends or not.
func TestStuck(t *testing.T) {
	err := run([]string{"-n", "1000000", "-limit", "1ns", "-every", "1000000"}, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "does not end") {
		t.Error(err)
	}
}

// What a draw takes counts where a target has draws, and slots only where it has none.
func TestCostsMore(t *testing.T) {
	slots := func(before, after int) []shaderlift.StageCosts {
		return []shaderlift.StageCosts{{Stage: d3d9.Pixel, Before: d3d9.Cost{Slots: before}, After: &d3d9.Cost{Slots: after}}}
	}
	times := func(before, after float64) []shaderlift.DrawCosts {
		return []shaderlift.DrawCosts{{Target: "gcn", Before: shaderlift.DrawCost{Time: before}, After: &shaderlift.DrawCost{Time: after}}}
	}
	for _, c := range []struct {
		res  shaderlift.Result
		want bool
	}{
		{shaderlift.Result{Stages: slots(5, 11)}, true},
		{shaderlift.Result{Stages: slots(11, 5)}, false},
		{shaderlift.Result{Stages: slots(5, 11), Draws: times(8, 8)}, false},
		{shaderlift.Result{Stages: slots(11, 5), Draws: times(8, 9)}, true},
	} {
		if worse := costsMore(&c.res); (worse != "") != c.want {
			t.Errorf("%+v: %q", c.res, worse)
		}
	}
}

// A task is a function of seed and number.
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
	if len(pipelines) < 60 {
		t.Errorf("%d pipelines", len(pipelines))
	}
}

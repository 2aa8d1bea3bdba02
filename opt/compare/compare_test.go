package compare_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/opt/compare"
)

// slotsReport returns a report of pixel programs with the given slots; 0 stands for a failed one.
func slotsReport(slots map[string]int, names ...string) *shaderlift.Report {
	r := shaderlift.NewReport(shaderlift.Options{})
	for _, name := range names {
		res := &shaderlift.Result{Input: name, Status: shaderlift.Improved}
		if n := slots[name]; n == 0 {
			res.Status = shaderlift.Failed
		} else {
			res.Stages = []shaderlift.StageCosts{{Stage: d3d9.Pixel, Before: d3d9.Cost{Slots: 1000},
				After: &d3d9.Cost{Slots: n}}}
		}
		r.Add(res)
	}
	return r
}

func TestCompare(t *testing.T) {
	names := []string{"d/a", "d/b", "d/c", "d/e", "d/f"}
	before := slotsReport(map[string]int{"d/a": 10, "d/b": 20, "d/c": 40, "d/e": 8}, names...)
	after := slotsReport(map[string]int{"d/a": 5, "d/b": 15, "d/c": 44, "d/f": 3}, names...)
	c := compare.Reports(before, after)
	want := compare.Measure{
		Name: "pixel slots", Programs: 3, Total: compare.Change{Before: 70, After: 64},
		Helped: compare.Side{
			Programs: []compare.Affected{{Program: "a", Change: compare.Change{Before: 10, After: 5}},
				{Program: "b", Change: compare.Change{Before: 20, After: 15}}},
			Total:    compare.Change{Before: 30, After: 20},
			Absolute: compare.Spread{Least: -5, Most: -5, Mean: -5, Median: -5},
			Relative: compare.Spread{Least: -0.25, Most: -0.5, Mean: -0.375, Median: -0.375},
		},
		Hurt: compare.Side{
			Programs: []compare.Affected{{Program: "c", Change: compare.Change{Before: 40, After: 44}}},
			Total:    compare.Change{Before: 40, After: 44},
			Absolute: compare.Spread{Least: 4, Most: 4, Mean: 4, Median: 4},
			Relative: compare.Spread{Least: 0.1, Most: 0.1, Mean: 0.1, Median: 0.1},
		},
		Median: 0.75, GeometricMean: 0.7444, // of 0.5, 0.75 and 1.1
	}
	if d := cmp.Diff(want, c.Measures[0], cmpopts.EquateApprox(0, 1e-4)); d != "" {
		t.Error("slots (-want +got):\n", d)
	}
	if d := cmp.Diff([][]string{{"e"}, {"f"}}, [][]string{c.Lost, c.Gained}); d != "" {
		t.Error("lost and gained (-want +got):\n", d)
	}
}

// TestCompareFolders checks that reports of two folders match programs at the same relative path, and
// that a second result of a path is another program.
func TestCompareFolders(t *testing.T) {
	slots := map[string]int{"old/x/a.vs,old/x/a.ps": 4, "old/b": 6, "new/deep/x/a.vs,new/deep/x/a.ps": 3, "new/deep/b": 6}
	before := slotsReport(slots, "old/x/a.vs,old/x/a.ps", "old/b", "old/b")
	after := slotsReport(slots, "new/deep/x/a.vs,new/deep/x/a.ps", "new/deep/b")
	c := compare.Reports(before, after)
	if m := c.Measures[0]; m.Programs != 2 || len(m.Helped.Programs) != 1 ||
		m.Helped.Programs[0].Program != "x/a.vs,x/a.ps" {
		t.Errorf("%+v", m)
	}
	if d := cmp.Diff([]string{"b#2"}, c.Lost); d != "" {
		t.Error(d)
	}
}

// TestCompareFirstPair checks that the folder of only one file of the first input does not count as the
// common folder.
func TestCompareFirstPair(t *testing.T) {
	before := slotsReport(map[string]int{"a.vs,sub/b.ps": 4}, "a.vs,sub/b.ps")
	after := slotsReport(map[string]int{"new/a.vs,new/sub/b.ps": 3}, "new/a.vs,new/sub/b.ps")
	if c := compare.Reports(before, after); len(c.Measures) == 0 || len(c.Lost) > 0 {
		t.Errorf("%+v", c)
	}
}

// TestReportsDraws checks that draws are compared on each GPU that both reports price.
func TestReportsDraws(t *testing.T) {
	drawn := func(times map[string]float64, targets ...string) *shaderlift.Report {
		res := &shaderlift.Result{Input: "a.vs,a.ps", Status: shaderlift.Improved}
		for _, name := range targets {
			res.Draws = append(res.Draws, shaderlift.DrawCosts{Target: name, Before: shaderlift.DrawCost{Time: 99},
				After: &shaderlift.DrawCost{Time: times[name]}})
		}
		r := shaderlift.NewReport(shaderlift.Options{})
		r.Add(res)
		return r
	}
	before := drawn(map[string]float64{"gcn": 40.5, "rdna": 64, "intel": 8}, "gcn", "rdna", "intel")
	after := drawn(map[string]float64{"gcn": 27, "rdna": 96, "rv670": 1}, "rv670", "rdna", "gcn")
	type change struct {
		Name          string
		Before, After float64
	}
	var got []change
	for _, m := range compare.Reports(before, after).Measures {
		got = append(got, change{m.Name, m.Total.Before, m.Total.After})
	}
	want := []change{{"time on gcn", 40.5, 27}, {"time on rdna", 64, 96}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error("(-want +got):\n", d)
	}
}

// TestReportsKernels checks that costs of kernels on different GPUs are not mixed.
func TestReportsKernels(t *testing.T) {
	report := func(targets ...string) *shaderlift.Report {
		r := shaderlift.NewReport(shaderlift.Options{})
		for i, name := range targets {
			r.Add(&shaderlift.Result{Input: string(rune('a'+i)) + ".il", Status: shaderlift.Unchanged,
				Kernel: &shaderlift.KernelCosts{Target: name, Before: shaderlift.KernelCost{Cycles: 100}}})
		}
		return r
	}
	got := map[string]int{}
	for _, m := range compare.Reports(report("rv670", "rv670", "rv770"), report("rv670", "rv770", "rv770")).Measures {
		got[m.Name] = m.Programs
	}
	want := map[string]int{}
	for _, name := range []string{"groups", "fetch clauses", "registers", "cycles"} {
		for _, gpus := range []string{" on rv670", " (rv670, then rv770)", " on rv770"} {
			want[name+gpus] = 1
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error("(-want +got):\n", d)
	}
}

// The changes between two levels, in the terms of shader-db.
func ExampleReports() {
	glow := "ps_2_0\ndcl t0\nmov r0, t0\nmov r1, r0\nadd r1, r1, r1\nmov oC0, r1\n"
	in := shaderlift.Input{Files: []shaderlift.File{{Name: "glow.psh", Data: []byte(glow)}}}
	var reports [2]*shaderlift.Report
	for level, pipeline := range []string{"O0", "O2"} {
		o := shaderlift.Options{Pipeline: pipeline, Target: shaderlift.SlotTarget}
		reports[level] = shaderlift.NewReport(o)
		res, _ := shaderlift.Optimize(context.Background(), in, o) // the result has the error
		reports[level].Add(res)
	}
	for _, m := range compare.Reports(reports[0], reports[1]).Measures {
		fmt.Printf("%s: %g -> %g, %d helped, %d hurt\n", m.Name, m.Total.Before, m.Total.After, len(m.Helped.Programs),
			len(m.Hurt.Programs))
	}
	// Output:
	// pixel slots: 4 -> 2, 1 helped, 0 hurt
	// pixel temporaries: 2 -> 1, 1 helped, 0 hurt
	// interpolators: 1 -> 1, 0 helped, 0 hurt
	// interpolated components: 4 -> 4, 0 helped, 0 hurt
}

// A table for a pull request.
func ExampleComparison_Markdown() {
	var reports [2]*shaderlift.Report
	for i, text := range []string{"ps_2_0\ndcl t0\nmov r0, t0\nadd r0, r0, r0\nmov oC0, r0\n", "ps_2_0\ndcl t0\nadd r0, t0, t0\nmov oC0, r0\n"} {
		in := shaderlift.Input{Files: []shaderlift.File{{Name: "glow.psh", Data: []byte(text)}}}
		reports[i] = shaderlift.NewReport(shaderlift.Options{})
		res, _ := shaderlift.Stats(context.Background(), in, shaderlift.Options{}) // the result has the error
		reports[i].Add(res)
	}
	fmt.Printf("%s", compare.Reports(reports[0], reports[1]).Markdown())
	// Output:
	// | cost | programs | before | after | change | better | worse |
	// |---|---:|---:|---:|---:|---:|---:|
	// | pixel slots | 1 | 3 | 2 | -33.3 % | 1 | 0 |
}

package opt

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/opt/kernel"
)

// TestTrends checks that inputs have equal weight in trends, and effects count by the sum of their
// parts. Failed inputs, and inputs without a cost, do not count.
func TestTrends(t *testing.T) {
	stage := func(before, after int) StageCosts {
		return StageCosts{Stage: d3d9.Pixel, Before: d3d9.Cost{Slots: before}, After: &d3d9.Cost{Slots: after}}
	}
	r := NewReport(Options{})
	for _, res := range []*Result{
		{Name: "half", Stages: []StageCosts{stage(10, 5)}},
		{Name: "same", Stages: []StageCosts{stage(1000, 1000)}},
		{Name: "more", Stages: []StageCosts{stage(10, 20)}},
		{Name: "effect", Parts: []*Result{{Stages: []StageCosts{stage(10, 2)}}, {Stages: []StageCosts{stage(10, 3)}}}},
		{Name: "failed", Status: Failed, Stages: []StageCosts{stage(10, 1)}},
		{Name: "kernel", Kernel: &kernel.Costs{Before: kernel.Cost{Cycles: 100}}},
	} {
		r.Add(res)
	}
	r.Totals.Settle()
	want := []Trend{{"pixel slots", 4, 0.75, math.Sqrt(0.5), Extreme{"effect", 0.25}, Extreme{"more", 2}}}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })
	if diff := cmp.Diff(want, r.Totals.Trends, near); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

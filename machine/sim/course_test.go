package sim

import (
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/machinetest"
)

// TestCourse checks the intervals of a kernel that first computes, then fetches, and then waits for
// each of its fetches.
func TestCourse(t *testing.T) {
	m := quiet(t, map[string]float64{"l1-latency": 2000})
	steps := slices.Concat(
		slices.Repeat([]Step{vector(10)}, 100),
		slices.Repeat([]Step{texture(true)}, 500),
		slices.Repeat([]Step{texture(true), vector(1)}, 4))
	r := Time(m, Work{Waves: 2, GPRs: gprs(2), Trace: of(steps, 1, oneLine)})
	if n := len(r.Course); n < intervals || n >= 2*intervals+1 {
		t.Errorf("%d intervals", n)
	}
	var cycles, alu, fetch, stalled, requests float64
	for _, i := range r.Course {
		cycles += i.Cycles
		alu += i.ALU * i.Cycles
		fetch += i.Fetch * i.Cycles
		stalled += i.Stalled * i.Cycles
		requests += i.Requests
	}
	machinetest.Near(t, "cycles", cycles, r.Cycles, 1e-9)
	machinetest.Near(t, "ALU", alu/cycles, r.ALU, 0.05) // work across two intervals counts in the first
	machinetest.Near(t, "fetch", fetch/cycles, r.Fetch, 0.05)
	machinetest.Near(t, "stalled", stalled/cycles, r.stalled, 1e-9)
	machinetest.Near(t, "requests", requests, r.Requests, 1e-9)
	first, middle, last := r.Course[0], r.Course[len(r.Course)/2], r.Course[len(r.Course)-2]
	if first.ALU < 0.9 || first.Fetch > 0 || middle.Fetch < 0.9 || middle.ALU > 0 || middle.L1Hit != 1 ||
		last.Stalled < 0.9 {
		t.Errorf("at first %+v\nthen %+v\nat last %+v", first, middle, last)
	}
}

// TestCourseShort checks that a launch of a few cycles has as many intervals.
func TestCourseShort(t *testing.T) {
	m := quiet(t, nil)
	for groups, n := range map[int]int{1: 8, 5: 40, 0: 1} {
		if r := Time(m, Work{Waves: 1, GPRs: gprs(1), Trace: of([]Step{vector(groups)}, 1, nil)}); len(r.Course) != n {
			t.Errorf("%d groups: %+v", groups, r.Course)
		}
	}
}

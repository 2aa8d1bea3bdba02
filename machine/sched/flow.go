package sched

import (
	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// flow is a region as straight-line runs, each with the control-flow item that ends it.
type flow []*stretch

// stretch is a run and the control-flow item after it, or nil at the end of a region.
type stretch struct {
	run  *run
	ends mir.Item // *If, *Loop, *Break, *Continue or nil
	then flow     // of an If
	body flow     // of a Loop, or the Else of an If
}

// run is straight-line code, the unit of scheduling: no operation leaves its run. If cond is set,
// it computes the predicate of the control-flow item after the run and must be last.
type run struct {
	items []mir.Item
	cond  *mir.ALU
	id    int32 // its number in program order, from 1 on

	// The following lists hold numbers of values that several runs mention (see liveness).
	exposed []int32        // values read before they are written, by shared number
	defined []int32        // values written, by shared number
	in, out container.Bits // shared values live at the ends
}

// units calls f for every item of r, the condition last.
func (r *run) units(f func(mir.Item)) {
	for _, it := range r.items {
		f(it)
	}
	if r.cond != nil {
		f(r.cond)
	}
}

// flowOf returns the flow of a region. It adds an empty run between consecutive control-flow items.
func flowOf(region mir.Region) flow {
	var f flow
	from := 0 // start of the current run
	end := func(i int, it mir.Item, cond *mir.ALU) *stretch {
		s := &struct {
			stretch
			own run
		}{stretch{ends: it}, run{items: region[from:i:i], cond: cond}}
		s.run = &s.own
		f = append(f, &s.stretch)
		from = i + 1
		return &s.stretch
	}
	for i, it := range region {
		switch it := it.(type) {
		case *mir.If:
			s := end(i, it, it.Cond)
			s.then, s.body = flowOf(it.Then), flowOf(it.Else)
		case *mir.Loop:
			end(i, it, nil).body = flowOf(it.Body)
		case *mir.Break:
			end(i, it, it.Cond)
		case *mir.Continue:
			end(i, it, it.Cond)
		}
	}
	if from < len(region) || len(f) == 0 {
		end(len(region), nil, nil)
	}
	return f
}

// eachRun calls f for every run of a flow in program order.
func (f flow) eachRun(do func(*run)) {
	for _, s := range f {
		do(s.run)
		s.then.eachRun(do)
		s.body.eachRun(do)
	}
}

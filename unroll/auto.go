package unroll

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/dce"
)

// autoFactors are what factor=auto tries, and autoTrips how many trips it tries to spell
// out all. Without a cost model it takes fixedFactor.
var autoFactors = []int{2, 4, 8, 16}

const (
	autoTrips   = 8
	fixedFactor = 4
	gain        = 100 // one part of this many is the least that is worth more code
)

// maxSize is how many instructions a loop may become. Where the cost model decides, which
// knows nothing of instruction caches, that is less.
func (w *unroller) maxSize(option string) int {
	if option == "auto" {
		return w.c.Int("maxsize") / 8
	}
	return w.c.Int("maxsize")
}

// worth tells whether less is so much less that it pays for more code.
func worth(less, cost passes.Cost) bool { return less[0] < cost[0]-cost[0]/gain }

// try prices the unit with the k-th loop rewritten.
func (w *unroller) try(k int, rewrite func(f *ir.Func, s site, in *ir.Instr, e *exit, trips int) error) (passes.Cost, error) {
	t := w.u.Clone()
	f := t.Funcs()[w.which]
	s := loops(f)[k]
	in := s.region.Code[s.at]
	e, trips, _ := plan(in)
	if err := rewrite(f, s, in, e, trips); err != nil {
		return passes.Cost{}, err
	}
	dce.Sweep(f)
	return w.c.Measure(t)
}

// pays reports whether the k-th loop, which makes n trips, costs less spelt out.
func (w *unroller) pays(k, n int) bool {
	if w.c.Measure == nil || n < 2 {
		return true
	}
	is, err := w.c.Measure(w.u)
	if err != nil {
		return false
	}
	cost, err := w.try(k, func(f *ir.Func, s site, _ *ir.Instr, e *exit, trips int) error {
		w.copier(f).full(s.region, s.at, e, trips)
		return nil
	})
	return err == nil && worth(cost, is)
}

// best is the factor for the k-th loop that costs least, 0 if none costs less than the
// loop does now. More copies have to pay.
func (w *unroller) best(k int, room func(int) bool) (factor int) {
	if w.c.Measure == nil {
		if room(fixedFactor) {
			return fixedFactor
		}
		return 0
	}
	least, err := w.c.Measure(w.u)
	if err != nil {
		return 0
	}
	for _, n := range autoFactors {
		if !room(n) {
			break
		}
		cost, err := w.try(k, func(f *ir.Func, s site, in *ir.Instr, e *exit, _ int) error {
			c, err := e.counted(in)
			if err == nil {
				err = c.bounded(in, n)
			}
			if err == nil {
				c.partial(f, s.region, s.at, n)
			}
			return err
		})
		if err == nil && worth(cost, least) {
			factor, least = n, cost
		}
	}
	return factor
}

package unroll

import (
	"errors"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/dce"
)

// autoFactors are what factor=auto tries, and autoTrips how many trips it tries to
// spell out all. Without a cost model it takes fixedFactor (assumed).
var autoFactors = []int{2, 4, 8, 16}

// maxPriced and maxWeighed bound the programs that are priced for one, and the instructions in
// them.
const (
	autoTrips   = 8
	fixedFactor = 4
	gain        = 100 // one part of this many is the least that is worth more code
	maxPriced   = 256
	maxWeighed  = 1 << 18
)

// room reports whether l unrolled by n is no larger than a loop may become. Where the
// cost model decides, which knows nothing of instruction caches, that is less.
func (w *unroller) room(l *loop, n int) bool {
	most := w.c.Int("maxsize")
	if w.c.Option("factor") == "auto" {
		most /= 8
	}
	n = min(n, max(l.trips, most)+1) // more makes no difference, but might overflow
	copies := l.copies(n)
	if l.open != nil && w.switches() {
		copies += n - 2
	}
	return copies <= most/max(l.size, 1)
}

// worth tells whether less is so much less that it pays for more code.
func worth(less, cost passes.Cost) bool { return less[0] < cost[0]-cost[0]/gain }

// errSpent says that a loop is not tried because many were.
var errSpent = errors.New("many units were priced before")

// price is what u costs. It fails once many units were priced, or large ones, so that a
// program of many loops takes little longer than one of few.
func (w *unroller) price(u *passes.Unit) (passes.Cost, error) {
	if w.spent() {
		return passes.Unfit, errSpent
	}
	w.priced++
	u.Funcs()[w.which].Walk(func(*ir.Instr) { w.weighed++ })
	return w.c.Measure(u)
}

func (w *unroller) spent() bool { return w.priced >= maxPriced || w.weighed >= maxWeighed }

// try prices the unit with l, its k-th loop, unrolled by n.
func (w *unroller) try(k int, l *loop, n int) (passes.Cost, error) {
	if w.spent() {
		return passes.Unfit, errSpent
	}
	t := w.trial.Clone(w.u)
	f := t.Funcs()[w.which]
	x := &loops(f)[k]
	if err := x.like(l); err != nil {
		return passes.Cost{}, err
	}
	w.rewrite(f, x, n)
	dce.Sweep(f)
	return w.price(t)
}

// pays reports whether l, the k-th loop, costs less spelt out.
func (w *unroller) pays(k int, l *loop) bool {
	if w.c.Measure == nil || l.trips < 2 {
		return true
	}
	price, err := w.price(w.u)
	if err != nil {
		return false
	}
	cost, err := w.try(k, l, all)
	return err == nil && worth(cost, price)
}

// best is the factor for l, the k-th loop, that costs least, 0 if none costs less than
// the loop does now. More copies have to pay: each factor has to save a part in gain
// beyond the smaller ones. A factor that does not ends the search: of what control flow takes in
// the loop each saves half of what the ones before have left.
func (w *unroller) best(k int, l *loop) (factor int) {
	if w.c.Measure == nil {
		if _, err := w.fits(l, fixedFactor); err == nil {
			return fixedFactor
		}
		return 0
	}
	if w.c.Static {
		return 0 // several trips at a time, and the loop for the rest of them, are more than one
	}
	least, err := w.price(w.u)
	if err != nil {
		return 0
	}
	for _, n := range autoFactors {
		if _, err := w.fits(l, n); err != nil {
			continue
		}
		cost, err := w.try(k, l, n)
		if err != nil || !worth(cost, least) {
			break
		}
		factor, least = n, cost
	}
	return factor
}

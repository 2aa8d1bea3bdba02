package unroll

import (
	"errors"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

// autoFactors are the factors that factor=auto tries. autoTrips is the largest trip count for which
// it tries full unrolling. Without a cost model it takes fixedFactor (assumed).
var autoFactors = []int{2, 4, 8, 16}

// maxPriced and maxWeighed bound the programs that are priced for one program, and their
// instructions.
const (
	autoTrips   = 8
	fixedFactor = 4
	gain        = 100 // more code must save at least 1/gain of the cost
	maxPriced   = 256
	maxWeighed  = 1 << 18
)

// withinSize reports whether l unrolled by n stays within the size limit. The limit is lower if the cost
// model decides, because the model ignores instruction caches.
func (w *unroller) withinSize(l *loop, n int) bool {
	most := w.c.Int("maxsize")
	if w.c.Option("factor") == "auto" {
		most /= 8
	}
	n = min(n, max(l.trips, most)+1) // a larger n changes nothing, but might overflow
	copies := l.copies(n)
	if l.open != nil && w.switches() {
		copies += n - 2
	}
	return copies <= most/max(l.size, 1)
}

// worth reports whether less saves enough of cost to justify more code.
func worth(less, cost passes.Cost) bool { return less[0] < cost[0]-cost[0]/gain }

// errSpent is the error for a loop that is not tried because the pricing budget is exhausted.
var errSpent = errors.New("many units were priced before")

// price returns the cost of u. It fails after many or large units were priced, so that a program of
// many loops takes little longer than a program of few.
func (w *unroller) price(u *passes.Unit) (passes.Cost, error) {
	if w.spent() {
		return passes.Unfit, errSpent
	}
	w.priced++
	u.Funcs()[w.which].Walk(func(*ir.Instr) { w.weighed++ })
	return w.c.Measure(u)
}

func (w *unroller) spent() bool { return w.priced >= maxPriced || w.weighed >= maxWeighed }

// priceUnrolled returns the price of the unit with l, its k-th loop, unrolled by n.
func (w *unroller) priceUnrolled(k int, l *loop, n int) (passes.Cost, error) {
	if w.spent() {
		return passes.Unfit, errSpent
	}
	t := w.trial.Clone(w.u)
	f := t.Funcs()[w.which]
	x := &loops(f)[k]
	if err := x.copyAnalysis(l); err != nil {
		return passes.Cost{}, err
	}
	w.rewrite(f, x, n)
	cleanup.Sweep(f)
	return w.price(t)
}

// paysOff reports whether l, the k-th loop, costs less when fully unrolled.
func (w *unroller) paysOff(k int, l *loop) bool {
	if w.c.Measure == nil || l.trips < 2 {
		return true
	}
	price, err := w.price(w.u)
	if err != nil {
		return false
	}
	cost, err := w.priceUnrolled(k, l, all)
	return err == nil && worth(cost, price)
}

// cheapestFactor returns the cheapest factor for l, the k-th loop, or 0 if none beats the current loop. Each
// factor must save 1/gain more than the smaller ones, to pay for its copies. The first factor that
// does not pay ends the search: each doubling saves only half of the control-flow cost that is
// left.
func (w *unroller) cheapestFactor(k int, l *loop) (factor int) {
	if w.c.Measure == nil {
		if _, err := w.checkFits(l, fixedFactor); err == nil {
			return fixedFactor
		}
		return 0
	}
	if w.c.Static {
		return 0 // a static count would include both the unrolled loop and the remainder loop
	}
	least, err := w.price(w.u)
	if err != nil {
		return 0
	}
	for _, n := range autoFactors {
		if _, err := w.checkFits(l, n); err != nil {
			continue
		}
		cost, err := w.priceUnrolled(k, l, n)
		if err != nil || !worth(cost, least) {
			break
		}
		factor, least = n, cost
	}
	return factor
}

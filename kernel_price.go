package shaderlift

import (
	"errors"
	"fmt"

	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/price"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/machine/sim"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/tile"
)

// pricer prices the versions of one kernel, or of one tile of it, on a fixed launch.
type pricer struct {
	// launch is what they are compared on: that of the kernel as it came; known is what its
	// simulation tells of all of them.
	launch *sim.Launch
	known  price.Measured
	// tile is that of the versions, if they are coarser than the kernel as it came.
	tile tile.Tile
	// still tells that no wavefront can be followed to its end: then versions are ordered
	// by what they are alone.
	still bool
}

// fraction: prices are kept in sixteenths of a cycle, as passes.Cost has integers.
const fraction = 16

var errEndless = errors.New("a wavefront cannot be followed to its end any more")

// newPricer prices versions of a kernel that took time over launch l.
func newPricer(l *sim.Launch, time *sim.Timing, t *chip.Target) pricer {
	return pricer{launch: l, known: price.Measure(time, t)}
}

// priced is the price of a version of a kernel, or the reason why it has none.
type priced struct {
	meaning meaning // of the version; zero if there is none
	cost    passes.Cost
	alu     float64 // what its wavefronts keep the vector units busy for, in cycles for each; 0 if unknown
	words   int     // of the machine's program
	err     error
}

// price is the price of a kernel of so many statements that is compiled to s: the cycles that one more wavefront adds to a launch
// in which many hide each other's latency (so that registers, which limit how many there are, count
// as well); then registers, operations and statements. The work is charged to b.
func (p *pricer) price(statements int, s *sched.Scheduled, b *budget.Budget) priced {
	found := priced{cost: issue(statements, s), words: s.Program.Words()}
	found.cost[0] = p.each(found.cost[0])
	if p.still {
		return found
	}
	l := *p.launch
	l.Budget = b
	l.Inputs = s.Code.Preloads()
	e, err := price.Predict(s.Program, &l, s.Target, p.known)
	switch {
	case err != nil:
		found.err = err
	case e.Cut:
		found.err = errEndless
	default:
		found.cost[0], found.alu = p.each(int(fraction*e.Cycles)), e.ALU
	}
	return found
}

// each is the share that one invocation of the kernel as it came has in a price of a tile.
func (p *pricer) each(cost int) int {
	n := p.tile.Count()
	return (cost + n - 1) / n
}

// Threshold is the part of its cycles that a kernel has to save to be better for that
// alone: what the model is known to no better counts for nothing. Within it, registers,
// instruction groups, operations and fetches decide, and neither they nor cycles may grow.
// The value is the resolution that the model is believed to have, not a measured one.
const Threshold = 0.005

// sizes are what decides between kernels that take as long.
func (c *KernelCost) sizes() [4]int { return [4]int{c.GPRs, c.ALU, c.Ops, c.Fetches} }

// better reports whether a version of a kernel that costs c is better than one that costs d.
func (c *KernelCost) better(d *KernelCost) bool {
	switch {
	case c.Cycles < d.Cycles*(1-Threshold):
		return true
	case c.Cycles > d.Cycles:
		return false
	}
	less := false
	before := d.sizes()
	for i, n := range c.sizes() {
		if n > before[i] {
			return false
		}
		less = less || n < before[i]
	}
	return less
}

// reason says why a version that costs c is not better than one that costs d.
func (c *KernelCost) reason(d *KernelCost) string {
	if c.Cycles > d.Cycles {
		return fmt.Sprintf("a launch would take %.0f cycles, not %.0f", c.Cycles, d.Cycles)
	}
	took := fmt.Sprintf("a launch would take %.0f cycles, not %.0f, which is less than %.1f %% apart", c.Cycles, d.Cycles, 100*Threshold)
	if c.Cycles == d.Cycles {
		took = fmt.Sprintf("a launch would take %.0f cycles as before", c.Cycles)
	}
	if c.sizes() == d.sizes() {
		return took + ", and as many registers, instruction groups, operations and fetches"
	}
	return fmt.Sprintf("%s, and neither registers (%d and %d), instruction groups (%d and %d), operations (%d and %d) nor fetches (%d and %d) are fewer with none of them more",
		took, c.GPRs, d.GPRs, c.ALU, d.ALU, c.Ops, d.Ops, c.Fetches, d.Fetches)
}

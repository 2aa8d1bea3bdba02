package kernel

import (
	"errors"
	"fmt"

	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/machine"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/machine/sim"
	"github.com/shaderlift/shaderlift/passes"
)

// pricer prices the versions of one kernel, or of one tile of it, on a fixed launch.
type pricer struct {
	// launch is the launch of the input kernel, on which versions are compared. known has the results
	// of its simulation, which the prices of all versions use.
	launch *sim.Launch
	known  machine.Measured
	// tile is the tile of the versions, if they are coarsened.
	tile ir.Tile
	// still is set if no wavefront can be followed to its end. Then prices ignore the launch.
	still bool
}

// fraction: prices are kept in sixteenths of a cycle, as passes.Cost has integers.
const fraction = 16

var errEndless = errors.New("a wavefront is too long to simulate to its end")

// newPricer returns a pricer for versions of a kernel that took time over launch l.
func newPricer(l *sim.Launch, time *sim.Timing, t *chip.Target) pricer {
	return pricer{launch: l, known: machine.Measure(time, t)}
}

// Price is the price of a version of a kernel, or the reason for its absence.
type Price struct {
	Content Content // of the written version; zero if there is none
	Cost    passes.Cost
	Words   int // size of the machine program
	// Bound is a lower bound on the cycles of the launch; 0 if unknown.
	Bound float64
	Err   error
	alu   float64 // load of its wavefronts on the vector units, in cycles per wavefront; 0 if unknown
}

// price returns the price of a kernel with the given number of statements, compiled to s. Its first
// part is the cycles that one more wavefront adds to a launch with many wavefronts, which hide each
// other's latency. Registers limit their number, so they count here too. Registers, operations and
// statements follow. The work is charged to b.
func (p *pricer) price(statements int, s *sched.Scheduled, b *budget.Budget) Price {
	found := Price{Cost: issue(statements, s), Words: s.Program.Words()}
	found.Cost[0] = p.threadShare(found.Cost[0])
	if p.still {
		return found
	}
	l := *p.launch
	l.Budget = b
	l.Inputs = s.Preloads()
	e, err := machine.Predict(s.Program, &l, s.Target, p.known)
	switch {
	case err != nil:
		found.Err = err
	case e.Cut:
		found.Err = errEndless
	default:
		found.Cost[0], found.alu, found.Bound = p.threadShare(int(fraction*e.Cycles)), e.ALU, e.Bound
	}
	return found
}

// threadShare returns the share of one input thread in the price of a tile.
func (p *pricer) threadShare(cost int) int {
	n := p.tile.Count()
	return (cost + n - 1) / n
}

// Threshold is the part of its cycles that a kernel must save to be better by cycles alone. Smaller
// differences are below the accuracy of the model. Within it, registers, instruction groups, operations
// and fetches decide, and neither they nor cycles may grow. The value is the believed resolution of the
// model, not a measured one.
const Threshold = 0.005

// sizes returns the counts that decide between kernels with equal cycles.
func (c *Cost) sizes() [4]int { return [4]int{c.GPRs, c.ALU, c.Ops, c.Fetches} }

// Better reports whether a version of a kernel that costs c is better than one that costs d.
func (c *Cost) Better(d *Cost) bool {
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

// Improves reports whether a version that costs c may replace an input that costs d: it is better and,
// if the launch can be simulated, faster.
func (c *Cost) Improves(d *Cost) bool {
	return c.Better(d) && (c.Cycles < d.Cycles || d.Cycles == 0)
}

// Reason explains why a version that costs c is not better than one that costs d.
func (c *Cost) Reason(d *Cost) string {
	if c.Cycles > d.Cycles {
		return fmt.Sprintf("a launch would take %.0f cycles, not %.0f", c.Cycles, d.Cycles)
	}
	took := fmt.Sprintf("a launch would take %.0f cycles, not %.0f, a change below %.1f %%", c.Cycles, d.Cycles,
		100*Threshold)
	if c.Cycles == d.Cycles {
		took = fmt.Sprintf("a launch would take %.0f cycles as before", c.Cycles)
	}
	if c.Better(d) {
		return took + ", and fewer registers, instruction groups, operations or fetches do not count as a gain"
	}
	if c.sizes() == d.sizes() {
		return took + ", with the same registers, instruction groups, operations and fetches"
	}
	return fmt.Sprintf("%s, and the new and old registers (%d, %d), instruction groups (%d, %d), operations (%d, %d) and fetches (%d, %d) have no reduction without an increase",
		took, c.GPRs, d.GPRs, c.ALU, d.ALU, c.Ops, d.Ops, c.Fetches, d.Fetches)
}

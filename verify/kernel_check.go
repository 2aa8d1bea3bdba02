package verify

import (
	"cmp"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/verify/internal/iface"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// CheckKernel decides whether after may replace before.
//
// Every output, the final contents of memories that outlive the kernel, and the set of dropped invocations
// have to be the same. The depth has to stay the same term.
//
// With [Options.Tile], CheckKernel compares an invocation of after with all invocations of a tile. It has
// their outputs one after the other, and leaves memory as they do in this order. It fetches vectors from
// packed resources.
func CheckKernel(before, after *il.Kernel, o Options) Report {
	if !o.Tile.Same() {
		return checkLaunched(before, after, o)
	}
	c := &kernelChecker{ladder: ladder{Options: o}, before: before, after: after}
	return c.within(c.check)
}

// kernelChecker checks kernels of AMD IL. Rung 0 replaces after by the kernel that was read back.
type kernelChecker struct {
	ladder
	before, after *il.Kernel
	copies        int // number of invocations in the tile, if before is a reference; else 0

	// made caches launches by number. Directed launches and samples start from executed ones.
	made map[uint64]*kernel.Case
	// loosely ignores differences that depend on registers which before does not write.
	loosely bool
	// seen records the statements of both versions that executions reached, by number.
	seen [2][]bool
	// shown are the compared launches.
	shown []*showing
}

// check runs the ladder for kernels. If rung 3 cannot match the loops, it compares them for some trip counts
// (sampleTrips) before the verdict depends on executions.
func (c *kernelChecker) check() {
	switch {
	case c.before == nil || c.after == nil || !iface.SameHeader(c.before, c.after):
		c.report.Why = "the versions are different kinds of kernels"
		return
	case iface.SameStatements(c.before, c.after):
		c.recordRung(R1)
		c.report.Verdict = Proved
		return
	}
	again, err := iface.CompareKernels(c.before, c.after)
	if err != nil {
		c.report.Why = "R0: " + err.Error()
		return
	}
	c.after = again
	c.recordRung(R0)
	c.Options = c.seeded(speltKernels(c.before, c.after)...)
	c.prove(c.liftKernels())
	if c.Cheap {
		if c.remainsOpen(execution{}) {
			c.deepen()
		}
		if !c.accepted() {
			c.report.Why = cmp.Or(c.field.unstable, c.field.why, c.terms.why, "no quick proof found")
			return
		}
		if c.Unconfirmed {
			c.conclude(execution{why: "nothing was executed"})
			return
		}
	}
	run := c.execute()
	if c.remainsOpen(run) {
		c.deepen()
		if c.field.outcome == different && c.field.inducted && !c.field.hangs {
			c.field = c.sampleTrips()
		}
		if run.different {
			run = c.execute()
		}
	}
	if !run.different && c.unproved() {
		run = c.pursue()
	}
	c.blind = c.blindness
	c.conclude(run)
}

// liftKernels prepares both versions for symbolic execution.
func (c *kernelChecker) liftKernels() error {
	for i, k := range []*il.Kernel{c.before, c.after} {
		p, err := prepareKernel(k, c.Constants.ForKernel())
		if err != nil {
			return err
		}
		p.fn.Budget = c.Budget
		c.sides[i] = observe(side{kernel: p})
		c.sides[i].first = i == 0
	}
	return nil
}

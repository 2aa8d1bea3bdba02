package verify

import (
	"cmp"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir/tile"
	"github.com/shaderlift/shaderlift/verify/internal/adequacy"
	"github.com/shaderlift/shaderlift/verify/internal/alike"
	"github.com/shaderlift/shaderlift/verify/internal/iface"
	"github.com/shaderlift/shaderlift/verify/internal/lifted"
	"github.com/shaderlift/shaderlift/verify/internal/proof"
	"github.com/shaderlift/shaderlift/verify/internal/walk"
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

// checkLaunched checks kernels as [CheckKernel] does, for an after that the host launches differently. The
// ladder compares rewritten texts that it launches  If it accepts them, executions compare each text with
// its original.
func checkLaunched(before, after *il.Kernel, o Options) Report {
	if before == nil || after == nil {
		return Report{Why: "the sides are different kinds of kernels"}
	}
	texts, err := alike.Rewrite(before, after, o.Tile, o.Constants.ForKernel())
	if err != nil {
		return Report{Why: "R0: " + err.Error()}
	}
	c := &kernelChecker{ladder: ladder{Options: o, packed: o.Tile.Texels != 0}, before: texts.Before, after: texts.After, copies: o.Tile.Count()}
	c.Tile = tile.Tile{}
	c.KernelCases = nil
	for _, l := range o.KernelCases {
		c.KernelCases = append(c.KernelCases, texts.Launch(l))
	}
	r := c.within(c.check)
	if !r.Verdict.OK() {
		return r
	}
	runs := &alike.Runs{Cases: c.KernelCases, Launch: c.launch, Random: 2, Constants: c.Constants, Seed: c.Seed, Steps: launchSteps, Budget: c.runsBudget()}
	if c.Effort == Full {
		runs.Random = 8
	}
	if why := texts.Differs(runs); why != "" {
		return Report{Rungs: r.Rungs, Why: why}
	}
	return r
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
	shown []*adequacy.Launch
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
			c.report.Why = cmp.Or(c.field.Unstable, c.field.Why, c.terms.why, "no quick proof found")
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
		if c.field.Outcome == proof.Different && c.field.Inducted && !c.field.Hangs {
			if c.postponed = c.sampleTrips; c.usable() {
				c.sampledSame()
			}
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
		p, err := lifted.LiftKernel(k, c.Constants.ForKernel())
		if err != nil {
			return err
		}
		p.Fn.Budget = c.Budget
		c.sides[i] = walk.Observe(walk.Side{Kernel: p})
		c.sides[i].First = i == 0
	}
	return nil
}

package verify

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// CheckKernel decides whether after may take the place of before.
//
// Every output, what the kernel leaves in the memories that outlive it and which
// invocations are dropped have to be the same; the depth has to stay the same term.
//
// With [Options.Tile] an invocation of after is compared with all of a tile: its outputs are
// theirs one after the other, and memory is as they leave it in this order. What it fetches from
// packed resources are vectors.
func CheckKernel(before, after *il.Kernel, o Options) Report {
	if !o.Tile.Same() {
		return checkLaunched(before, after, o)
	}
	c := &kernelChecker{ladder: ladder{Options: o}, before: before, after: after}
	return c.within(c.check)
}

// kernelChecker is the check of kernels of AMD IL. Rung 0 replaces after by what was read back.
type kernelChecker struct {
	ladder
	before, after *il.Kernel
	copies        int // of a kernel that before is, for tiles; 0 if it is none

	// made are launches by number: directed ones and samples start from those that were executed.
	made map[uint64]*kernel.Case
	// loosely leaves out what is up to registers that before does not write.
	loosely bool
	// seen are the statements of the sides that executions reached, by number.
	seen [2][]bool
	// shown are the launches that were compared.
	shown []*showing
}

// check is the ladder for kernels. Where rung 3 cannot match the loops, they are compared for some
// trip counts (sampleTrips) before the verdict falls back on executions.
func (c *kernelChecker) check() {
	switch {
	case c.before == nil || c.after == nil || !sameHeader(c.before, c.after):
		c.report.Why = "the sides are different kinds of kernels"
		return
	case slices.EqualFunc(statements(c.before), statements(c.after), (*il.Inst).Same):
		c.pass(R1)
		c.report.Verdict = Proved
		return
	}
	again, err := kernelForm(c.before, c.after)
	if err != nil {
		c.report.Why = "R0: " + err.Error()
		return
	}
	c.after = again
	c.pass(R0)
	c.Options = c.seeded(speltKernels(c.before, c.after)...)
	c.prove(c.lift())
	if c.Cheap {
		if c.open(execution{}) {
			c.deepen()
		}
		if !c.accepted() {
			c.report.Why = cmp.Or(c.field.why, c.terms.why, "not proved at once")
			return
		}
		if c.Unconfirmed {
			c.conclude(execution{why: "nothing was executed"})
			return
		}
	}
	run := c.execute()
	if c.open(run) {
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

// lift prepares both sides for symbolic execution.
func (c *kernelChecker) lift() error {
	for i, k := range []*il.Kernel{c.before, c.after} {
		p, err := prepareKernel(k, promise(c.Constants).kernel())
		if err != nil {
			return err
		}
		p.fn.Budget = c.Budget
		c.sides[i] = observe(side{kernel: p})
		c.sides[i].first = i == 0
	}
	return nil
}

func sameHeader(a, b *il.Kernel) bool {
	return a.Stage == b.Stage && a.MultiPass == b.MultiPass && a.RealTime == b.RealTime && a.Client == b.Client
}

// statements are those of a kernel, in order.
func statements(k *il.Kernel) []*il.Inst {
	list := make([]*il.Inst, len(k.Insts))
	for i := range k.Insts {
		list[i] = &k.Insts[i]
	}
	return list
}

package combine

import (
	"sync"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// trial is a group of rules that pay on some chips, or in some kernels: in how many
// slots something is done is one thing, which slots and after how long a wait another
// (transcendental operations and integer products go into one of five slots of a group
// of R600 to Evergreen alone). It is tried on the whole kernel and kept if the cost
// model likes it.
type trial struct {
	what  string // as said where it is declined
	rules *table
	whole func(c *combiner) // in place of rules
}

var trials = sync.OnceValue(func() []trial {
	return []trial{
		{what: "dot products stay: sums of products", rules: tableOf(rows(short))},
		{what: "bits are shifted and masked: extracting, merging and aligning them", rules: tableOf(rows(fields))},
		{what: "indices are scaled one by one: scaling what they have in common", whole: (*combiner).distribute},
		{what: "products of counters stay: carrying them", whole: (*combiner).carry},
		{what: "products are added at one go: shifts and sums", rules: tableOf(rows(strides))},
	}
})

// try makes the trials of a kernel, each upon what the ones before left.
func try(ctx *passes.Ctx, u *passes.Unit) {
	least, priced := passes.Cost{}, false
	for _, t := range trials() {
		candidate := ctx.Trial(u)
		if t.apply(ctx, candidate.Kernel, func(*ir.Instr, asm.Code, string) bool { return true }) == 0 {
			continue
		}
		if !priced {
			cost, err := ctx.Measure(u)
			if err != nil {
				return // there is nothing to compare with
			}
			least, priced = cost, true
		}
		cost, err := ctx.Measure(candidate)
		switch {
		case err != nil:
			ctx.Remarkf(asm.Pos{}, "target", "%s cannot be done: %v", t.what, err)
		case !cost.Less(least):
			ctx.Remarkf(asm.Pos{}, "cost", "%s costs no less", t.what)
		default:
			least = cost
			t.apply(ctx, u.Kernel, ctx.Step)
		}
	}
}

// apply applies the rules of t to f, and what they enable, and counts the rewrites.
func (t *trial) apply(ctx *passes.Ctx, f *ir.Func, step passes.Grant) int {
	c := newCombiner(ctx, f)
	c.grant, c.rules, c.doing, c.matcher.Free, c.tested = step, t.rules, "rewritten on trial", true, ctx.Bool("tested")
	if t.whole != nil {
		t.whole(c)
	} else {
		c.region(f.Body)
	}
	c.sweep(f.Body)
	if c.rewrites > 0 && !c.stop {
		simplify(ctx, f, step)
	}
	return c.rewrites
}

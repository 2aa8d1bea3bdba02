package combine

import (
	"sync"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// trial is a group of rules that pay on some chips, or in some kernels only. Besides the number of slots,
// their kind and the latency matter. Transcendental operations and integer products use only one of the five
// slots of a group on R600 to Evergreen. A trial is applied to the whole kernel and kept if the cost model
// accepts it.
type trial struct {
	what  string // wording for the remark if it is declined
	rules *table
	whole func(c *combiner) // used instead of rules
}

var trials = sync.OnceValue(func() []trial {
	return []trial{
		{what: "dot products stay: sums of products", rules: tableOf(compileRules(short))},
		{what: "shifts and masks of bits stay: instructions that extract, merge and align bits",
			rules: tableOf(compileRules(fields))},
		{what: "indices are scaled one by one: scalings of their common part", whole: (*combiner).distribute},
		{what: "products of counters stay: running sums", whole: (*combiner).carry},
		{what: "products stay: shifts and sums", rules: tableOf(compileRules(strides))},
	}
})

// tryTrials makes the trials of a kernel, each on the result of the previous ones.
func tryTrials(ctx *passes.Ctx, u *passes.Unit) {
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
			ctx.Remarkf(asm.Pos{}, "target", "%s are not possible: %v", t.what, err)
		case !cost.Less(least):
			ctx.Remarkf(asm.Pos{}, "cost", "%s are not cheaper", t.what)
		default:
			least = cost
			t.apply(ctx, u.Kernel, ctx.ShouldRewrite)
		}
	}
}

// apply applies the rules of t to f, and the rewrites that they enable, and returns the number of rewrites.
func (t *trial) apply(ctx *passes.Ctx, f *ir.Func, step passes.Grant) int {
	c := newCombiner(ctx, f)
	c.grant, c.rules, c.doing, c.matcher.Free = step, t.rules, "rewritten on trial", true
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

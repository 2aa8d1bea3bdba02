package combine

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Pass is the pass "combine-alu".
var Pass = &passes.Pass{
	Name: "combine-alu",
	Doc: `replace groups of instructions by cheaper ones

Rules need up to numerics real. mul and add become mad, and sums of products dp3 or dp4. Clamps become a saturation,
and choices of choices one choice. Common factors leave choices and interpolations. Functions of functions cancel. Kills
on choices of constants test the conditions.
Kernels also get shifts for multiplications, bit fields, complemented comparisons and scaled loop counters; the rules
of a kind stay only if the cost model agrees.

Code with other readers, predicates, clamps or mixed precision in between stays, and so does code that feeds a position
unless the rule keeps terms.`,
	Class: passes.Terms,
	Run:   run,
}

// maxRounds bounds the repetitions: one rewrite may enable another before it. Few programs need more than
// two.
const maxRounds = 4

// run applies the rules that always pay to all functions, and to a kernel the rules that the cost model
// accepts.
func run(ctx *passes.Ctx, u *passes.Unit) error {
	for _, f := range u.Funcs() {
		if !simplify(ctx, f, ctx.ShouldRewrite) {
			return nil
		}
	}
	if u.Kernel == nil {
		return nil
	}
	if ctx.Measure != nil {
		tryTrials(ctx, u)
	}
	explain(ctx, u.Kernel)
	return nil
}

// simplify applies the rules that always pay, and reports whether step agreed to all. Each round uses a new
// combiner, as the numbers of readers have changed.
func simplify(ctx *passes.Ctx, f *ir.Func, step passes.Grant) bool {
	for range maxRounds {
		c := newCombiner(ctx, f)
		c.grant, c.rules, c.doing = step, always(), "combined with others"
		c.region(f.Body)
		c.outputs()
		c.sweep(f.Body)
		if c.stop {
			return false
		}
		if c.rewrites == 0 {
			break
		}
	}
	return true
}

// region applies rules in program order, to each instruction until none applies. Instructions that rules
// insert precede it and are visited in the next round.
func (c *combiner) region(r *ir.Region) {
	for _, in := range r.Code {
		for _, sub := range in.Sub {
			c.region(sub)
		}
		for c.instr(in) {
		}
		if c.stop {
			return
		}
	}
}

// settled reports whether in computes from literals alone. Its value then depends on the roundings of the
// program in their order, and the pass fold evaluates it: over the reals (1 + 2^-30)*2 - 2 has another value.
// So only rules that keep bits apply there. The result is cached for each instruction.
func (c *combiner) settled(in *ir.Instr) bool {
	if known, met := c.literal[in]; met {
		return known
	}
	// Value for the early returns.
	c.literal[in] = false
	if !in.Op.HasFormula() || in.IsPredicated() {
		return false
	}
	for s := range in.Src {
		for _, l := range in.Src[s] {
			if l.V != nil && l.V.Kind != ir.Literal && (l.V.Def == nil || !c.settled(l.V.Def)) {
				return false
			}
		}
	}
	c.literal[in] = true
	return true
}

// instr applies the first matching rule that the numerics allow.
func (c *combiner) instr(in *ir.Instr) bool {
	if c.stop || c.dead[in] || in.IsPredicated() {
		return false
	}
	list := c.rules[in.Op]
	settled := len(list) > 0 && c.settled(in)
	for _, r := range list {
		class := c.keeps(r)
		if c.ctx.Allows(class, in) && !(settled && class > passes.Bits) && r.apply(c, in) {
			return true
		}
	}
	return false
}

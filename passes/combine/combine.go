package combine

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Pass is the pass "combine-alu".
var Pass = &passes.Pass{
	Name: "combine-alu",
	Doc: `replace groups of instructions by cheaper ones

Needing numerics real: mul and add become mad, sums of products dp3, dp4 or
dp2add, chains of multiplications and additions of literals one step (if the new
literals are exact), lrp with a literal arm mad, a product with 0 or 1 or an
interpolation by it one cmp; min and max clamping to 0..1 become a saturation, clamps
that change nothing a mov, a comparison of a difference max or min, max and cmp of x and
-x an absolute value, a choice by a choice one choice, a power with a small exponent (pow, or
log, mul and exp) products or reciprocals; factors that both sides of a choice, an
interpolation or a bound have are taken out of it; functions of functions cancel, or are
one; a vector whose length is wanted too is normalized by a product. Needing bits: arithmetic on a choice between literals
chooses between its results. Keeping terms: what only a mov reads is written where
the mov writes it, saturated if the mov is, and what several components of an
output show is written to all of them.

Of AMD IL, needing bits: mul and add become mad, which rounds the product all the same;
multiplications and unsigned divisions by powers of two become shifts and masks; two
operations on integers with literals become one, sums, shifts, masks, products and
quotients alike; (a^b)^b is a, and what changes nothing is moved. Comparisons are
complemented, a word is tested for zero by a choice itself, and choices by order of
integers are min and max.

Also of AMD IL, each for the whole kernel and only if the cost model likes it: short
dot products, which take four slots, become products and sums (class real); bits are
extracted, merged and aligned by the operations that Cypress has for it; indices that
are scaled alike are scaled once, (i+1)*16 being i*16 + 16; loops carry i*w + z, which
is w more on each trip; a product with a power of two and a sum is shifted and added.

With tested=true also what verification can test but not prove, or loses in large programs:
clamps that bounds make idle, choices folded through min, max and the like, the cosine of two
vectors that are normalized, a choice of signs.

It declines wherever something it looks through has another reader, is predicated
or clamped, wherever partial precision would spread, where what was never written is
read, and for code that feeds a position unless terms are kept.`,
	Class: passes.Terms,
	Options: []passes.Option{
		{Name: "tested", Default: "false", Doc: "apply rules whose outcome verification can test but not prove, too"},
	},
	Run: run,
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
		c.grant, c.rules, c.doing, c.tested = step, always(), "combined with others", ctx.Bool("tested")
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
// program in their order, and package fold evaluates it: over the reals (1 + 2^-30)*2 - 2 has another value.
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
		if c.ctx.Allows(class, in) && !(settled && class > passes.Bits) && (!r.tested || c.tested) && r.apply(c, in) {
			return true
		}
	}
	return false
}

package combine

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Pass is the pass "combine".
var Pass = &passes.Pass{
	Name: "combine",
	Doc: `replace groups of instructions by cheaper ones

Needing numerics real: mul and add become mad, sums of products dp3, dp4 or
dp2add, chains of multiplications and additions of literals one step (if the new
literals are exact), lrp with a literal arm mad, a product with 0 or 1 or an
interpolation by it one cmp. Needing bits: arithmetic on a choice between literals
chooses between its results. Keeping terms: what only a mov reads is written where
the mov writes it, saturated if the mov is, and what several components of an
output show is written to all of them.

With tested=true also what holds for numbers but is beyond algebra: min and max
clamping to 0..1 become a saturation, clamps that bounds make idle a mov, a
comparison of a difference max or min, max and cmp of x and -x an absolute value, a
choice by a choice one choice, a power with a small exponent (pow, or log, mul and
exp) products or reciprocals; rcp of rcp and log of exp cancel.

It declines wherever something it looks through has another reader, is predicated
or clamped, wherever partial precision would spread, and for code that feeds a
position unless terms are kept.`,
	Class: passes.Terms,
	Options: []passes.Option{
		{Name: "tested", Default: "false", Doc: "apply rules whose outcome verification can test but not prove, too"},
	},
	Run: run,
}

// maxRounds bounds the repetitions: one rewrite may enable another before it.
const maxRounds = 4

func run(ctx *passes.Ctx, u *passes.Unit) error {
	for _, f := range u.Funcs() {
		for range maxRounds {
			c := newCombiner(ctx, f)
			c.region(f.Body)
			c.outputs()
			c.sweep(f.Body)
			if c.stop {
				return nil
			}
			if c.rewrites == 0 {
				break
			}
		}
	}
	return nil
}

// rule is one rewrite of an instruction. It changes nothing unless it reports
// that it applied.
type rule struct {
	ops    []ir.Op
	class  passes.Class
	tested bool // is about functions of which algebra knows nothing
	apply  func(c *combiner, in *ir.Instr) bool
}

// The rules, in the order they are tried.
var rules = []rule{
	{[]ir.Op{ir.OpMov}, passes.Terms, false, (*combiner).absorb},
	{[]ir.Op{ir.OpAdd}, passes.Real, false, (*combiner).fuse},
	{[]ir.Op{ir.OpAdd, ir.OpMul, ir.OpMad}, passes.Real, false, (*combiner).chain},
	{[]ir.Op{ir.OpAdd, ir.OpMad}, passes.Real, false, (*combiner).dot},
	{[]ir.Op{ir.OpLrp}, passes.Real, false, (*combiner).lerp},
	{[]ir.Op{ir.OpMul, ir.OpLrp}, passes.Real, false, (*combiner).mask},
	{[]ir.Op{ir.OpAdd, ir.OpMul, ir.OpMad, ir.OpLrp}, passes.Bits, false, (*combiner).choose},
	{[]ir.Op{ir.OpMin, ir.OpMax, ir.OpAbs, ir.OpFrc, ir.OpCmp, ir.OpMov}, passes.Bits, true, (*combiner).choose},
	{[]ir.Op{ir.OpCmp}, passes.Bits, true, (*combiner).reselect},
	{[]ir.Op{ir.OpAbs}, passes.Bits, false, (*combiner).absolute},
	{[]ir.Op{ir.OpMin, ir.OpMax, ir.OpCmp}, passes.Real, true, (*combiner).absolute},
	{[]ir.Op{ir.OpCmp}, passes.Real, true, (*combiner).larger},
	{[]ir.Op{ir.OpMin, ir.OpMax}, passes.Real, true, (*combiner).clamp},
	{[]ir.Op{ir.OpMin, ir.OpMax, ir.OpAbs, ir.OpMov}, passes.Real, true, (*combiner).idle},
	{[]ir.Op{ir.OpPow, ir.OpExp}, passes.Real, true, (*combiner).power},
	{[]ir.Op{ir.OpRcp, ir.OpLog}, passes.Real, true, (*combiner).inverse},
}

// byOp lists the rules of each op.
var byOp = func() map[ir.Op][]*rule {
	m := map[ir.Op][]*rule{}
	for i := range rules {
		for _, op := range rules[i].ops {
			m[op] = append(m[op], &rules[i])
		}
	}
	return m
}()

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

// instr applies the first rule that fits in.
func (c *combiner) instr(in *ir.Instr) bool {
	if c.stop || c.dead[in] || in.IsPredicated() {
		return false
	}
	for _, r := range byOp[in.Op] {
		if c.ctx.Allows(r.class, in) && (!r.tested || c.tested) && r.apply(c, in) {
			return true
		}
	}
	return false
}

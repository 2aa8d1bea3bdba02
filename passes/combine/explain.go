package combine

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/internal/rules"
)

// explain records remarks on near misses in a kernel, for a user who may allow them or change the code. It
// runs on the finished code and changes nothing.
func explain(ctx *passes.Ctx, f *ir.Func) {
	c := newCombiner(ctx, f)
	f.Walk(func(in *ir.Instr) {
		switch in.Op {
		case ir.OpAdd:
			c.explainSum(in)
		case ir.OpUDiv, ir.OpUMod:
			if isWords(&in.Src[1]) {
				ctx.Remarkf(in.Pos, "divisor", "this division stays: its divisor is not a power of two")
			}
		}
	})
}

// explainSum records why in is not a mad, in the order of the rule's conditions.
func (c *combiner) explainSum(in *ir.Instr) {
	for k := range 2 {
		mul := c.source(&in.Src[k], in)
		switch {
		case mul == nil || mul.Op.Legacy() != ir.OpMul:
		case mul.Mods&ir.Sat != 0:
			c.ctx.Remarkf(in.Pos, "saturated", "this sum and its product are not joined: the product is clamped")
		case !c.ctx.Allows(c.fused(), in):
			c.ctx.Remarkf(in.Pos, "numerics", "this sum and its product are not joined: mad keeps %v, not terms", c.fused())
		case c.readsOf(mul) != rules.LanesOf(&in.Src[k]):
			c.ctx.Remarkf(in.Pos, "shared", "this sum and its product are not joined: the product has other uses")
		}
	}
}

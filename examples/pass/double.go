package main

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

var double = &passes.Pass{
	Name:  "double",
	Doc:   "add a value to itself in place of multiplying it by two",
	Class: passes.Bits, // x*2 and x+x round equally
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		for _, f := range u.Funcs() {
			f.Walk(func(in *ir.Instr) {
				if in.Op != ir.OpMul {
					return
				}
				for i, by := range in.Src {
					// Allows reports whether --numerics permits this change of the instruction.
					// ShouldRewrite counts the rewrite, for fuel and bisection, and may forbid it.
					if isTwo(in, by) && c.Allows(passes.Bits, in) && c.ShouldRewrite(in, "doubled", "add in place of mul") {
						in.Op, in.Src[i] = ir.OpAdd, in.Src[1-i]
						return
					}
				}
			})
		}
		return nil
	},
}

// isTwo reports whether an operand is two in every lane that in computes.
func isTwo(in *ir.Instr, operand ir.Operand) bool {
	for lane, out := range in.Out {
		l := operand[lane]
		if out != nil && (l.V.Kind != ir.Literal || l.V.Bits != math.Float32bits(2) || l.Mod != 0) {
			return false
		}
	}
	return true
}

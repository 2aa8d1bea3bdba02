package passtest

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Negates is a wrong pass: it negates products in pixel programs. Tests use it to check the handling of
// miscompilations.
var Negates = &passes.Pass{Name: "negates", Doc: "is wrong",
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		if u.Pixel == nil || len(u.Pixel.Body.Code) == 0 || !c.ShouldRewrite(u.Pixel.Body.Code[0], "negated", "negated") {
			return nil
		}
		u.Pixel.Walk(func(in *ir.Instr) {
			if in.Op == ir.OpMul {
				for i := range in.Src[0] {
					in.Src[0][i].Mod ^= ir.Neg
				}
			}
		})
		return nil
	}}

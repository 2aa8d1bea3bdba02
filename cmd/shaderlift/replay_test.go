package main

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// swaps-mins is a pass that miscompiles, for tests of fault handling.
func init() {
	injected = []*passes.Pass{{Name: "swaps-mins", Run: func(c *passes.Ctx, u *passes.Unit) error {
		for _, f := range u.Funcs() {
			f.Walk(func(in *ir.Instr) {
				if in.Op == ir.OpMin && c.ShouldRewrite(in, "max", "made max") {
					in.Op = ir.OpMax
				}
			})
		}
		return nil
	}}}
}

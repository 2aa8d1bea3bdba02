package unroll

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Restrict is the pass "restrict".
var Restrict = &passes.Pass{
	Name: "restrict",
	Doc: `assume that the kernel does not write memory that it reads through another view

Loads from views that the kernel never writes, or from g[] then, depend on none of its stores and fences any more. Other
passes move and share them. The host must not bind memory that the kernel writes to such a view, as with restrict in C;
the report says so. No level runs it, because only the application knows its bindings.`,
	Class: passes.Terms,
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		f := u.Launched()
		if f == nil {
			return nil
		}
		written := map[ir.Reg]bool{}
		f.Walk(func(in *ir.Instr) {
			if in.Op == ir.OpMemStore || in.Op == ir.OpMemAtomic {
				written[in.Base] = true
			}
		})
		var loads []*ir.Instr
		f.Walk(func(in *ir.Instr) {
			if in.Op == ir.OpMemLoad && !written[in.Base] && f.Dialect.Launch().Everywhere(in.Args[0].Home) &&
				in.Args[0].Kind != ir.Input {
				loads = append(loads, in)
			}
		})
		if len(loads) == 0 || !c.ShouldRewrite(loads[0], "restricted",
			"loads from views that are only read do not depend on stores") {
			return nil
		}
		for _, in := range loads {
			in.Args[0] = f.Leaf(ir.Input, in.Args[0].Home)
		}
		u.ChangeTile().Restrict = true
		return nil
	},
}

package shaderlift_test

import (
	"context"
	"fmt"
	"log"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// sameMin turns min(x, x) into x. Other passes remove the move.
var sameMin = &passes.Pass{Name: "same-min", Class: passes.Real, Run: func(c *passes.Ctx, u *passes.Unit) error {
	for _, f := range u.Funcs() {
		f.Walk(func(in *ir.Instr) {
			if in.Op == ir.OpMin && in.Src[0] == in.Src[1] && c.Allows(passes.Real, in) &&
				c.ShouldRewrite(in, "same-min", "min(x, x) is x") {
				in.Op, in.Src = ir.OpMov, in.Src[:1]
			}
		})
	}
	return nil
}}

// A pass of your own. The optimizer prices and verifies it like others.
func Example_pass() {
	in := shaderlift.Input{Files: []shaderlift.File{{Name: "a.psh",
		Data: []byte("ps_2_0\ndcl t0\nmin r0, t0, t0\nmov oC0, r0\n")}}}
	res, err := shaderlift.Optimize(context.Background(), in,
		shaderlift.Options{Pipeline: "same-min,copyprop,dce", Hooks: shaderlift.Hooks{Passes: []*passes.Pass{sameMin}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s, %s\n%s", res.Status, res.Verdict(), res.Files[0].Data)
	// Output:
	// improved, proved-real
	// ps_2_0
	// dcl t0
	// mov oC0, t0
}

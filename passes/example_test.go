package passes_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/vsps"
)

// A pass asks before every rewrite; the caller limits the number.
func Example() {
	double := &passes.Pass{
		Name: "double", Doc: "write x*2 as x+x", Class: passes.Bits,
		Run: func(c *passes.Ctx, u *passes.Unit) error {
			const two = 0x40000000
			u.Pixel.Walk(func(in *ir.Instr) {
				if in.Op != ir.OpMul || in.Src[1][0].V.Bits != two || !c.Allows(passes.Bits, in) ||
					!c.ShouldRewrite(in, "doubled", "doubled") {
					return
				}
				in.Op, in.Src[1] = ir.OpAdd, in.Src[0]
			})
			return nil
		},
	}
	p, _ := d3d9.Parse("demo.psh", []byte("ps_2_0\ndef c0, 2, 2, 2, 2\ndcl v0\nmul r0, v0, c0\nmul r0, r0, c0\nmov oC0, r0\n"))
	f, _ := vsps.Lift(p)
	u := &passes.Unit{Name: "demo", Pixel: f}
	pipeline, err := passes.Parse("double", []*passes.Pass{double})
	if err != nil {
		fmt.Println(err)
		return
	}
	one := 1
	report, err := passes.Run(u, pipeline, passes.Config{Numerics: passes.Real, Fuel: &one})
	fmt.Println(report.Stats[0].Outcome, report.Steps, err)
	q, _ := vsps.Emit(p, u.Pixel)
	fmt.Print(string(d3d9.Print(q)))
	// Output:
	// changed 1 <nil>
	// ps_2_0
	// def c0, 2, 2, 2, 2
	// dcl v0
	// add r0, v0, v0
	// mul r0, r0, c0
	// mov oC0, r0
}

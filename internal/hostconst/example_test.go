package hostconst_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/internal/hostconst"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
)

// A product of two parameters is the same for all pixels of a draw.
func Example() {
	data := fxtest.WithTable(fxtest.Assemble("ps_2_0\ndcl t0\nmov r0, c0\nmul r0, r0, c1\nmul r0, r0, t0\nmov oC0, r0\n"),
		d3d9.Constant{Name: "Colour"}, d3d9.Constant{Name: "Light", Index: 1})
	p, err := d3d9.Decode("a.psh", data)
	if err != nil {
		fmt.Println(err)
		return
	}
	q, moved, err := hostconst.Shorter(p, p, true, true)
	if err != nil {
		fmt.Println(err)
		return
	}
	pre, err := preshader.FromProgram(q)
	fmt.Println(moved.Computed, d3d9.Measure(p).Slots, d3d9.Measure(q).Slots, err)
	fmt.Print(string(preshader.Print(pre)))
	// Output:
	// 4 4 2 <nil>
	// preshader
	// // in0: Colour
	// // in1: Light
	// mul c2.xyzw, in0.xyzw, in1.xyzw
}

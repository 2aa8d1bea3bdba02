package effect_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
	"github.com/shaderlift/shaderlift/opt/effect"
	"github.com/shaderlift/shaderlift/opt/input"
)

// A product of two parameters is the same for all pixels of a draw.
func ExampleHostFirst() {
	data := fxtest.WithTable(fxtest.Assemble("ps_2_0\ndcl t0\nmov r0, c0\nmul r0, r0, c1\nmul r0, r0, t0\nmov oC0, r0\n"),
		d3d9.Constant{Name: "Colour"}, d3d9.Constant{Name: "Light", Index: 1})
	p, err := d3d9.Decode("a.psh", data)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, programs, _ := effect.HostFirst(input.Input{Files: []input.File{{Name: "a.psh", Data: data}}})
	q := programs[0]
	pre, err := preshader.FromProgram(q)
	fmt.Println(d3d9.Measure(p).Slots, d3d9.Measure(q).Slots, err)
	fmt.Print(string(preshader.Print(pre)))
	// Output:
	// 4 2 <nil>
	// preshader
	// // in0: Colour
	// // in1: Light
	// mul c2.xyzw, in0.xyzw, in1.xyzw
}

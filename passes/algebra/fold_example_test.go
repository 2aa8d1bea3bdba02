package algebra_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/algebra"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/vsps"
)

// The product of the literals is 1, so the multiplication is unnecessary.
func ExampleFold() {
	p, err := d3d9.Parse("known.asm", []byte(`ps_2_0
def c2, 2, 0.5, 1, 0
dcl v0
mul r0.x, c2.x, c2.y
mad r1, v0, r0.x, c0
mul r1, r1, c2.z
mov oC0, r1
`))
	if err != nil {
		panic(err)
	}
	f, err := vsps.Lift(p)
	if err != nil {
		panic(err)
	}
	pipeline := passes.Pipeline{{Pass: algebra.Fold}, {Pass: cleanup.DCE}}
	if _, err := passes.Run(&passes.Unit{Pixel: f}, pipeline, passes.Config{Numerics: passes.Bits}); err != nil {
		panic(err)
	}
	q, err := vsps.Emit(p, f)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s", d3d9.Print(q))
	// Output:
	// ps_2_0
	// dcl v0
	// add r1, v0, c0
	// mov oC0, r1
}

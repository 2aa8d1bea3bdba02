package fetches_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/fetches"
	"github.com/shaderlift/shaderlift/vsps"
)

// Reads of one texture become adjacent.
func ExampleGroup() {
	p, err := d3d9.Parse("reads.asm", []byte(`ps_2_0
dcl t0
dcl t1
dcl_2d s0
dcl_2d s1
texld r0, t0, s0
texld r1, t0, s1
mul r0, r0, r1
texld r1, t1, s0
mad r0, r1, r1, r0
mov oC0, r0
`))
	if err != nil {
		panic(err)
	}
	f, err := vsps.Lift(p)
	if err != nil {
		panic(err)
	}
	if _, err := passes.Run(&passes.Unit{Pixel: f}, passes.Pipeline{{Pass: fetches.Group}},
		passes.Config{}); err != nil {
		panic(err)
	}
	if p, err = vsps.Emit(p, f); err != nil {
		panic(err)
	}
	fmt.Printf("%s", d3d9.Print(p))
	// Output:
	// ps_2_0
	// dcl t0
	// dcl t1
	// dcl_2d s0
	// dcl_2d s1
	// texld r0, t0, s0
	// texld r1, t1, s0
	// texld r2, t0, s1
	// mul r0, r0, r2
	// mad r0, r1, r1, r0
	// mov oC0, r0
}

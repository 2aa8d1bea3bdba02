package cleanup_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/vsps"
)

// Copies disappear, their modifiers move into the reader, and the saturation moves into the instruction that
// computes the clamped value.
func ExampleCopyprop() {
	p, err := d3d9.Parse("tint.asm", []byte(`ps_3_0
dcl_color0 v0
mov r0, -v0
mov r1, c0
mad r2, r0, r1, r1
mov_sat r3, r2
mov oC0, r3
`))
	if err != nil {
		panic(err)
	}
	f, err := vsps.Lift(p)
	if err != nil {
		panic(err)
	}
	pipeline := passes.Pipeline{{Pass: cleanup.Copyprop}}
	if _, err := passes.Run(&passes.Unit{Pixel: f}, pipeline, passes.Config{}); err != nil {
		panic(err)
	}
	q, err := vsps.Emit(p, f)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s", d3d9.Print(q))
	// Output:
	// ps_3_0
	// dcl_color0 v0
	// mad_sat oC0, -v0, c0, c0
}

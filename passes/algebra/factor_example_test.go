package algebra_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/algebra"
)

// Three colours are multiplied by the same two constants.
func ExampleFactor() {
	p, err := d3d9.Parse("tint.asm", []byte(`ps_2_0
def c1, 0.5, 0.25, 0.125, 1
dcl t0
dcl t1
dcl t2
mul r0, t0, c0
mul r0, r0, c1
mul r1, t1, c0
mul r1, r1, c1
mul r2, t2, c1
mul r2, r2, c0
max r0, r0, r1
max r0, r0, r2
mov oC0, r0
`))
	if err != nil {
		panic(err)
	}
	source := &passtest.Source{Pixel: p}
	u, err := source.Lift()
	if err != nil {
		panic(err)
	}
	config := passes.Config{Numerics: passes.Real, Measure: source.Measure}
	if _, err := passes.Run(u, passes.Pipeline{{Pass: algebra.Factor}}, config); err != nil {
		panic(err)
	}
	q, err := source.Emit(u)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s", d3d9.Print(q.Pixel))
	// Output:
	// ps_2_0
	// def c1, 0.5, 0.25, 0.125, 1
	// dcl t0
	// dcl t1
	// dcl t2
	// mov r0, c1
	// mul r0, c0, r0
	// mul r1, t0, r0
	// mul r2, t1, r0
	// mul r0, t2, r0
	// max r1, r1, r2
	// max r0, r1, r0
	// mov oC0, r0
}

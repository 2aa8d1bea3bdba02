package unroll_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/unroll"
)

// The host sets the number of terms of a sum; the unrolled loop adds two terms at a time.
func Example() {
	k, err := il.Parse("sum.il", []byte(`il_ps_2_0
dcl_output_generic o0
dcl_cb cb0[2]
dcl_literal l0, 0, 1.0, 0, 0
mov r0, cb0[1]
mov r1.x, l0.x
whileloop
ge r1.y, r1.x, cb0[0].x
break_logicalnz r1.y
mad r0, r0, cb0[1], r1.x
add r1.x, r1.x, l0.y
endloop
mov o0, r0
end
`))
	if err != nil {
		panic(err)
	}
	f, err := amdil.Lift(k)
	if err != nil {
		panic(err)
	}
	pipeline, err := passes.Parse("unroll{factor=2}", []*passes.Pass{unroll.Unroll})
	if err != nil {
		panic(err)
	}
	if _, err := passes.Run(&passes.Unit{Kernel: f}, pipeline, passes.Config{Numerics: passes.Bits}); err != nil {
		panic(err)
	}
	if k, err = amdil.Emit(k, f); err != nil {
		panic(err)
	}
	fmt.Printf("%s", il.Print(k))
	// Output:
	// il_ps_2_0
	// dcl_output_generic o0
	// dcl_cb cb0[2]
	// dcl_literal l0, 0, 1.0, 0, 0
	// mov r0, cb0[1]
	// mov r1.x, l0.x
	// whileloop
	// add r2.x___, r1.x, l0.y
	// ge r1._y__, r2.x, cb0[0].x
	// break_logicalnz r1.y
	// mad r0, r0, cb0[1], r1.x
	// mad r0, r0, cb0[1], r2.x
	// add r1.x___, r2.x, l0.y
	// endloop
	// whileloop
	// ge r1.y, r1.x, cb0[0].x
	// break_logicalnz r1.y
	// mad r0, r0, cb0[1], r1.x
	// add r1.x, r1.x, l0.y
	// endloop
	// mov o0, r0
	// end
}

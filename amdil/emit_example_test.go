package amdil_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
)

func ExampleEmit() {
	k, err := il.Parse("half.il", []byte(`il_ps_2_0
dcl_input_generic_interp(linear) v0
dcl_output_generic o0
dcl_literal l0, 0.5, 0.5, 0.5, 0.5
dcl_literal l1, 2.0, 2.0, 2.0, 2.0
mov r0, v0
mul r1, r0, l0 ; halves it
mul r2, r0, l1
mov o0, r1
end
`))
	if err != nil {
		panic(err)
	}
	f, err := amdil.Lift(k)
	if err != nil {
		panic(err)
	}
	pipeline, err := suite.Parse("copyprop,dce")
	if err != nil {
		panic(err)
	}
	if _, err := passes.Run(&passes.Unit{Kernel: f}, pipeline, passes.Config{}); err != nil {
		panic(err)
	}
	k, err = amdil.Emit(k, f)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s", il.Print(k))
	// Output:
	// il_ps_2_0
	// dcl_input_generic_interp(linear) v0
	// dcl_output_generic o0
	// dcl_literal l0, 0.5, 0.5, 0.5, 0.5
	// mul o0, v0, l0
	// end
}

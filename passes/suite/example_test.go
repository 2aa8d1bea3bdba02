package suite_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/vsps"
)

func Example() {
	p, err := d3d9.Parse("demo.psh", []byte(`ps_2_0
def c1, 1, 0, 0, 0
dcl v0
mov r0, c0
mul r1, v0, r0
mul r2, r1, c1.x
add r3, r2, v0
mov oC0, r2
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := vsps.Lift(p)
	if err != nil {
		fmt.Println(err)
		return
	}
	pipeline, err := suite.Parse("fold,copyprop,dce")
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := passes.Run(&passes.Unit{Name: "demo", Pixel: f}, pipeline, passes.Config{Numerics: passes.Real})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range report.Stats {
		fmt.Println(s.Stage, s.Outcome)
	}
	q, err := vsps.Emit(p, f)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(d3d9.Print(q)))
	// Output:
	// fold changed
	// copyprop changed
	// dce changed
	// ps_2_0
	// dcl v0
	// mul r1, v0, c0
	// mov oC0, r1
}

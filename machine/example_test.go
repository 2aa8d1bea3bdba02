package machine_test

import (
	"fmt"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/machine"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/sched"
	"github.com/shaderlift/shaderlift/machine/sim"
)

// From the text of a kernel to the predicted time of a launch.
func Example() {
	k, err := il.Parse("twice", []byte(`il_ps_2_0
dcl_input_position_interp(linear_noperspective) vWinCoord0.xy__
dcl_output_generic o0
dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
sample_resource(0)_sampler(0) r0, vWinCoord0.xyxx
add o0, r0, r0
end
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := amdil.Lift(k)
	if err != nil {
		fmt.Println(err)
		return
	}
	rv670, err := chip.ByName("rv670")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := machine.Compile(f, rv670, sched.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	t, err := sim.Simulate(s.Program, &sim.Launch{Width: 1024, Height: 1024, Inputs: s.Preloads()}, rv670)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d fetch, %d group, %d registers: bound by %s\n", s.Stats.Fetches, s.Stats.Groups, s.Stats.GPRs,
		t.Bottleneck)
	// Output:
	// 1 fetch, 1 group, 1 registers: bound by fetch
}

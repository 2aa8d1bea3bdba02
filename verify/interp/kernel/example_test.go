package kernel_test

import (
	"fmt"
	"log"
	"math"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

func Example() {
	k, err := il.Parse("scale.il", []byte(`il_ps_2_0
dcl_input_position_interp(linear_noperspective) vWinCoord0.xy__
dcl_output_generic o0
dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
dcl_cb cb0[1]
sample_resource(0)_sampler(0) r0, vWinCoord0.xy
mul o0, r0, cb0[0].x
end
`))
	if err != nil {
		log.Fatal(err)
	}
	p, err := kernel.Compile(k)
	if err != nil {
		log.Fatal(err)
	}
	c, err := kernel.ParseCase("case", []byte(`domain 2 1
cb 0 0 10 0 0 0
in 0 2 1 float4 data 1 2 3 4  5 6 7 8
`))
	if err != nil {
		log.Fatal(err)
	}
	r, err := p.Run(c, kernel.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, w := range r.Out[0] {
		fmt.Print(math.Float32frombits(w), " ")
	}
	// Output: 10 20 30 40 50 60 70 80
}

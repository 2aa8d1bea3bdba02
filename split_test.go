package shaderlift_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
)

const gammaKernel = `il_ps_2_0
dcl_input_position_interp(linear_noperspective) vWinCoord0.xy__
dcl_output_generic o0
dcl_cb cb0[2]
dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
dcl_literal l0, 1.0, 2.0, 0.5, 0.0
sample_resource(0)_sampler(0) r0, vWinCoord0.xy
eq r1.x, cb0[0].x, l0.x
if_logicalz r1.x
    log_vec r0, r0
    mul r0, r0, cb0[0].x
    exp_vec r0, r0
endif
mul o0, r0, cb0[1]
end
`

func ExampleSplit() {
	in := shaderlift.Input{Files: []shaderlift.File{{Name: "gamma.il", Data: []byte(gammaKernel)}}}
	s, err := shaderlift.Split(context.Background(), in, shaderlift.Options{Pipeline: "O1"}, 0)
	if err != nil {
		log.Fatal(err)
	}
	for i, k := range s.Kernels {
		fmt.Println(k.File, k.When, s.Results[i].Kernel.CurrentCost().Ops, "operations")
	}
	file := s.Choose(func(name string) uint32 { // the host's values
		return math.Float32bits(map[string]float32{"cb0[0].x": 2.2}[name])
	})
	fmt.Println("for 2.2:", file)
	// Output:
	// gamma.0.il [{0 true}] 4 operations
	// gamma.1.il [{0 false}] 16 operations
	// for 2.2: gamma.1.il
}

// TestSplit checks that a split kernel is verified and is smaller on the side with less work. A kernel
// that cannot be split gives an error.
func TestSplit(t *testing.T) {
	in := shaderlift.Input{Files: []shaderlift.File{{Name: "d/gamma.il", Data: []byte(gammaKernel)}}}
	s, err := shaderlift.Split(t.Context(), in, shaderlift.Options{Pipeline: "O1"}, 2)
	if err != nil || len(s.Kernels) != 2 || len(s.Left) > 0 || len(s.Files) != 3 {
		t.Fatalf("%+v, %v", s, err)
	}
	for i, r := range s.Results {
		if text := string(s.Files[i].Data); strings.Contains(text, "if_logical") ||
			r.Status == shaderlift.Improved && !r.Verdict().OK() {
			t.Errorf("%v\n%s", r.Verdict(), text)
		}
	}
	if string(s.Files[2].Data) != gammaKernel || s.Files[2].Name != s.Otherwise {
		t.Error("the kernel itself is not there")
	}
	text, err := s.JSON()
	if err != nil || !strings.Contains(string(text), `"otherwise": "gamma.il"`) {
		t.Errorf("%s, %v", text, err)
	}
	in.Files[0].Data = []byte(strings.ReplaceAll(gammaKernel, "eq r1.x, cb0[0].x", "eq r1.x, r0.x"))
	if _, err := shaderlift.Split(t.Context(), in, shaderlift.Options{}, 0); err == nil ||
		!strings.Contains(err.Error(), "no-condition") {
		t.Error(err)
	}
	if _, err := shaderlift.Split(t.Context(), in, shaderlift.Options{}, 1); err == nil {
		t.Error("one kernel is no splitting")
	}
}

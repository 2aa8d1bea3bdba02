package opt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/opt/input"
)

// loopKernel is a kernel whose loop has this body, with the counter r1.x.
const loopKernel = `il_ps_2_0
dcl_input_position_interp(linear_noperspective) vWinCoord0.xy__
dcl_output_generic o0
dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
dcl_resource_id(1)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
dcl_cb cb0[2]
dcl_literal l0, 0.0, 1.0, 0.5, 0.0
mov r1.x, l0.z
mov r9.x, l0.x
sample_resource(0)_sampler(0) r7.x, vWinCoord0.xy
whileloop
  ge r1.y, r1.x, cb0[0].x
  break_logicalnz r1.y
  %s
  mov r4.x, r1.x
  mov r4.y, l0.z
  sample_resource(1)_sampler(1) r5.x, r4.xy
  mad r9.x, r5.x, r3.x, r9.x
  add r1.x, r1.x, l0.y
endloop
mov o0, r9.x
end
`

// The levels find loop-invariant code and branches, and verify the result. No level did so before: the first kernel
// took twice as many cycles, and the second one four times as many.
func TestLevelsMoveInvariantCode(t *testing.T) {
	trips, err := input.ParseConstant("cb0[0].x=64")
	if err != nil {
		t.Fatal(err)
	}
	const fetch = "sample_resource(0)_sampler(0) r2.x, vWinCoord0.xy\n"
	for _, c := range []struct {
		name, body string
		limit      float64 // of the cycles of the result, as a part of the cycles of the input
		pass       string
	}{
		{"code", fetch + "sin r3.x, r2.x", 0.3, "preload"},
		{"branch", fetch + "if_logicalnz r7.x\nsin r3.x, r2.x\nelse\ncos r3.x, r2.x\nsqrt r3.x, r3.x\nendif", 0.25, "unswitch"},
		{"branch on a constant", "mov r3.x, r7.x\nif_logicalnz cb0[1].x\nsin r3.x, r4.x\nelse\nrcp r3.x, r1.x\nsqrt r3.x, r3.x\nendif", 0.8, "unswitch"},
	} {
		for _, level := range []int{2, 3} {
			o := Options{Pipeline: fmt.Sprintf("O%d", level), Host: HostOptions{Constants: []input.Constant{trips}},
				Kernel: KernelOptions{Domain: [2]int{128, 128}}}
			in := Input{Files: []File{{Name: "loop.il", Data: fmt.Appendf(nil, loopKernel, c.body)}}}
			res, err := Optimize(t.Context(), in, o)
			if err != nil {
				t.Fatal(err)
			}
			k := res.Kernel
			if part := k.After.Cycles / k.Before.Cycles; part > c.limit || !strings.Contains(res.Pipeline, c.pass) {
				t.Errorf("%s, -O%d: %.0f -> %.0f cycles by %s", c.name, level, k.Before.Cycles, k.After.Cycles, res.Pipeline)
			}
		}
	}
}

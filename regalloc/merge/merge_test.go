package merge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/regalloc/merge"
)

func TestFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{merge.Pass, cleanup.DCE}, "../../testdata/passes/merge-registers")
}

// long returns a kernel of about n instructions: a scalar chain that reads a texture every few
// instructions, with some values in one component that stay live.
func long(n int) string {
	var b strings.Builder
	b.WriteString(`il_ps_2_0
dcl_input_position_interp(linear_noperspective) vWinCoord0.xy__
dcl_output_generic o0
dcl_cb cb0[4]
dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
mov r0.x___, vWinCoord0.x
mov r1.x___, vWinCoord0.y
mov r2.x___, vWinCoord0.x
mov r3.x___, vWinCoord0.y
`)
	for k := 0; k < n; k += 6 {
		fmt.Fprintf(&b, `add r4.x___, r0.x, cb0[%d].x
add r5.x___, r1.x, cb0[%d].y
sample_resource(0)_sampler(0) r6.xy__, r4.xxxx
mad r0.x___, r6.x, r5.x, r0.x
mad r1.x___, r6.y, r4.x, r1.x
mul r%d.x___, r0.x, r1.x
`, k%4, (k+1)%4, 2+k/6%2)
	}
	b.WriteString("add r0.x___, r0.x, r1.x\nadd r2.x___, r2.x, r3.x\nadd o0, r0.xxxx, r2.xxxx\nend\n")
	return b.String()
}

func BenchmarkMerge(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			k, err := il.Parse("long.il", []byte(long(n)))
			if err != nil {
				b.Fatal(err)
			}
			s := &passtest.Source{Name: "long", Kernel: k}
			u, err := s.Lift()
			if err != nil {
				b.Fatal(err)
			}
			pipeline := passes.Pipeline{{Pass: merge.Pass}}
			for b.Loop() {
				b.StopTimer()
				v := u.Clone()
				b.StartTimer()
				if r, err := passes.Run(v, pipeline, passes.Config{Measure: unpriced}); err != nil || r.Steps > 0 {
					b.Fatal(r, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/instr")
		})
	}
}

// unpriced gives every program the same cost, so that each attempt is tried once. The benchmark
// then measures the pass, not emission and the machine model.
func unpriced(*passes.Unit) (passes.Cost, error) { return passes.Cost{}, nil }

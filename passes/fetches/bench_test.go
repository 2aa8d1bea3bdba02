package fetches_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/fetches"
)

// straight returns a kernel of about n instructions: fetches from two resources, and sums of their results.
// Coordinates grow by a literal from one fetch to the next.
func straight(b *testing.B, n int) *passes.Unit {
	var s strings.Builder
	s.WriteString(`il_ps_2_0
dcl_input_generic_interp(linear) v0
dcl_output_generic o0
dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
dcl_resource_id(1)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
dcl_literal l0, 1.0, 2.0, 3.0, 4.0
mov r0, v0
mov r1, v0
`)
	for i := range n / 4 {
		fmt.Fprintf(&s, "add r1, r1, l0.x\nmul r2.z, r1.z, r1.w\nsample_resource(%d)_sampler(0) r3, r1.xy\nadd r0, r0, r3\n", i%2)
	}
	s.WriteString("mov o0, r0\nend\n")
	k, err := il.Parse("straight", []byte(s.String()))
	if err != nil {
		b.Fatal(err)
	}
	f, err := amdil.Lift(k)
	if err != nil {
		b.Fatal(err)
	}
	return &passes.Unit{Kernel: f}
}

// The time per instruction should grow little.
func BenchmarkGroup(b *testing.B) {
	for _, settings := range []passes.Setting{{Name: "window", Value: "all"}, {Name: "window", Value: "16"}} {
		for _, n := range []int{100, 1_000, 10_000} {
			b.Run(fmt.Sprintf("%s=%s/%d", settings.Name, settings.Value, n), func(b *testing.B) {
				u := straight(b, n)
				p := passes.Pipeline{{Pass: fetches.Group, Settings: []passes.Setting{settings}}}
				for b.Loop() {
					if _, err := passes.Run(u.Clone(), p, passes.Config{}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/instruction")
			})
		}
	}
}

package unroll_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
)

// fortyInstructions is a loop of that size: fetches, their coordinates and products.
func fortyInstructions(b *testing.B) *passes.Unit {
	var s strings.Builder
	s.WriteString(`il_ps_2_0
dcl_input_generic_interp(linear) v0
dcl_output_generic o0
dcl_cb cb0[1]
dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
dcl_literal l0, 0, 1, 1.0, 2.0
mov r0, v0
mov r1, v0
mov r2.x, l0.x
whileloop
ige r2.y, r2.x, cb0[0].x
break_logicalnz r2.y
iadd r2.x, r2.x, l0.y
add r1, r1, l0.z
`)
	for i := range 9 {
		fmt.Fprintf(&s, "add r3, r1, l0.w\nsample_resource(0)_sampler(0) r%d, r3.xy\nmul r4, r%d, v0\nmad r0, r4, v0, r0\n", 5+i, 5+i)
	}
	s.WriteString("endloop\nmov o0, r0\nend\n")
	k, err := il.Parse("forty", []byte(s.String()))
	if err != nil {
		b.Fatal(err)
	}
	f, err := amdil.Lift(k)
	if err != nil {
		b.Fatal(err)
	}
	return &passes.Unit{Kernel: f}
}

// What a pass costs on the loop unrolled by some factors: time for each trip should
// grow little.
func BenchmarkUnrolled(b *testing.B) {
	for _, factor := range []int{8, 64} {
		for _, pipeline := range []string{"", "break-deps", "break-deps{sums=4}", "group-fetches{window=16}", "group-fetches", "O2"} {
			b.Run(fmt.Sprintf("%d/%s", factor, pipeline), func(b *testing.B) {
				u := fortyInstructions(b)
				src := fmt.Sprintf("unroll{factor=%d}", factor)
				p, err := suite.Parse(src)
				if err != nil {
					b.Fatal(err)
				}
				var rest passes.Pipeline
				if pipeline == "O2" {
					rest, err = suite.KernelLevel(2)
				} else {
					rest, err = suite.Parse(pipeline)
				}
				if err != nil {
					b.Fatal(err)
				}
				if pipeline != "" {
					if _, err := passes.Run(u, p, passes.Config{Numerics: passes.Real}); err != nil {
						b.Fatal(err)
					}
					p = rest
				}
				for b.Loop() {
					if _, err := passes.Run(u.Clone(), p, passes.Config{Numerics: passes.Real}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*factor), "us/trip")
			})
		}
	}
}

package unroll_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
)

// fortyInstructions returns a loop of forty instructions: fetches, their coordinates and products.
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
		fmt.Fprintf(&s, "add r3, r1, l0.w\nsample_resource(0)_sampler(0) r%d, r3.xy\nmul r4, r%d, v0\nmad r0, r4, v0, r0\n",
			5+i, 5+i)
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

// size returns the number of instructions of u.
func size(u *passes.Unit) (n int) {
	u.Kernel.Walk(func(*ir.Instr) { n++ })
	return n
}

// BenchmarkUnroll unrolls the loop by several factors and runs each pass of the standard pipeline
// on the result. The time for an instruction should grow little.
func BenchmarkUnroll(b *testing.B) {
	cfg := passes.Config{Numerics: passes.Real}
	rest, err := suite.KernelLevel(2)
	if err != nil {
		b.Fatal(err)
	}
	for _, factor := range []int{4, 16, 64} {
		u := fortyInstructions(b)
		p, err := suite.Parse(fmt.Sprintf("unroll{factor=%d}", factor))
		if err != nil {
			b.Fatal(err)
		}
		for i, stage := range append(p, rest...) {
			if i > 0 && stage.Pass.Name == "unroll" {
				continue
			}
			one := passes.Pipeline{stage}
			after := u.Clone()
			if _, err := passes.Run(after, one, cfg); err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%d/%02d-%s", factor, i, stage.Pass.Name), func(b *testing.B) {
				for b.Loop() {
					if _, err := passes.Run(u.Clone(), one, cfg); err != nil {
						b.Fatal(err)
					}
				}
				n := max(size(u), size(after))
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/instr")
			})
			u = after
		}
	}
}

package verify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/gen/ilgen"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify/internal/proof"
	"github.com/shaderlift/shaderlift/verify/internal/walk"
)

// reportPer reports the time per statement.
func reportPer(b *testing.B, k *il.Kernel) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(k.Insts)), "ns/stmt")
}

// BenchmarkKernel checks kernels against versions that the proof by terms has to prove: those of the
// project and of the corpus, and random ones of growing length.
func BenchmarkKernel(b *testing.B) {
	wanted := map[string]bool{"pldi_final.il": true, "caldgemm_tB.il": true, "grvk_seascape.il": true,
		"grvk_e1m1.il": true}
	list := readKernels(b)
	for _, n := range []int{100, 1000, 10000} {
		list = append(list, namedKernel{fmt.Sprintf("random%d", n), ilgen.Kernel(1, ilgen.Options{Size: n, Straight: true})})
	}
	for _, c := range list {
		after, n := editedKernel(c.k, commuted)
		if n == 0 || !wanted[c.name] && c.name[:3] != "ran" {
			continue
		}
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if r := CheckKernel(c.k, after, Options{Numerics: Real}); r.Verdict != Proved {
					b.Fatal(r)
				}
			}
			reportPer(b, c.k)
		})
	}
}

// BenchmarkKernelProof measures the symbolic part of these checks: the proofs by terms and field.
func BenchmarkKernelProof(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		k := ilgen.Kernel(1, ilgen.Options{Size: n, Straight: true})
		after, _ := editedKernel(k, commuted)
		for _, method := range []string{"terms", "field"} {
			b.Run(fmt.Sprintf("%s/%d", method, n), func(b *testing.B) {
				c := &kernelChecker{before: k, after: after}
				if err := c.liftKernels(); err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					if method == "terms" {
						if d, err := proof.Terms(c.sides[0], c.sides[1]); d != nil || err != nil {
							b.Fatal(d, err)
						}
					} else if r := proof.FieldUnder(c.sides[0], c.sides[1], walk.Options{}, 1, 1); r.Outcome == proof.Different {
						b.Fatal(r)
					}
				}
				reportPer(b, k)
			})
		}
	}
}

// BenchmarkUnrolled measures the symbolic comparison of a loop of forty instructions with unrolled copies.
// The time per copy should grow little.
func BenchmarkUnrolled(b *testing.B) {
	var s strings.Builder
	s.WriteString("mov r0, v0; mov r1, v1; mov r2.x, l0.x; whileloop; ige r2.y, r2.x, cb0[0].x; break_logicalnz r2.y; iadd r2.x, r2.x, l0.y; add r1, r1, l2.y;")
	for i := range 9 {
		fmt.Fprintf(&s, "add r3, r1, l2.z; sample_resource(0)_sampler(0) r%d, r3.xy; mul r4, r%d, v0; mad r0, r4, v0, r0;",
			5+i, 5+i)
	}
	s.WriteString("endloop; mov o0, r0")
	k := parseKernel(b, psKernel(s.String()))
	for _, factor := range []int{4, 16, 64} {
		for _, src := range []string{"unroll{factor=%d}", "unroll{factor=%d},break-deps"} {
			src = fmt.Sprintf(src, factor)
			b.Run(src, func(b *testing.B) {
				after := pipeline(b, k, src, passes.Real)
				for b.Loop() {
					c := &kernelChecker{comparison: comparison{Options: Options{Numerics: Real}}, before: k, after: after}
					if c.prove(c.liftKernels()); c.terms.diff != nil && c.field.Outcome != proof.Equal {
						b.Fatal("not proved")
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*factor), "us/copy")
			})
		}
	}
}

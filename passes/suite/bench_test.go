package suite_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
)

// straight returns a straight-line program of n instructions with moves, repetitions and dead code.
func straight(tb testing.TB, n int) *passtest.Source {
	tb.Helper()
	rnd := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("ps_3_0\ndef c8, 0, 1, 2, 3\ndcl_color v0\n")
	for i := range 8 {
		fmt.Fprintf(&b, "mov r%d, v0\n", i)
	}
	masks := []string{"", ".x", ".xyz", ".zw"}
	for range n {
		d, s, u, c := rnd.IntN(8), rnd.IntN(8), rnd.IntN(8), rnd.IntN(9)
		mask := masks[rnd.IntN(len(masks))]
		switch rnd.IntN(5) {
		case 0:
			fmt.Fprintf(&b, "mov r%d%s, r%d\n", d, mask, s)
		case 1:
			fmt.Fprintf(&b, "mov r%d%s, c%d.x\n", d, mask, c)
		case 2:
			fmt.Fprintf(&b, "mul r%d%s, r%d, c%d\n", d, mask, s, c)
		case 3:
			fmt.Fprintf(&b, "add r%d%s, r%d, -r%d\n", d, mask, s, u)
		case 4:
			fmt.Fprintf(&b, "mad r%d%s, r%d, r%d, c%d\n", d, mask, s, u, c)
		}
	}
	b.WriteString("mov oC0, r0\n")
	p, err := d3d9.Parse("straight", []byte(b.String()))
	if err != nil {
		tb.Fatal(err)
	}
	return &passtest.Source{Name: "straight", Pixel: p}
}

var alone = []string{"dce", "copyprop", "fold", "gvn", "gvn{mixed=true}"}

func BenchmarkStraight(b *testing.B) {
	for _, src := range alone {
		p, err := suite.Parse(src)
		if err != nil {
			b.Fatal(err)
		}
		for _, n := range []int{100, 1000, 10000} {
			b.Run(fmt.Sprintf("%s/%d", src, n), func(b *testing.B) {
				u, err := straight(b, n).Lift()
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					if _, err := passes.Run(u.Clone(), p, passes.Config{Numerics: passes.Real}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/inst")
			})
		}
	}
}

// One iteration runs a pipeline over the whole corpus, including emission for pricing.
func BenchmarkCorpus(b *testing.B) {
	var sources []*passtest.Source
	passtest.Corpus(b, func(s *passtest.Source) { sources = append(sources, s) })
	pipelines := map[string]passes.Pipeline{}
	names := append(append([]string(nil), alone...), "-O1", "-O2")
	for _, src := range alone {
		pipelines[src], _ = suite.Parse(src)
	}
	pipelines["-O1"], _ = suite.Level(1)
	pipelines["-O2"], _ = suite.Level(2)
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, s := range sources {
					u, err := s.Lift()
					if err != nil {
						b.Fatal(err)
					}
					if _, err := passes.Run(u, pipelines[name], passes.Config{Numerics: passes.Real, Measure: s.Measure}); err != nil {
						b.Log(err)
					}
				}
			}
		})
	}
}

package verify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/internal/proof"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/walk"
)

// synthetic returns a pixel program of n instructions and a version with every other sum and product
// commuted.
func synthetic(b *testing.B, n int) (before, after *walk.Observation) {
	ops := []string{"mul", "add", "mad", "dp3", "max", "mul"}
	var text [2]strings.Builder
	r := symbolic.Stream(1)
	for i := range text {
		text[i].WriteString("ps_3_0\ndcl_texcoord v0\ndcl_texcoord1 v1\ndcl_2d s0\n")
		for k := range 8 {
			fmt.Fprintf(&text[i], "mov r%d, v%d\n", k, k%2)
		}
	}
	for i := range n {
		op := ops[pick(&r, len(ops))]
		d, x, y, z := pick(&r, 8), pick(&r, 8), pick(&r, 8), pick(&r, 8)
		third := ""
		if op == "mad" {
			third = fmt.Sprintf(", r%d", z)
		}
		if i%12 == 0 {
			op = "texld"
		}
		for side := range text {
			switch {
			case op == "texld":
				fmt.Fprintf(&text[side], "texld r%d, r%d, s0\n", d, x)
			case side == 1 && i%2 == 0 && op != "max":
				fmt.Fprintf(&text[side], "%s r%d, r%d, r%d%s\n", op, d, y, x, third)
			default:
				fmt.Fprintf(&text[side], "%s r%d, r%d, r%d%s\n", op, d, x, y, third)
			}
		}
	}
	var obs [2]*walk.Observation
	for i := range text {
		text[i].WriteString("mul r0, r0, r1\nmad r2, r2, r3, r4\nmad r5, r5, r6, r7\nadd r0, r0, r2\nadd oC0, r0, r5\n")
		p, err := d3d9.Parse("synthetic", []byte(text[i].String()))
		if err != nil {
			b.Fatal(err)
		}
		prog, err := walk.Lift(p, nil, nil, nil)
		if err != nil {
			b.Fatal(err)
		}
		obs[i] = walk.Observe(walk.Side{Pixel: prog})
	}
	return obs[0], obs[1]
}

func BenchmarkTerms(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x, y := synthetic(b, n)
			b.ReportAllocs()
			for b.Loop() {
				if d, err := proof.Terms(x, y); d != nil || err != nil {
					b.Fatal(d, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*2*n), "ns/instr")
		})
	}
}

func BenchmarkField(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x, y := synthetic(b, n)
			b.ReportAllocs()
			for b.Loop() {
				// Long chains of products have a high degree, so the error probability is ignored.
				if r := proof.FieldUnder(x, y, walk.Options{}, 1, 1); r.Outcome == proof.Different {
					b.Fatal(r)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*2*n), "ns/instr")
		})
	}
}

// BenchmarkPair checks pairs of the corpus against versions that a proof by terms or field has to
// prove.
func BenchmarkPair(b *testing.B) {
	pairs := corpusPairs(b, 4)
	for name, change := range map[string]func(*d3d9.Program) (*d3d9.Program, int){"terms": commute, "field": split} {
		b.Run(name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				p := pairs[n%len(pairs)]
				n++
				ps, _ := change(p.Pixel)
				Check(p.Pair, Pair{Vertex: p.Vertex, Pixel: ps}, Options{Numerics: Real})
			}
		})
	}
}

// BenchmarkProof measures the symbolic part of a check: the form check, and the proofs by terms and field.
func BenchmarkProof(b *testing.B) {
	pairs := corpusPairs(b, 4)
	var split2 []Pair
	for _, p := range pairs {
		ps, _ := split(p.Pixel)
		split2 = append(split2, Pair{Vertex: p.Vertex, Pixel: ps})
	}
	n := 0
	for b.Loop() {
		k := n % len(pairs)
		n++
		c := &checker{comparison: comparison{Options: Options{Numerics: Real}}, before: pairs[k].Pair, after: split2[k]}
		if err := c.compareInterfaces(); err != nil {
			b.Fatal(err)
		}
		c.prove(c.liftPrograms())
	}
}

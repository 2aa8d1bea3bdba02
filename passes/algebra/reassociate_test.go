package algebra_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/algebra"
	"github.com/shaderlift/shaderlift/verify"
)

// polynomial returns a program that adds random products, some of them dot products, with few different factors.
func polynomial(rnd *rand.Rand) string {
	var b strings.Builder
	b.WriteString("ps_3_0\ndef c2, 2, 0.5, 3, -1\ndcl_texcoord0 v0\ndcl_texcoord1 v1\n" +
		"mov r0, v0\nmov r1, v1\nmov r2, v0.wzyx\n")
	pick := func(words ...string) string { return words[rnd.IntN(len(words))] }
	value := func() string {
		return pick("", "-") + pick("r0", "r1", "r2", "r0.x", "r1.y", "c0", "c0.x", "c2.x", "c2")
	}
	fmt.Fprintf(&b, "mul r3, r0, %s\n", value())
	for range 2 + rnd.IntN(4) {
		switch rnd.IntN(5) {
		case 0:
			fmt.Fprintf(&b, "dp%d r4, %s, c1\nmad r3, r4, %s, r3\n", 3+rnd.IntN(2), pick("r0", "r1", "-r2"),
				pick("r0.x", "c0.y", "c2.x"))
		case 1:
			fmt.Fprintf(&b, "mul r4, %s, %s\nmad r3, r4, %s, r3\n", pick("r0", "r1"), value(), value())
		case 2:
			fmt.Fprintf(&b, "mul r3, r3, %s\n", value())
		case 3:
			fmt.Fprintf(&b, "lrp r4, %s, r3, r1\nmov r3, r4\n", pick("r0.x", "c0.x", "c2.y"))
		default:
			fmt.Fprintf(&b, "mad r3, %s, %s, r3\n", pick("r0", "r1", "-r2", "r2.y"), value())
		}
	}
	b.WriteString("mov oC0, r3\n")
	return b.String()
}

// Reassociate keeps the value of random polynomials, and saves slots.
func TestReassociateRandom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 35))
	pipeline := passes.Pipeline{{Pass: algebra.Reassociate}}
	changed, refused := 0, 0
	for range 400 {
		src := polynomial(rnd)
		in, err := d3d9.Parse("random", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		s := &passtest.Source{Name: "random", Pixel: in}
		u, err := s.Lift()
		if err != nil {
			t.Fatal(err)
		}
		report, err := passes.Run(u, pipeline, passes.Config{Numerics: passes.Real, Measure: s.Measure})
		if err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		if report.Steps == 0 {
			continue
		}
		changed++
		out, err := s.Emit(u)
		if err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		v := verify.Check(verify.Pair{Pixel: in}, verify.Pair{Pixel: out.Pixel}, verify.Options{Numerics: verify.Real})
		switch {
		case v.Verdict == verify.Refuted:
			t.Errorf("%s\n%s\n%s", v.Why, src, d3d9.Print(out.Pixel))
		case v.Verdict < verify.ProvedReal:
			refused++
		}
		if !report.After.Less(report.Before) {
			t.Errorf("costs %v, was %v:\n%s", report.After, report.Before, src)
		}
	}
	if changed < 50 || refused > changed/10 {
		t.Errorf("%d of 400 programs are rewritten, and %d of them are not proved", changed, refused)
	}
	t.Logf("%d of 400 programs rewritten, %d not proved", changed, refused)
}

// A gamma correction of a product uses one logarithm for the factor that all lanes share. The default effort of
// verification proves it, clamp included.
func TestReassociateGamma(t *testing.T) {
	src := `ps_3_0
def c1, 2.2, 0.45454547, 0.12, 0
dcl_texcoord v0.xy
dcl_texcoord1 v1.xyz
dcl_2d s0
texld r1, v0, s0
dp3_sat r0.x, v1, v1
add r0.x, r0.x, c1.z
log r1.x, r1_abs.x
log r1.y, r1_abs.y
log r1.z, r1_abs.z
mul r1.xyz, r1, c1.x
exp r1.x, r1.x
exp r1.y, r1.y
exp r1.z, r1.z
mul r0.xyz, r0.x, r1
log r1.x, r0.x
log r1.y, r0.y
log r1.z, r0.z
mul r0.xyz, r1, c1.y
exp oC0.x, r0.x
exp oC0.y, r0.y
exp oC0.z, r0.z
mov oC0.w, r1.w
`
	in := shaderlift.Input{Files: []shaderlift.File{{Name: "gamma.psh", Data: []byte(src)}}}
	res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{Target: shaderlift.SlotTarget})
	if err != nil {
		t.Fatal(err)
	}
	if s := res.Stages[0]; s.Before.Slots != 19 || s.After.Slots > 13 {
		t.Errorf("%d -> %d slots, want 19 -> 13", s.Before.Slots, s.After.Slots)
	}
}

// TestSquares checks that a chain of squares ends: written out, 40 of them have 2^40 factors.
func TestSquares(t *testing.T) {
	text := "ps_3_0\ndef c0, 0.5, 3, 0, 0\ndcl_texcoord0 v0\nmul r0, v0, c0.x\nmul r0, r0, c0.y\n" +
		strings.Repeat("mul r0, r0, r0\n", 40) + "mov oC0, r0\n"
	in := shaderlift.Input{Files: []shaderlift.File{{Name: "squares.psh", Data: []byte(text)}}}
	if _, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{Pipeline: "reassociate", Require: verify.Tested}); err != nil {
		t.Error(err)
	}
}

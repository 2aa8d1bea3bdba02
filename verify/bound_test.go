package verify

import (
	"math"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

func pixelProgram(t *testing.T, code string) Pair {
	t.Helper()
	p, err := d3d9.Parse("test", []byte(strings.ReplaceAll(code, "; ", "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return Pair{Pixel: p}
}

// TestBounded checks that nearly equal versions over the reals get the verdict Bounded under Approx.
func TestBounded(t *testing.T) {
	t.Parallel()
	const head = "ps_3_0; def c1, 0.5, 1, 4, 0; dcl_texcoord v0; dcl_2d s0; "
	third, about := "def c0, 0.33333334, 0, 0, 0; ", "def c0, 0.3333, 0, 0, 0; "
	for _, c := range []struct {
		name, before, after string
		want                bool
	}{
		{"a literal rounded", third + "mul oC0, v0, c0.x", about + "mul oC0, v0, c0.x", true},
		{"another literal", third + "mul oC0, v0, c0.x", "def c0, 0.34, 0, 0, 0; mul oC0, v0, c0.x", false},
		{"rounded, then amplified", third + "mul r0, v0, c0.x; rcp oC0, r0.x", about + "mul r0, v0, c0.x; rcp oC0, r0.x",
			false},
		{"rounded in a branch", third + "mov r0, v0; if_gt v0.x, c1.x; mul r0, r0, c0.x; endif; mov oC0, r0",
			about + "mov r0, v0; if_gt v0.x, c1.x; mul r0, r0, c0.x; endif; mov oC0, r0", true},
		{"rounded in a condition", third + "mov r0, v0; if_gt v0.x, c0.x; mul r0, r0, c1.x; endif; mov oC0, r0",
			about + "mov r0, v0; if_gt v0.x, c0.x; mul r0, r0, c1.x; endif; mov oC0, r0", false},
		{"rounded in a coordinate", third + "mul r0, v0, c0.x; texld oC0, r0, s0",
			about + "mul r0, v0, c0.x; texld oC0, r0, s0", false},
		{"rounded in what kills", third + "add r0, v0, c0.x; texkill r0; mov oC0, v0",
			about + "add r0, v0, c0.x; texkill r0; mov oC0, v0", false},
		{"the same in what kills", third + "texkill v0; mul oC0, v0, c0.x", about + "texkill v0; mul oC0, v0, c0.x", true},
		{"partial precision", third + "mul oC0, v0, c0.x", about + "mul_pp oC0, v0, c0.x", false},
		{"a power of a rounded one", third + "mul r0, v0, c0.x; pow r1.x, r0.x, c1.z; mov oC0, r1.x",
			about + "mul r0, v0, c0.x; mul r0, r0, r0; mul r0, r0, r0; mov oC0, r0.x", true},
		{"another power of it", third + "mul r0, v0, c0.x; pow r1.x, r0.x, c1.z; mov oC0, r1.x",
			about + "mul r0, v0, c0.x; mul r0, r0, r0; mov oC0, r0.x", false},
		{"a fetch moved into a branch", third +
			"texld r1, v0, s0; mul r0, v0, c0.x; if_gt v0.x, c1.x; mov r0, r1; endif; mov oC0, r0",
			about + "mul r0, v0, c0.x; if_gt v0.x, c1.x; texld r0, v0, s0; endif; mov oC0, r0", false},
		{"a derivative moved into a branch", third +
			"dsx r1, v0; mul r0, v0, c0.x; if_gt v0.x, c1.x; mov r0, r1; endif; mov oC0, r0",
			about + "mul r0, v0, c0.x; if_gt v0.x, c1.x; dsx r0, v0; endif; mov oC0, r0", false},
		{"a fetch that stays in a branch", third + "mul r0, v0, c0.x; if b0; texld r0, v0, s0; endif; mov oC0, r0",
			about + "mul r0, v0, c0.x; if b0; texld r0, v0, s0; endif; mov oC0, r0", true},
		{"killed in the other branch", third + "mul r0, v0, c0.x; if_eq v0.x, c1.x; texkill v0; endif; mov oC0, r0",
			about + "mul r0, v0, c0.x; if_eq v0.x, c1.x; else; texkill v0; endif; mov oC0, r0", false},
		{"a sign", third + "mul oC0, v0, c0.x", about + "mul oC0, v0, -c0.x", false},
		{"another input", third + "mul oC0, v0, c0.x", about + "mul oC0, v0.yxzw, c0.x", false},
	} {
		before, after := pixelProgram(t, head+c.before), pixelProgram(t, head+c.after)
		r := Check(before, after, Options{Numerics: Approx, Brief: !long})
		if (r.Verdict == Bounded) != c.want || r.Verdict > Bounded {
			t.Errorf("%s: %s (%s)", c.name, r.Verdict, r.Why)
		}
		if r := Check(before, after, Options{Numerics: Real, Brief: !long}); r.Verdict.OK() {
			t.Errorf("%s: %s where only roundings may differ", c.name, r.Verdict)
		}
		if !c.want {
			continue
		}
		b, err := Bound(before, after, Bounded, Options{})
		if err != nil || !b.Finite() || b.Apart <= 0 || b.Difference < b.Apart || math.IsInf(b.Difference, 1) {
			t.Errorf("%s: bound %+v, %v", c.name, b, err)
		}
	}
}

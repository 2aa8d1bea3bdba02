package verify

import (
	"fmt"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/draws"
)

// The tests of this file check that the proofs by terms and field interpret an instruction as the interpreter
// does. Otherwise a right rewrite could be refuted.

// TestTripsOutOfRange checks that a rewrite may move a trip count into its range. It may not move one out of
// it, even if the number of trips stays the same.
func TestTripsOutOfRange(t *testing.T) {
	repeated := func(n int) string {
		return vs(fmt.Sprintf("defi i0, %d, 0, 0, 0; mov oPos, v0; mov r0, v1; rep i0; add r0, r0, v2; endrep; mov oT0, r0",
			n))
	}
	for _, c := range []struct {
		trips, as int
		want      Verdict
	}{{300, 255, Proved}, {255, 300, Unknown}, {-3, 0, Proved}, {1 << 30, 255, Proved}, {300, 254, Refuted},
		{-3, 1, Refuted}, {256, 0, Refuted}} {
		r := Check(pairOf(t, repeated(c.trips), ""), pairOf(t, repeated(c.as), ""), Options{Numerics: Real})
		if r.Verdict != c.want {
			t.Errorf("%d trips as %d: %s %s", c.trips, c.as, r.Verdict, r.Why)
		}
	}
	counted := func(start, step int) string {
		return vs(fmt.Sprintf("defi i0, 2, %d, %d, 0; mov oPos, v0; mov r0, v1; loop aL, i0; mul r0, r0, c[aL]; endloop; mov oT0, r0", start, step))
	}
	read := func(first, second int) string {
		return vs(fmt.Sprintf("mov oPos, v0; mul r0, v1, c%d; mul oT0, r0, c%d", first, second))
	}
	for _, c := range []struct {
		start, step, first, second int
		want                       Verdict
	}{{3, 2, 3, 5, Proved}, {-7, 3, 0, 3, Proved}, {5, 200, 5, 132, Proved}, {300, -999, 255, 127, Proved},
		{300, -1, 255, 253, Refuted}} {
		r := Check(pairOf(t, counted(c.start, c.step), ""), pairOf(t, read(c.first, c.second), ""), Options{Numerics: Real})
		if r.Verdict != c.want {
			t.Errorf("a counter from %d by %d: %s %s", c.start, c.step, r.Verdict, r.Why)
		}
	}
}

// TestCountOfPartlyKnownLoop checks that a known trip count does not make the start and step of a loop known.
func TestCountOfPartlyKnownLoop(t *testing.T) {
	known := []draws.KnownConstant{{Stage: d3d9.Vertex, Reg: ir.Reg{File: ir.File(d3d9.ConstInt)}, Bits: 2}}
	before := vs("mov oPos, v0; mov r0, v1; loop aL, i0; mul r0, r0, c[aL + 4]; endloop; mov oT0, r0")
	after := vs("mov oPos, v0; mul r0, v1, c4; mul oT0, r0, c4")
	if r := Check(pairOf(t, before, ""), pairOf(t, after, ""), Options{Numerics: Real, Constants: known}); r.Verdict.OK() {
		t.Errorf("%s %v", r.Verdict, r.Methods)
	}
}

// TestOutputsByMeaning checks that outputs are compared by semantic, because models name registers
// differently.
func TestOutputsByMeaning(t *testing.T) {
	old := "vs_2_0; dcl_position v0; dcl_texcoord v1; mov oPos, v0; mov oT0, v1; mov oD0, v1; mov oFog, v1.x"
	modern := "vs_3_0; dcl_position v0; dcl_texcoord v1; dcl_position o4; dcl_texcoord o1; dcl_color o2; dcl_fog o3.x; mov o4, v0; mov o1, v1; mov o2, v1; mov o3.x, v1.x"
	if r := Check(pairOf(t, old, ""), pairOf(t, modern, ""), Options{Numerics: Terms}); r.Verdict == Refuted {
		t.Errorf("%s", r.Why)
	}
	wrong := "vs_3_0; dcl_position v0; dcl_texcoord v1; dcl_position o4; dcl_texcoord o1; dcl_color o2; dcl_fog o3.x; mov o4, v0.yxzw; mov o1, v1; mov o2, v1; mov o3.x, v1.x"
	if r := Check(pairOf(t, old, ""), pairOf(t, wrong, ""), Options{Numerics: Terms}); r.Verdict.OK() {
		t.Errorf("exchanged components: %s", r.Verdict)
	}
}

// TestClampedColours checks that colours below 3_0 equal those that a vertex program of 3_0 clamps.
func TestClampedColours(t *testing.T) {
	const pixel = "dcl_2d s0; texld r0, %s, s0; mul r0, r0, %s; mov oC0, r0"
	old := [2]string{"vs_2_0; dcl_position v0; dcl_texcoord v1; mov oPos, v0; mov oT0, v1; mul oD1, v1, c4",
		"ps_2_0; dcl t0; dcl v1; " + fmt.Sprintf(pixel, "t0", "v1")}
	modern := func(mul string) [2]string {
		return [2]string{"vs_3_0; dcl_position v0; dcl_texcoord v1; dcl_position o0; dcl_texcoord o1; dcl_color1 o2; mov o0, v0; mov o1, v1; " + mul + " o2, v1, c4",
			"ps_3_0; dcl_texcoord v3; dcl_color1 v2; " + fmt.Sprintf(pixel, "v3", "v2")}
	}
	for _, c := range []struct {
		name          string
		before, after [2]string
		want          Verdict
	}{
		{"clamped", modern("mul_sat"), old, ProvedReal},
		{"and back", old, modern("mul_sat"), ProvedReal},
		{"not clamped", modern("mul"), old, Refuted},
		{"no longer", old, modern("mul"), Refuted},
	} {
		if r := Check(pairOf(t, c.before[0], c.before[1]), pairOf(t, c.after[0], c.after[1]),
			Options{Numerics: Real}); r.Verdict != c.want && !(c.want == ProvedReal && r.Verdict == Proved) {
			t.Errorf("%s: %s, not %s: %s", c.name, r.Verdict, c.want, r.Why)
		}
	}
	lone := [2]string{"", "ps_2_0; dcl v0; mul r0, v0, c0; mov oC0, r0"}
	if r := Check(pairOf(t, lone[0], lone[1]), pairOf(t, "", "ps_3_0; dcl_color v0; mul oC0, v0, c0"),
		Options{Numerics: Real}); r.Verdict.OK() {
		t.Errorf("without a vertex program it is %s", r.Verdict)
	}
}

// TestConvertedNaN checks that an operation returns one canonical NaN, whichever NaN it gets.
func TestConvertedNaN(t *testing.T) {
	kernel := func(body string) string {
		return "il_ps_2_0; dcl_output_generic o0; dcl_literal l0, 0x7fc12345, 0xffc00000, 0x7f800001, 0; dcl_literal l1, 0, 0x7ff80000, 0, 0x7ff80000; dcl_literal l2, 0xa0000000, 0x7ff82468, 0, 0xfff80000; " + body + "; end"
	}
	for _, c := range []struct {
		name, before, after string
		want                Verdict
	}{
		{"folded", "f2d r0, l0.xy; mov o0, r0", "mov o0, l1", Proved},
		{"folded from another", "f2d r0, l0.zz; mov o0, r0", "mov o0, l1", Proved},
		{"with its payload", "f2d r0, l0.xy; mov o0, r0", "mov o0, l2", Refuted},
		{"moved with its payload", "mov r0, l0; mov o0, r0", "mov o0, l0", Proved},
	} {
		r := CheckKernel(parseKernel(t, kernel(c.before)), parseKernel(t, kernel(c.after)), Options{Numerics: Real})
		if r.Verdict != c.want {
			t.Errorf("%s: %s %s", c.name, r.Verdict, r.Why)
		}
	}
}

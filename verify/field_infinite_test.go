package verify

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/verify/internal/proof"
)

// TestInfinitiesOfConstants checks infinities and NaNs that constants make. Multiplied by zero, or subtracted
// from themselves, they leave no trace in a field, but executions show them.
func TestInfinitiesOfConstants(t *testing.T) {
	const head = "ps_3_0; def c20, 0, 1, -1, 3e38; def c21, 200, 2, 0.5, -0; def c22, 4e-39, 0, 0, 0; dcl_texcoord v0; dcl_texcoord1 v1; mov r0, v0; mov r1, v1; "
	for _, c := range []struct{ name, before, after string }{
		{"reciprocal of what may be flushed to zero", "mov oC0, r0", "rcp r2, c22.x; mad oC0, r2.x, c20.x, r0"},
		{"reciprocal of zero", "mov oC0, r0", "rcp r2, c20.x; mad oC0, r2.x, c20.x, r0"},
		{"reciprocal of minus zero", "mov oC0, r0", "rcp r2, -c20.x; mad oC0, r2.x, c20.x, r0"},
		{"root of zero", "mov oC0, r0", "rsq r2, c20.x; mad oC0, r2.x, c20.x, r0"},
		{"logarithm of zero", "mov oC0, r0", "log r2, c20.x; mad oC0, r2.x, c20.x, r0"},
		{"power of zero", "mov oC0, r0", "pow r2, c20.x, c20.z; mad oC0, r2.x, c20.x, r0"},
		{"too large a power", "mov oC0, r0", "exp r2, c21.x; mad oC0, r2.x, c20.x, r0"},
		{"no vector", "mov oC0, r0", "mov r2, c20.x; nrm r3, r2; mad oC0, r3, c20.x, r0"},
		{"literals that overflow", "mul oC0, r0, c20.y", "mul r2, c20.w, c20.w; mul r3, r2, c20.x; add oC0, r0, r3"},
		{"sum that overflows", "mov oC0, r0", "add r2, c20.w, c20.w; mad oC0, r2, c20.x, r0"},
		{"what is zero for all inputs", "mov oC0, r0", "add r2, r0, -r0; rcp r3, r2.x; mad oC0, r3.x, c20.x, r0"},
		{"less itself", "mov oC0, r0", "rcp r2, c20.x; mov r3, c20.x; rcp r3, r3.x; add r2, r2, -r3; add oC0, r2, r0"},
		{"the size of one", "mov oC0, r0", "rcp r2, c20.x; mov r2, r2_abs; mad oC0, r2.x, c20.x, r0"},
		{"the greatest", "mov oC0, r0", "rcp r2, c20.x; max r2, r2.x, r1; mad oC0, r2.x, c20.x, r0"},
		{"one chosen", "mov oC0, r0", "rcp r2, c20.x; cmp r2, r1, r2.x, r1; mad oC0, r2, c20.x, r0"},
		{"one in a branch", "mov oC0, r0", "mov r2, r1; if_gt r0.x, r1.x; rcp r2, c20.x; endif; mad oC0, r2, c20.x, r0"},
		{"the other one", "rcp r2, c20.x; min oC0, r0, r2.x", "rcp r2, -c20.x; min oC0, r0, r2.x"},
		{"another one", "rcp r2, c20.x; mul r2, r2, c20.x; add oC0, r0, r2",
			"log r2, c20.x; mul r2, r2, c20.x; add oC0, r0, r2"},
	} {
		a, b := Pair{Pixel: parse(t, head+c.before)}, Pair{Pixel: parse(t, head+c.after)}
		if f := fieldOf(t, a, b); f.Outcome == proof.Equal {
			t.Errorf("%s: proved, wrong with probability below %g", c.name, f.Epsilon)
		}
		if r := Check(a, b, Options{Numerics: Real}); strings.Contains(r.Why, "although") || r.Verdict.OK() {
			t.Errorf("%s: %v %s", c.name, r.Verdict, r.Why)
		}
		// A result that is infinite or NaN in before may become anything.
		if r := Check(b, a, Options{Numerics: Real}); strings.Contains(r.Why, "although") {
			t.Errorf("%s, the other way: %v %s", c.name, r.Verdict, r.Why)
		}
	}
	// Infinities in both versions, and those that reach no arithmetic, are accepted.
	for _, c := range []struct{ name, before, after string }{
		{"on both sides", "rcp r2, c20.x; mul r2, r2, c20.x; add r3, r0, r1; mul oC0, r3, r2",
			"rcp r2, c20.x; mul r2, r2, c20.x; mul r3, r0, r2; mad oC0, r1, r2, r3"},
		{"moved", "rcp r2, c20.x; mul r3, r0, r1; mov oC0, r2; mad oC1, r3, c21.z, r3",
			"rcp r2, c20.x; mul r3, r0, r1; mov oC0, r2; mul r4, c21.z, r3; add oC1, r4, r3"},
		{"never chosen", "rcp r2, c20.x; cmp r2, c20.y, r0, r2; mad oC0, r2, c21.z, r2",
			"mul r4, c21.z, r0; add oC0, r4, r0"},
		{"zero is a number", "exp r2, c20.x; sincos r3.xy, c20.x; mul r2, r2, r3.x; mul oC0, r0, r2", "mov oC0, r0"},
	} {
		if f := fieldOf(t, Pair{Pixel: parse(t, head+c.before)},
			Pair{Pixel: parse(t, head+c.after)}); f.Outcome != proof.Equal {
			t.Errorf("%s: not proved: %s", c.name, f.Why)
		}
	}
}

// TestInfinitiesInterpolated checks that interpolation is arithmetic: it turns an infinity at all vertices
// into a NaN.
func TestInfinitiesInterpolated(t *testing.T) {
	const vertex = "vs_3_0; def c20, 0, 1, -1, 0.5; dcl_position v0; dcl_texcoord v1; dcl_position o0; dcl_texcoord o1; dcl_texcoord1 o2; mov o0, v0; mov o1, v1; "
	const pixel = "ps_3_0; def c20, 0, 1, -1, 0.5; dcl_texcoord v0; dcl_texcoord1 v1; mov r0, v0; "
	for _, c := range []struct{ before, after string }{
		{"rcp r1, c20.x; min oC0, r0, r1.x", "min oC0, r0, v1.x"},
		{"rcp r1, c20.x; mov oC0, r1.x", "mov oC0, v1.x"},
	} {
		in, moved := pairOf(t, vertex+"mov o2, v1", pixel+c.before), pairOf(t, vertex+"rcp o2, c20.x", pixel+c.after)
		if f := fieldOf(t, in, moved); f.Outcome == proof.Equal {
			t.Errorf("%s: proved, wrong with probability below %g", c.after, f.Epsilon)
		}
		if r := Check(in, moved, Options{Numerics: Real}); r.Verdict.OK() || strings.Contains(r.Why, "although") {
			t.Errorf("%s: %v %s", c.after, r.Verdict, r.Why)
		}
	}
}

// TestInfinitiesOfKernels checks that an integer literal with the bits of an infinity or NaN does not count
// as one.
func TestInfinitiesOfKernels(t *testing.T) {
	kernel := func(body string) *il.Kernel {
		t.Helper()
		k, err := il.Parse("kernel", []byte("il_ps_2_0\ndcl_input_position_interp(linear_noperspective) vWinCoord0.xy__\ndcl_output_generic o0\n"+
			"dcl_cb cb0[2]\ndcl_literal l0, 0x00000000, 0x3f800000, 0xffffffff, 0x7f800000\ndcl_literal l1, 0x7fc00000, 0x3f000000, 0x00000003, 0x7f7fffff\n"+
			"mov r0, vWinCoord0.xyxy\nadd r1, r0, cb0[0]\n"+strings.ReplaceAll(body, "; ", "\n")+"\nend\n"))
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	prove := func(before, after string) proof.Report {
		t.Helper()
		c := &kernelChecker{comparison: comparison{Options: Options{Numerics: Real}}, before: kernel(before), after: kernel(after)}
		if err := c.liftKernels(); err != nil {
			t.Fatal(err)
		}
		plain := proof.Field(c.sides[0], c.sides[1], proof.Search{Seed: 1, Keys: 2})
		if plain.Outcome == proof.Equal {
			return plain
		}
		return proof.Reals(c.sides[0], c.sides[1], plain, proof.Search{Seed: 1, Keys: 2})
	}
	for _, c := range []struct{ name, before, after string }{
		{"another value for the reciprocal of zero", "div_zeroop(fltmax) r2, r1, l0.x; sub r3, r0, r0; mad o0, r2, r3, r1",
			"div_zeroop(inf_else_max) r2, r1, l0.x; sub r3, r0, r0; mad o0, r2, r3, r1"},
		{"an infinity", "mov o0, r1", "mul r2, l0.w, r0; mad o0, r2, l0.x, r1"},
		{"a NaN", "mov o0, r1", "mul r2, l1.x, r0; mad o0, r2, l0.x, r1"},
		{"a mask as a float", "mov o0, r1", "mul r2, l0.z, r0; mad o0, r2, l0.x, r1"},
		{"another product with zero", "mul r2, l0.w, r0; mad o0, r2, l0.x, r1",
			"mul_ieee r2, l0.w, r0; mad_ieee o0, r2, l0.x, r1"},
		{"a logarithm", "mov o0, r1", "log r2, l0.x; mad o0, r2.x, l0.x, r1"},
		{"a root of a number for one of its size", "sqrt_vec o0, r1_abs", "sqrt_vec o0, r1"},
		{"the square of a root", "mov o0, r1_abs", "sqrt_vec r2, r1; mul o0, r2, r2"},
		{"a choice by bits", "mov o0, r1", "lt r2, r0, r1; cmov_logical r2, r2, l0.w, r0; mad o0, r2, l0.x, r1"},
	} {
		if f := prove(c.before, c.after); f.Outcome == proof.Equal {
			t.Errorf("%s: proved, wrong with probability below %g", c.name, f.Epsilon)
		}
	}
	for _, c := range []struct{ name, before, after string }{
		{"masks", "ftoi r2, r0; iand r2, r2, l0.z; itof r2, r2; mad o0, r2, l1.y, r2",
			"ftoi r2, r0; itof r2, r2; mul r3, r2, l1.y; add o0, r3, r2"},
		{"a root of a square", "mul r2, r1, r1; sqrt_vec o0, r2", "mov o0, r1_abs"},
		{"a root of a product of what is positive", "mul r2, r0_abs, r1_abs; sqrt_vec o0, r2",
			"sqrt_vec r2, r0_abs; sqrt_vec r3, r1_abs; mul o0, r2, r3"},
		{"a mask chosen", "lt r2, r0, r1; cmov_logical r2, r2, l0.z, l0.x; iand r2, r2, l0.y; mul r3, r0, r2; mul o0, r3, l1.y", "lt r2, r0, r1; iand r2, r2, l0.y; mul r3, r2, l1.y; mul o0, r3, r0"},
	} {
		if f := prove(c.before, c.after); f.Outcome != proof.Equal {
			t.Errorf("%s: not proved: %s", c.name, f.Why)
		}
	}
}

// TestInfinityIsNoNumber checks that infinity is not near a number, because tolerances are relative.
func TestInfinityIsNoNumber(t *testing.T) {
	const head = "ps_3_0; def c20, 0, 1, 1e30, 1; dcl_texcoord v0; "
	number := Pair{Pixel: parse(t, head+"mov oC0, v0")}
	for _, after := range []string{"rcp r0, c20.x; mul oC0, v0, r0", "mul r0, v0, c20.z; mul oC0, r0, c20.z"} {
		infinite := Pair{Pixel: parse(t, head+after)}
		if r := Check(number, infinite, Options{Numerics: Real}); r.Verdict != Refuted {
			t.Errorf("%s for v0: %v, want refuted: %s", after, r.Verdict, r.Why)
		}
	}
}

// TestOverflow checks that a result that overflows in after alone is neither a fault over the reals nor
// accepted. A wrong result is still refuted.
func TestOverflow(t *testing.T) {
	const head = "ps_3_0; def c20, 1e30, 1e-30, 1, 1; dcl_texcoord v0; "
	before := head + "mul r0, v0, c20.x; mul r0, r0, c20.y; mul r0, r0, c20.x; mul oC0, r0, c20.y"
	for _, c := range []struct {
		after string
		want  Verdict
	}{
		{"mul r0, v0, c20.x; mul r0, r0, c20.x; mul r0, r0, c20.y; mul oC0, r0, c20.y", Unknown},
		{"mul r0, v0, c20.y; mul r0, r0, c20.y; mul r0, r0, c20.x; mul oC0, r0, c20.x", Unknown},
		{"mul r0, v0, c20.x; mul r0, r0, c20.x; mul r0, r0, c20.y; mul oC0, r0, -c20.y", Refuted},
		{"mul r0, v0, c20.x; mul r0, r0, c20.y; mul r0, r0, c20.x; mul oC0, r0, -c20.y", Refuted},
	} {
		for seed := range uint64(8) {
			r := Check(Pair{Pixel: parse(t, before)}, Pair{Pixel: parse(t, head+c.after)}, Options{Numerics: Real, Seed: seed})
			if r.Verdict != c.want || c.want == Unknown && !strings.Contains(r.Why, "too large or too small") {
				t.Errorf("%s: %v, want %v: %s", c.after, r.Verdict, c.want, r.Why)
			}
		}
	}
}

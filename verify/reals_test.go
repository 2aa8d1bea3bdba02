package verify

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/verify/internal/proof"
)

// TestRealsRefuse checks programs that differ in zeros, signs, poles or precision. A careless proof might
// accept them, but they do not follow from the laws.
func TestRealsRefuse(t *testing.T) {
	const head = "ps_3_0; def c20, 0, 1, -1, 0.5; dcl_texcoord v0; dcl_texcoord1 v1; dcl_2d s0; mov r0, v0; mov r1, v1; "
	for _, c := range []struct{ name, before, after string }{
		{"1 is no multiple of x by 1/x", "rcp r2, r0.x; cmp r3, r0.x, c20.y, c20.x; mul oC0, r3, r1; mul oC1, r2, r1",
			"rcp r2, r0.x; cmp r3, -r0.x, c20.x, c20.y; mul oC0, r3, r1; mul oC1, r2, r1"},
		{"rsq(x*x) is 1/|x|", "mul r2, r0.x, r0.x; rsq r2, r2.x; mul oC0, r2, r1", "rcp r2, r0.x; mul oC0, r2, r1"},
		{"products of roots of squares", "mul r2, r0, r0; rsq r3, r2.x; rsq r4, r2.y; mul r3, r3, r4; mul oC0, r3, r1",
			"rcp r3, r0.x; rcp r4, r0.y; mul r3, r3, r4; mul oC0, r3, r1"},
		{"strict at a literal", "add r2, r0, -c20.w; cmp oC0, r2, r1, c20.x", "add r2, -r0, c20.w; cmp oC0, r2, c20.x, r1"},
		{"strict at another's value", "add r2, r0, -r1; cmp oC0, r2, c20.y, c20.x",
			"add r2, r1, -r0; cmp oC0, r2, c20.x, c20.y"},
		{"transitivity the wrong way", "add r2, r0.x, -r0.y; add r3, r0.y, -r0.z; cmp r2, r2, c20.y, c20.x; cmp r3, r3, c20.y, c20.x; mul oC0, r2, r3", "add r2, r0.x, -r0.z; cmp oC0, r2, c20.y, c20.x"},
		{"literals out of order", "max r2, r0, c20.w; max oC0, r2, c20.x", "max oC0, r0, c20.x"},
		{"sum of a choice's squares", "cmp r2, r0, r1, -r1; mul oC0, r2, r2", "cmp r2, r0, r1, -r1; mul oC0, r2, r1"},
		{"sine's sign", "sincos r2.xy, r0.x; mul oC0, r2.y, r1",
			"sincos r2.xy, r0.x; mul r3.x, r2.x, r2.x; add r3.x, -r3.x, c20.y; rsq r3.x, r3.x; rcp r3.x, r3.x; mul oC0, r3.x, r1"},
		{"gradients of a choice", "cmp r2, r0.x, r0, r1; texld r3, r2, s0; mov oC0, r3",
			"texld r2, r0, s0; texld r3, r1, s0; cmp oC0, r0.x, r2, r3"},
		{"derivative of a choice", "cmp r2, r0.x, r0, r1; dsx r3, r2; mov oC0, r3",
			"dsx r2, r0; dsx r3, r1; cmp oC0, r0.x, r2, r3"},
		{"precision of max", "max r2, r0, c20.x; mul oC0, r2, r1", "cmp_pp r2, r0, r0, c20.x; mul oC0, r2, r1"},
		{"precision of a product", "nrm r2, r0; max_pp r3, r2, c20.x; mul oC0, r3, r1",
			"nrm_pp r2, r0; max r3, r2, c20.x; mul oC0, r3, r1"},
		{"fraction across an integer", "frc r2, r0; add r2, r2, -c20.w; cmp oC0, r2, r1, c20.x",
			"add r2, r0, -c20.w; frc r2, r2; add r2, r2, -c20.w; cmp oC0, r2, r1, c20.x"},
		{"logarithm's sign", "log r2, r0.x; exp oC0, r2.x", "mov oC0, r0.x"},
		{"infinity below 0", "max r2, r0, c20.x; rcp oC0, r2.x", "rcp r2, r0.x; cmp oC0, r0.x, r2, c20.x"},
	} {
		if f := fieldOf(t, Pair{Pixel: parse(t, head+c.before)},
			Pair{Pixel: parse(t, head+c.after)}); f.Outcome == proof.Equal {
			t.Errorf("%s: proved, wrong with probability below %g", c.name, f.Epsilon)
		}
		if f := fieldOf(t, Pair{Pixel: parse(t, head+c.after)},
			Pair{Pixel: parse(t, head+c.before)}); f.Outcome == proof.Equal && c.name[:9] != "precision" {
			t.Errorf("%s, turned round: proved", c.name)
		}
	}
}

// TestRealsRound checks that laws also hold if both versions use the same partial precision.
func TestRealsRound(t *testing.T) {
	const head = "ps_3_0; def c20, 0, 1, -1, 0.5; dcl_texcoord v0; dcl_texcoord1 v1; mov r0, v0; mov r1, v1; "
	before, after := head+"max_pp r2, r0, c20.x; mul oC0, r2, r1", head+"cmp_pp r2, r0, r0, c20.x; mul oC0, r2, r1"
	if f := fieldOf(t, Pair{Pixel: parse(t, before)}, Pair{Pixel: parse(t, after)}); f.Outcome != proof.Equal {
		t.Errorf("not proved: %s", f.Why)
	}
}

// TestRealsCaseByCase checks that functions of a chosen value obey their laws case by case, whichever value
// came first.
func TestRealsCaseByCase(t *testing.T) {
	const head = "ps_3_0; def c20, 0, 1, -1, 0.5; dcl_texcoord v0; dcl_texcoord1 v1; dcl_texcoord2 v2; mov r0, v0; mov r1, v1; mov r2, v2; "
	for _, c := range []struct{ name, before, after, wrong string }{
		{"length of a normal", "cmp r0, r1, r0, r2; nrm r4, r0; dp3 oC0, r4, r4", "mov oC0, c20.y", "mov oC0, c20.w"},
		{"logarithm of a reciprocal of a size", "mul r0, r0, r1; mov r0, r0_abs; rcp r4, r0.x; log oC0, r4.x",
			"mul r0, r0, r1; mov r0, r0_abs; log r4, r0.x; mov oC0, -r4", "mul r0, r0, r1; log r4, r0.x; mov oC0, r4"},
		{"exponential of a sum", "cmp r0, r1, r0, r2; add r4, r0.x, r1.x; exp oC0, r4.x",
			"cmp r0, r1, r0, r2; exp r4, r0.x; exp r5, r1.x; mul oC0, r4, r5", "cmp r0, r1, r2, r0; exp r4, r0.x; exp r5, r1.x; mul oC0, r4, r5"},
		{"exponential of a sum, chosen twice", "cmp r0, r1, r0, r2; cmp r0, r2, r0, r1; add r4, r0.x, r1.x; exp oC0, r4.x",
			"cmp r0, r1, r0, r2; cmp r0, r2, r0, r1; exp r4, r0.x; exp r5, r1.x; mul oC0, r4, r5",
			"cmp r0, r1, r0, r2; cmp r0, r2, r0, r1; exp r4, r0.x; exp r5, r2.x; mul oC0, r4, r5"},
		{"sums of sums", "add r3, r0.x, r1.x; add r4, r3.x, r2.x; add r5, r1.x, r2.x; exp r6, r4.x; exp r7, r5.x; mul oC0, r6, r7", "exp r3, r0.x; exp r4, r1.x; exp r5, r2.x; mul r6, r4, r5; mul r7, r6, r6; mul oC0, r3, r7", "exp r3, r0.x; exp r4, r1.x; exp r5, r2.x; mul r6, r4, r5; mul r7, r6, r5; mul oC0, r3, r7"},
		{"power of a product", "cmp r0, r1, r0, r2; mul r4, r0.x, r1.x; pow r3, r4.x, r2.x; mov oC0, r3",
			"cmp r0, r1, r0, r2; pow r4, r0.x, r2.x; pow r5, r1.x, r2.x; mul oC0, r4, r5", "cmp r0, r1, r0, r2; pow r4, r0.x, r2.x; pow r5, r1.x, r2.y; mul oC0, r4, r5"},
	} {
		left, right, wrong := Pair{Pixel: parse(t, head+c.before)}, Pair{Pixel: parse(t,
			head+c.after)}, Pair{Pixel: parse(t, head+c.wrong)}
		for _, p := range [][2]Pair{{left, right}, {right, left}} {
			if f := fieldOf(t, p[0], p[1]); f.Outcome != proof.Equal {
				t.Errorf("%s: not proved: %s", c.name, f.Why)
			}
		}
		if f := fieldOf(t, left, wrong); f.Outcome == proof.Equal {
			t.Errorf("%s: what is wrong is proved", c.name)
		}
	}
}

// TestRealsLesser checks that min and max equal the corresponding choices. This includes values of too many
// choices for a case analysis, where the opposite must not be proved.
func TestRealsLesser(t *testing.T) {
	head := "ps_3_0; def c20, 0, 1, -2, 3; dcl_texcoord v0; mov r3, c20.y; "
	for _, comp := range "xyz" { // a step between 0 and 1
		head += strings.ReplaceAll("cmp r1, v0.N, v0.N, c20.x; add r0, r1, -c20.y; cmp r1, r0, c20.y, r1; mad r0, r1, c20.z, c20.w; mul r1, r1, r1; mad r3, r0, r1, r3; ", "N", string(comp))
	}
	less, more := head+"min oC0, r3, c20.w", head+"max oC0, r3, c20.w"
	for _, c := range []struct {
		before, after string
		want          bool
	}{
		{head + "add r2, -r3, c20.w; cmp oC0, r2, r3, c20.w", less, true},
		{head + "add r2, r3, -c20.w; cmp oC0, r2, r3, c20.w", more, true},
		{head + "add r2, r3, -c20.w; cmp oC0, r2, r3, c20.w", less, false},
		{head + "add r2, -r3, c20.w; cmp oC0, r2, r3, c20.w", more, false},
	} {
		f := fieldOf(t, Pair{Pixel: parse(t, c.before)}, Pair{Pixel: parse(t, c.after)})
		if proved := f.Outcome == proof.Equal; proved != c.want {
			t.Errorf("%s: proved %v, not %v: %s", c.after, proved, c.want, f.Why)
		}
	}
}

// TestFieldGreaterOfOne checks that the maximum of a value and itself is that value, however many choices it
// has. This needs no normal forms, which would be too many.
func TestFieldGreaterOfOne(t *testing.T) {
	head := "il_ps_2_0\ndcl_cb cb0[2]\ndcl_input_position_interp(linear_noperspective) vWinCoord0.xy__\ndcl_output_generic o0\nmov r0, vWinCoord0.xyxy\nmov r1, cb0[0]\n" +
		strings.Repeat("max r1, r1.yzwx, r0\nmad r0, r1.wxyz, r0, cb0[1]\nmin r0, r0, r1.zwxy\n", 500)
	tail := "mad r0, r1, r0, cb0[0]\nmov o0, r0\nend\n"
	plain := parseKernel(t, head+tail)
	for _, op := range []string{"max", "min", "max_ieee", "min_ieee"} {
		if v := proofOf(t, parseKernel(t, head+op+" r0, r0, r0\n"+tail), plain); v != ProvedReal {
			t.Errorf("%s of a value and itself: %v", op, v)
		}
		if v := proofOf(t, parseKernel(t, head+op+" r0, r0, r1\n"+tail), plain); v != Tested {
			t.Errorf("%s of two values: %v", op, v)
		}
	}
}

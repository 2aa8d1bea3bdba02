package interp

import (
	"fmt"
	"math"
	"testing"
)

var (
	inf  = float32(math.Inf(1))
	nan  = float32(math.NaN())
	neg0 = float32(math.Copysign(0, -1))
)

// same compares bits; all NaN are equal.
func same(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

// runOp runs one instruction over registers r0, r1, r2 (v0, v1, v2 of a vertex program, or t0, t1, t2 of a
// pixel program). It returns r4 after the instruction, which starts as (100, 101, 102, 103).
func runOp(t *testing.T, model, inst string, n Numerics, in ...[4]float32) [4]float32 {
	t.Helper()
	file, dcl, out, end := "v", "dcl_texcoord%[2]d %[1]s%[2]d\n", "oT0", ""
	switch model[:4] {
	case "ps_2":
		file, dcl, out = "t", "dcl %s%d\n", "oC0"
	case "ps_3":
		out = "oC0"
	case "vs_3":
		end, out = "dcl_texcoord o0\n", "o0"
	}
	src := model + "\n" + end + "def c10, 100, 101, 102, 103\n"
	for i := range in {
		src += fmt.Sprintf(dcl, file, i)
	}
	for i := range in {
		src += fmt.Sprintf("mov r%d, %s%d\n", i, file, i)
	}
	src += "mov r4, c10\n" + inst + "\nmov " + out + ", r4\n"
	s := mustCompile(t, mustParse(t, src))
	words := make([]Words, len(in))
	for i := range in {
		for c := range 4 {
			words[i][c] = []float32{in[i][c], in[i][c], in[i][c], in[i][c]}
		}
	}
	res, err := s.Run(&Env{Numerics: n}, 4, words)
	if err != nil {
		t.Fatalf("%s: %v", inst, err)
	}
	var got [4]float32
	for c := range got {
		got[c] = res.Out[0][c][0]
	}
	return got
}

func TestOps(t *testing.T) {
	type v = [4]float32
	const denorm = 1e-40
	sqrt14 := math.Sqrt(14)
	tests := []struct {
		model, inst string
		in          []v
		want        v
	}{
		{"vs_2_0", "mov r4.yw, r0.wzyx", []v{{1, 2, 3, 4}}, v{100, 3, 102, 1}},
		{"vs_2_0", "mov r4, -r0", []v{{1, neg0, -inf, denorm}}, v{-1, 0, inf, -denorm}},
		{"vs_2_0", "add r4, r0, r1", []v{{1, inf, neg0, 1e38}, {2, -inf, neg0, 3e38}}, v{3, nan, neg0, inf}},
		{"vs_2_0", "add r4, -r0, r1", []v{{1, 2, 3, 4}, {5, 5, 5, 5}}, v{4, 3, 2, 1}},
		{"vs_2_0", "add r4, -r0, -r1", []v{{1, 2, 3, 4}, {5, 5, 5, 5}}, v{-6, -7, -8, -9}},
		{"vs_2_0", "sub r4, r0, -r1", []v{{1, 2, 3, 4}, {5, 5, 5, 5}}, v{6, 7, 8, 9}},
		{"vs_2_0", "sub r4, -r0, r1", []v{{1, 2, 3, 4}, {5, 5, 5, 5}}, v{-6, -7, -8, -9}},
		{"vs_2_0", "mul r4, r0, -r1", []v{{2, 0, inf, denorm}, {3, inf, -2, 0.5}}, v{-6, nan, inf, float32(-denorm) / 2}},
		{"vs_2_0", "mad r4, r0, r1, r2", []v{{2, 3, 1 + 0x1p-12, 1}, {5, -1, 1 + 0x1p-12, neg0}, {1, 3, -1, neg0}},
			v{11, 0, 0x1p-11, neg0}}, // the product rounds to 1+2^-11 and loses its last bit
		{"vs_2_0", "mad r4, -r0, r1, r2", []v{{2, 3, 4, 5}, {5, 5, 5, 5}, {1, 1, 1, 1}}, v{-9, -14, -19, -24}},
		{"vs_2_0", "mad r4, r0, -r1, -r2", []v{{2, 3, 4, 5}, {5, 5, 5, 5}, {1, 1, 1, 1}}, v{-11, -16, -21, -26}},
		{"vs_2_0", "mad r4, r0, r1, -r2", []v{{2, 3, 4, 5}, {5, 5, 5, 5}, {1, 1, 1, 1}}, v{9, 14, 19, 24}},
		{"vs_2_0", "mad r4, -r0, -r1, r2", []v{{2, 3, 4, 5}, {5, 5, 5, 5}, {1, 1, 1, 1}}, v{11, 16, 21, 26}},
		{"vs_2_0", "min r4, r0, r1", []v{{1, nan, 5, neg0}, {2, 7, nan, 0}}, v{1, 7, nan, 0}},
		{"vs_2_0", "max r4, r0, r1", []v{{1, nan, 5, neg0}, {2, 7, nan, 0}}, v{2, 7, nan, neg0}},
		{"vs_2_0", "slt r4, r0, r1", []v{{1, 2, nan, neg0}, {2, 1, 1, 0}}, v{1, 0, 0, 0}},
		{"vs_2_0", "sge r4, r0, r1", []v{{1, 2, nan, neg0}, {2, 1, 1, 0}}, v{0, 1, 0, 1}},
		{"vs_2_0", "abs r4, r0", []v{{-1, neg0, -inf, 2}}, v{1, 0, inf, 2}},
		{"vs_2_0", "frc r4.xy, r0", []v{{1.75, -0.25, 0, 0}}, v{0.75, 0.75, 102, 103}},
		{"vs_2_0", "sgn r4, r0, r1, r2", []v{{-3, neg0, 5, nan}, {}, {}}, v{-1, 0, 1, 0}},
		{"vs_2_0", "rcp r4, r0.y", []v{{0, 4, 0, 0}}, v{0.25, 0.25, 0.25, 0.25}},
		{"vs_2_0", "rcp r4.x, r0.x", []v{{0, 0, 0, 0}}, v{inf, 101, 102, 103}},
		{"vs_2_0", "rcp r4.x, -r0.x", []v{{0, 0, 0, 0}}, v{-inf, 101, 102, 103}},
		{"vs_2_0", "rsq r4.xz, r0.w", []v{{0, 0, 0, -16}}, v{0.25, 101, 0.25, 103}},
		{"vs_2_0", "rsq r4.x, r0.x", []v{{0, 0, 0, 0}}, v{inf, 101, 102, 103}},
		{"vs_2_0", "exp r4, r0.x", []v{{-3, 0, 0, 0}}, v{0.125, 0.125, 0.125, 0.125}},
		{"vs_2_0", "exp r4.x, r0.x", []v{{200, 0, 0, 0}}, v{inf, 101, 102, 103}},
		{"vs_2_0", "expp r4, r0.x", []v{{2.5, 0, 0, 0}}, v{5.656854, 5.656854, 5.656854, 5.656854}},
		{"vs_1_1", "expp r4, r0.x", []v{{2.5, 0, 0, 0}}, v{4, 0.5, 5.656854, 1}},
		{"vs_1_1", "expp r4.yz, r0.x", []v{{-2.5, 0, 0, 0}}, v{100, 0.5, 0.17677669529, 103}},
		{"vs_2_0", "log r4.x, r0.x", []v{{-8, 0, 0, 0}}, v{3, 101, 102, 103}},
		{"vs_2_0", "log r4.x, r0.x", []v{{0, 0, 0, 0}}, v{-inf, 101, 102, 103}},
		{"vs_1_1", "logp r4, r0.x", []v{{10, 0, 0, 0}}, v{3.321928, 3.321928, 3.321928, 3.321928}},
		{"vs_2_0", "pow r4, r0.x, r0.y", []v{{-3, 2, 0, 0}}, v{9, 9, 9, 9}},
		{"vs_2_0", "pow r4.x, r0.x, r0.y", []v{{0, 0, 0, 0}}, v{1, 101, 102, 103}},
		{"vs_2_0", "pow r4.x, r0.x, r0.y", []v{{0, 3, 0, 0}}, v{0, 101, 102, 103}},
		{"vs_2_0", "dp3 r4.yz, r0, r1", []v{{1, 2, 3, 4}, {5, 6, 7, 8}}, v{100, 38, 38, 103}},
		{"vs_2_0", "dp4 r4, r0, -r1", []v{{1, 2, 3, 4}, {5, 6, 7, 8}}, v{-70, -70, -70, -70}},
		{"vs_2_0", "dp4 r0.xy, r0, r0\nmov r4, r0", []v{{1, 2, 3, 4}}, v{30, 30, 3, 4}},
		{"vs_2_0", "lrp r4, r0, r1, r2", []v{{0, 1, 0.25, 2}, {8, 8, 8, 8}, {4, 4, 4, 4}}, v{4, 8, 5, 12}},
		{"vs_2_0", "crs r4.xyz, r0, r1", []v{{1, 2, 3, 9}, {4, 5, 7, 9}}, v{-1, 5, -3, 103}},
		{"vs_2_0", "crs r4.y, r0, r1", []v{{1, 2, 3, 9}, {4, 5, 7, 9}}, v{100, 5, 102, 103}},
		{"vs_2_0", "nrm r4, r0", []v{{1, 2, 3, 4}},
			v{float32(1 / sqrt14), 2 * float32(1/sqrt14), 3 * float32(1/sqrt14), 4 * float32(1/sqrt14)}},
		{"vs_2_0", "nrm r4, r0", []v{{0, 0, 0, 4}}, v{0, 0, 0, 0}},
		{"vs_2_0", "lit r4, r0", []v{{3, 2, 9, 2}}, v{1, 3, 4, 1}},
		{"vs_2_0", "lit r4, r0", []v{{-3, 2, 9, 2}}, v{1, 0, 0, 1}},
		{"vs_2_0", "lit r4, r0", []v{{3, -2, 9, 2}}, v{1, 3, 0, 1}},
		{"vs_2_0", "lit r4, r0", []v{{1, 2, 0, 500}}, v{1, 1, float32(math.Exp2(127 + 255.0/256)), 1}},
		{"vs_2_0", "dst r4, r0, r1", []v{{1, 2, 3, 4}, {5, 6, 7, 8}}, v{1, 12, 3, 8}},
		{"vs_2_0", "sincos r4.xy, r0.x, c0, c1", []v{{0.5, 0, 0, 0}},
			v{float32(math.Cos(0.5)), float32(math.Sin(0.5)), 102, 103}},
		{"vs_3_0", "sincos r4.y, r0.x", []v{{0.5, 0, 0, 0}}, v{100, float32(math.Sin(0.5)), 102, 103}},
		{"vs_2_0", "m4x4 r4, r0, c10", []v{{1, 1, 1, 1}}, v{406, 0, 0, 0}},
		{"vs_3_0", "mov r4, -r0_abs", []v{{-1, 2, neg0, -inf}}, v{-1, -2, neg0, -inf}},
		{"vs_3_0", "mov_sat r4, r0", []v{{-1, 2, nan, neg0}}, v{0, 1, 0, 0}},
		{"vs_3_0", "add_sat r4.xy, r0.yxzw, r0", []v{{0.25, 0.5, 0, 0}}, v{0.75, 0.75, 102, 103}},
		{"vs_2_0", "mov r0.xyzw, r0.yxwz\nmov r4, r0", []v{{1, 2, 3, 4}}, v{2, 1, 4, 3}},
		{"vs_2_0", "mad r0, r0.wxyz, r0.x, r0.yzwx\nmov r4, r0", []v{{1, 2, 3, 4}}, v{6, 4, 6, 4}},
		{"ps_3_0", "cmp r4, r0, r1, r2", []v{{neg0, 1, -1, nan}, {1, 1, 1, 1}, {2, 2, 2, 2}}, v{1, 1, 2, 2}},
		{"ps_2_0", "dp2add r4, r0, r1, r2.z", []v{{1, 2, 9, 9}, {3, 4, 9, 9}, {0, 0, 5, 0}}, v{16, 16, 16, 16}},
		{"ps_2_0", "m3x3 r4.xyz, r0, r1", []v{{1, 2, 3, 9}, {1, 0, 0, 9}, {0, 1, 0, 9}, {0, 0, 1, 9}}, v{1, 2, 3, 103}},
		{"ps_2_0", "m3x2 r4.xy, r0, r1", []v{{1, 2, 3, 9}, {0, 0, 1, 9}, {0, 1, 0, 9}}, v{3, 2, 102, 103}},
		{"ps_2_0", "m4x3 r4.xyz, r0, r1", []v{{1, 2, 3, 4}, {0, 0, 0, 1}, {0, 0, 1, 0}, {0, 1, 0, 0}}, v{4, 3, 2, 103}},
		{"vs_3_0", "setp_gt p0, r0, r1\n(p0) mov r4, r2", []v{{1, 2, 3, nan}, {2, 1, 3, 0}, {7, 7, 7, 7}},
			v{100, 7, 102, 103}},
		{"vs_3_0", "setp_ne p0, r0, r1\n(!p0) mov r4, r2", []v{{1, 2, 3, nan}, {1, 1, 3, 0}, {7, 7, 7, 7}},
			v{7, 101, 7, 103}},
		{"vs_3_0", "setp_le p0, r0, r1\n(p0.z) add r4.xy, r4.yxzw, r2", []v{{1, 2, 3, 0}, {0, 0, 3, 0}, {7, 7, 7, 7}},
			v{108, 107, 102, 103}},
		{"vs_3_0", "setp_ge p0.x, r0, r1\nsetp_lt p0.y, r0, r1\n(p0.xyxy) mov r4, r2",
			[]v{{5, 2, 0, 0}, {0, 3, 0, 0}, {7, 8, 9, 9}}, v{7, 8, 9, 9}},
	}
	for _, tt := range tests {
		got := runOp(t, tt.model, tt.inst, Numerics{}, tt.in...)
		for c := range got {
			if !same(got[c], tt.want[c]) {
				t.Errorf("%s %q %v = %v, want %v", tt.model, tt.inst, tt.in, got, tt.want)
				break
			}
		}
	}
}

// TestTranscendentals checks that the functions are within half a unit in the last place of the math
// package's float64 results, over several magnitudes.
func TestTranscendentals(t *testing.T) {
	funcs := map[string]func(float64) float64{
		"exp": math.Exp2,
		"log": func(x float64) float64 { return math.Log2(math.Abs(x)) },
		"rcp": func(x float64) float64 { return 1 / x },
		"rsq": func(x float64) float64 { return 1 / math.Sqrt(math.Abs(x)) },
	}
	for name, f := range funcs {
		for _, x := range []float32{-100.25, -3.7, -1, -0.001, 1e-30, 0.3, 1, 1.1, 2, 77.7, 126.9} {
			got := runOp(t, "ps_2_0", name+" r4.x, r0.x", Numerics{}, [4]float32{x})[0]
			if want := float32(f(float64(x))); !same(got, want) {
				t.Errorf("%s %g = %g, want %g", name, x, got, want)
			}
		}
	}
}

func TestNumericsModes(t *testing.T) {
	type v = [4]float32
	const denorm = float32(1e-40)
	e := float32(0x1p-12)
	tests := []struct {
		n    Numerics
		inst string
		in   []v
		want v
	}{
		{Numerics{MulZero: true}, "mul r4, r0, r1", []v{{0, inf, nan, -2}, {inf, 0, neg0, 3}}, v{0, 0, 0, -6}},
		{Numerics{MulZero: true}, "mad r4, r0, r1, r2", []v{{0, inf, neg0, 2}, {nan, 0, 5, 3}, {1, 2, neg0, 4}},
			v{1, 2, 0, 10}},
		{Numerics{MulZero: true}, "mad r4, -r0, r1, r2", []v{{0, inf, 0, 2}, {inf, 0, 5, 3}, {1, 2, neg0, 4}},
			v{1, 2, 0, -2}},
		{Numerics{MulZero: true}, "dp4 r4, r0, r1", []v{{0, 2, inf, 1}, {inf, 3, 0, 1}}, v{7, 7, 7, 7}},
		{Numerics{MulZero: true}, "nrm r4, r0", []v{{3, 0, 4, 0}}, v{0.6, 0, 0.8, 0}},
		{Numerics{FlushDenormals: true}, "add r4, r0, r1", []v{{denorm, 1, -denorm, 0}, {denorm, denorm, neg0, 0}},
			v{0, 1, neg0, 0}},
		{Numerics{FlushDenormals: true}, "mul r4, r0, r1", []v{{1e-20, -1e-20, 1e-20, 1}, {1e-20, 1e-20, 1, denorm}},
			v{0, neg0, 1e-20, 0}},
		{Numerics{FuseMad: true}, "mad r4, r0, r1, r2",
			[]v{{1 + e, 1 + e, 2, 2}, {1 + e, 1 + e, 3, 3}, {-1, -1 - 2*e, 4, 5}}, v{2*e + e*e, e * e, 10, 11}},
		{Numerics{FuseMad: true}, "mad r4, r0, -r1, -r2", []v{{1 + e, 1, 1, 1}, {1 + e, 1, 1, 1}, {-1 - 2*e, 0, 0, 0}},
			v{-e * e, -1, -1, -1}},
		{Numerics{FuseMad: true}, "dp2add r4, r0, r1, r2.x", []v{{-1, 1 + e, 0, 0}, {1 + 2*e, 1 + e, 0, 0}, {0, 0, 0, 0}},
			v{e * e, e * e, e * e, e * e}},
	}
	for _, tt := range tests {
		got := runOp(t, "ps_2_x", tt.inst, tt.n, tt.in...)
		for c := range got {
			if !same(got[c], tt.want[c]) {
				t.Errorf("%+v %q %v = %v, want %v", tt.n, tt.inst, tt.in, got, tt.want)
				break
			}
		}
	}
}

package kernel

import (
	"math"
	"testing"
)

// TestOperands checks masks, swizzles and modifiers against results computed by hand. r9 initially holds
// 90, 91, 92, 93.
func TestOperands(t *testing.T) {
	a, b := floats(1, 2, 3, 4), floats(-10, 20, -30, 40)
	n := vec4{5, 0xfffffff9, 0x3f800000, 2} // 5, -7, 1.0, 2
	one := uint32(0x3f800000)
	for _, e := range []struct {
		src  string
		want vec4
	}{
		// Masks.
		{"mov r9, r0", a},
		{"mov r9.y, r0", floats(90, 2, 92, 93)},
		{"mov r9.___w, r0", floats(90, 91, 92, 4)},
		{"mov r9.xz, r0", floats(1, 91, 3, 93)},
		{"mov r9.0y, r0", floats(0, 2, 92, 93)},
		{"mov r9.x0, r0", floats(1, 0, 92, 93)},
		{"mov r9.y00, r0", floats(90, 2, 0, 0)},
		{"mov r9.0yz, r0", floats(0, 2, 3, 93)},
		{"mov r9.x_01, r0", floats(1, 91, 0, 1)},
		{"mov r9.01z0, r0", floats(0, 1, 3, 0)},
		{"mov r9.0_1_, r0", floats(0, 91, 1, 93)},
		// Modifiers of the result do not change constants in lanes.
		{"mov_x2_sat r9.x1_0, r0", floats(1, 1, 92, 0)},
		// Swizzles with one or four places, or none, are positional.
		{"mov r9, r0.z", floats(3, 3, 3, 3)},
		{"mov r9.yw, r0.wzyx", floats(90, 3, 92, 1)},
		{"mov r9.__z_, r0", floats(90, 91, 3, 93)},
		// Two and three places are distributed over the written lanes.
		{"mov r9.yz, r0.xy", floats(90, 1, 2, 93)},
		{"mov r9.xz, r0.xy", floats(1, 91, 2, 93)},
		{"mov r9.yw, r0.xy", floats(90, 1, 92, 2)},
		{"mov r9.yzw, r0.xyz", floats(90, 1, 2, 3)},
		{"mul r9.zw, r0.xy, r1.zw", floats(90, 91, -30, 80)},
		{"mov r9.xyz, r0.wx", floats(4, 1, 1, 93)},        // the last is repeated
		{"mov r9.0yz1, r0.wx", floats(0, 4, 1, 1)},        // constants take none
		{"mov r9.xy, r0.xyz", floats(1, 2, 92, 93)},       // one is left over
		{"mov r9, r0.x01w", floats(1, 0, 1, 4)},           // constants
		{"iadd r9.x, r2.x, r2.1", keep(5 + one)},          // 1 is the bits of 1.0
		{"add r9.xz, r0.xz, r0.11", floats(2, 91, 4, 93)}, // as in the field
		// All sources are read before a lane is written.
		{"mov r9.xy, r9.yx", floats(91, 90, 92, 93)},
		{"mov r9, r9.wzyx", floats(93, 92, 91, 90)},
		{"mad r9, r9.yxwz, r0, r9.zzxx", floats(91+92, 180+92, 279+90, 368+90)},
		{"dp2 r9, r9, r9", floats(16381, 16381, 16381, 16381)},
		{"mov r9.x, r9.y_neg\nmov r9.y, r9.x", floats(-91, -91, 92, 93)},
		// Modifiers of sources.
		{"mov r9, r1_abs", floats(10, 20, 30, 40)},
		{"mov r9, r1_neg", floats(10, -20, 30, -40)},
		{"mov r9, r1_neg(xw)", floats(10, 20, -30, -40)},
		{"mov r9, r1_abs_neg", floats(-10, -20, -30, -40)},
		{"mov r9, r1_neg_abs", floats(-10, -20, -30, -40)}, // the order is fixed
		{"mov r9, r0_invert", floats(0, -1, -2, -3)},
		{"mov r9, r0_bias", floats(0.5, 1.5, 2.5, 3.5)},
		{"mov r9, r0_x2", floats(2, 4, 6, 8)},
		{"mov r9, r0_bx2", floats(1, 3, 5, 7)},
		{"mov r9, r1_sign", floats(-1, 1, -1, 1)},
		{"mov r9, r1_divComp(y)", floats(-0.5, 1, -1.5, 2)},
		{"mov r9, r1_divComp(w)_abs_neg", floats(-0.25, -0.5, -0.75, -1)},
		{"mov r9, r1.yyyy_divComp(z)", floats(-20.0/30, -20.0/30, -20.0/30, -20.0/30)},
		{"mov r9.zw, r1.xy_neg(y)", floats(90, 91, -10, -20)}, // the second place of the swizzle
		{"mov r9.yzw, r1.xyz_neg(xz)", floats(90, 10, 20, 30)},
		{"mov r9.zw, r1_neg(z)", floats(90, 91, 30, 40)},
		{"dp3 r9.x, r0, r1_neg(xz)", floats(10+40+90, 91, 92, 93)},
		{"rcp r9.w, r0.y_neg(x)", floats(90, 91, 92, -0.5)},
		// Negation gives the negative integer in integer arithmetic, and flips the sign bit in other
		// instructions.
		{"iadd r9.xy, r2, r2_neg(y)", keep(10, 0)},
		{"imax r9.xy, r2, r2_neg", keep(5, 7)},
		{"itof r9.xy, r2_neg", floats(-5, 7, 92, 93)},
		{"iand r9.xy, r2_neg, r2_neg", keep(5|1<<31, 0x7ffffff9)},
		{"mov r9.x, r2_neg", keep(5|1<<31, math.Float32bits(91))},
		{"cmov_logical r9.xy, r2.0x, r0, r1_neg", floats(10, 2, 92, 93)},
		// Modifiers of the result, scale first.
		{"mov_x2 r9, r0", floats(2, 4, 6, 8)},
		{"mov_x4 r9, r0", floats(4, 8, 12, 16)},
		{"mov_x8 r9, r0", floats(8, 16, 24, 32)},
		{"mov_d2 r9, r0", floats(0.5, 1, 1.5, 2)},
		{"mov_d4 r9, r0", floats(0.25, 0.5, 0.75, 1)},
		{"mov_d8_sat r9, r1", floats(0, 1, 0, 1)},
		{"add_sat r9, r0, r1", floats(0, 1, 0, 1)},
		{"mul_d8_sat r9.xy, r0, r0", floats(0.125, 0.5, 92, 93)},
		{"rsq_sat r9.x, r1.x", floats(0, 91, 92, 93)}, // NaN becomes 0
	} {
		got := evaluate(t, "dcl_literal l0, 90.0, 91.0, 92.0, 93.0\nmov r9, l0\n"+e.src+"\nmov o0, r9",
			[][4]vec4{{a, b, n}})[0]
		if got != e.want {
			t.Errorf("%q gives %v, want %v", e.src, asFloats(got), asFloats(e.want))
		}
	}
}

// keep returns words, followed by the initial words of r9.
func keep(words ...uint32) vec4 {
	v := floats(90, 91, 92, 93)
	copy(v[:], words)
	return v
}

func asFloats(v vec4) (x [4]float32) {
	for i, w := range v {
		x[i] = math.Float32frombits(w)
	}
	return x
}

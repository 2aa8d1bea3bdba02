package kernel

import (
	"math"
	"testing"
)

// vectorOps and doubleOps list the instructions tested below.
var vectorOps = []string{"dp2", "dp3", "dp4", "dp2add", "crs", "len", "dist", "nrm", "reflect", "lit", "dsx", "dsy",
	"transpose"}

// TestVectors uses integers, so that sums are exact in any order.
func TestVectors(t *testing.T) {
	a, b, c := floats(1, -2, 3, 4), floats(5, 6, -7, 8), floats(0.5, 9, 9, 9)
	inf := floats(0, 0, float32(math.Inf(1)), 1)
	zeros := floats(float32(math.Inf(1)), float32(math.NaN()), 0, 2)
	for _, e := range []struct {
		src     string
		a, b, c vec4
		want    vec4
	}{
		{"dp2 r9, r0, r1", a, b, c, floats(-7, -7, -7, -7)},
		{"dp3 r9, r0, r1", a, b, c, floats(-28, -28, -28, -28)},
		{"dp4 r9, r0, r1", a, b, c, floats(4, 4, 4, 4)},
		{"dp4 r9._yz_, r0.yxzw, r1.wzyx", a, b, c, floats(0, -16-7+18+20, -16-7+18+20, 0)},
		{"dp4 r9.x, r0.yz, r1.x", a, b, c, floats(5 * (-2 + 3 + 3 + 3))}, // the last place is repeated
		{"dp2add r9, r0, r1, r2.x", a, b, c, floats(-6.5, -6.5, -6.5, -6.5)},
		{"dp4 r9, r0, r1", inf, zeros, c, floats(2, 2, 2, 2)},
		{"dp4_ieee r9.x, r0, r1", inf, zeros, c, vec4{0x7fc00000}},
		{"crs r9, r0, r1", a, b, c, floats(14-18, 15+7, 6+10, 0)},
		{"len r9.xy, r0", floats(3, 4, 12, 99), b, c, floats(13, 13)},
		{"dist r9.x, r0, r1", floats(3, 4, 12, 99), floats(0, 0, 0, 7), c, floats(13)},
		{"nrm r9, r0", floats(0, 3, 4, 10), b, c, floats(0, 0.6, 0.8, 2)},
		{"nrm r9, r0", floats(0, 0, 0, 1), b, c, floats(0, 0, 0, math.MaxFloat32)},
		{"nrm_zeroop(zero) r9, r0", floats(0, 0, 0, 1), b, c, floats(0, 0, 0, 0)},
		{"reflect r9.xyz, r0, r1", a, floats(1, 0, 0, 0), c, floats(-1, -2, 3)},
		{"lit r9, r0", floats(0.5, 2, 99, 3), b, c, floats(1, 0.5, 8, 1)},
		{"lit r9, r0", floats(-0.5, 2, 99, 3), b, c, floats(1, 0, 0, 1)},
		{"lit r9, r0", floats(0.5, 2, 99, 900), b, c, floats(1, 0.5, float32(math.Inf(1)), 1)}, // 2^128
		{"lit r9, r0", floats(0.5, 2, 99, -900), b, c, floats(1, 0.5, 0, 1)},                   // 2^-128 is subnormal
	} {
		if got := evaluate(t, e.src+"\nmov o0, r9", [][4]vec4{{e.a, e.b, e.c}})[0]; got != e.want {
			t.Errorf("%s gives %x, want %x", e.src, got, e.want)
		}
	}
}

func TestTranspose(t *testing.T) {
	rows := [4]vec4{floats(1, 2, 3, 4), floats(5, 6, 7, 8), floats(9, 10, 11, 12), floats(13, 14, 15, 16)}
	for _, e := range []struct {
		src  string
		want vec4
	}{
		{"transpose r4, r0\nmov o0, r5", floats(2, 6, 10, 14)},
		{"transpose r0, r0\nmov o0, r2", floats(3, 7, 11, 15)}, // in place: reads precede writes
		{"transpose r2, r0\nmov o0, r3", floats(2, 6, 10, 14)}, // overlapping
		{"transpose r2, r0\nmov o0, r5", floats(4, 8, 12, 16)},
		{"transpose r4.x_0_, r0\nmov o0, r5", floats(2, 0, 0, 0)},
	} {
		if got := evaluate(t, e.src, [][4]vec4{rows})[0]; got != e.want {
			t.Errorf("%q gives %x, want %x", e.src, got, e.want)
		}
	}
}

// TestDerivatives uses a domain of odd size, whose quads extend beyond it. The invocations beyond affect
// derivatives, but write nothing.
func TestDerivatives(t *testing.T) {
	r := launched(t, `dcl_input_position_interp(linear) vWinCoord0.xy__
dcl_input_generic_interp(linear) v0
dcl_output_generic o0
mul r0, v0, v0
dsx r1.xy, r0.xy
dsy_fine r1.zw, r0.xy
mov o0, r1
mov g[vObjIndex0.x], vObjIndex0.x`, "domain 3 3\nglobal 12 zero\nv 0 linear 0 0 0 0  1 10 0 0  2 0 0 0")
	at := func(x, y, c int) float32 { return math.Float32frombits(r.Out[0][4*(3*y+x)+c]) }
	value := func(x, y int) [2]float64 {
		a, b := float64(x)+0.5+2*(float64(y)+0.5), 10*(float64(x)+0.5)
		return [2]float64{a * a, b * b}
	}
	for y := range 3 {
		for x := range 3 {
			left, top := x&^1, y&^1
			for c := range 2 {
				if want := float32(value(left+1, y)[c] - value(left, y)[c]); at(x, y, c) != want {
					t.Errorf("dsx at %d,%d is %v, want %v", x, y, at(x, y, c), want)
				}
				if want := float32(value(x, top+1)[c] - value(x, top)[c]); at(x, y, 2+c) != want {
					t.Errorf("dsy at %d,%d is %v, want %v", x, y, at(x, y, 2+c), want)
				}
			}
		}
	}
	for i := range 12 {
		want := uint32(i)
		if i >= 9 {
			want = 0
		}
		if r.Global[4*i] != want {
			t.Errorf("g[%d] is %d, want %d", i, r.Global[4*i], want)
		}
	}
}

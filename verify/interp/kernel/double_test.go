package kernel

import (
	"math"
	"testing"
)

var doubleOps = []string{"dadd", "dmul", "dmad", "ddiv", "dmin", "dmax", "dfrac", "dsqrt", "drcp", "drsq", "dldexp",
	"dfrexp", "dmov", "dmovc",
	"deq", "dne", "dlt", "dge", "f2d", "d2f", "dtoi", "dtou", "itod", "utod"}

var doubleValues = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -2.75, 3, 1e300, -1e-300, math.MaxFloat64,
	0x1p-1022, 0x1p-1070, -0x1p-1074,
	math.Inf(1), math.Inf(-1), math.NaN(), math.Pi, 1 << 53, 4294967295.5, -2147483649, 1e-20}

func doubles(x, y float64) vec4 {
	a, b := math.Float64bits(x), math.Float64bits(y)
	if x != x {
		a = 0x7ff8000000000000
	}
	if y != y {
		b = 0x7ff8000000000000
	}
	return vec4{uint32(a), uint32(a >> 32), uint32(b), uint32(b >> 32)}
}

// zeroOr returns x/y, or x times z for a zero y.
func zeroOr(x, y, z float64) float64 {
	if y == 0 {
		return x * math.Copysign(z, y)
	}
	return x / y
}

// TestDoubles covers every pair of values, in the pairs xy and zw of the registers.
func TestDoubles(t *testing.T) {
	var rows [][4]vec4
	var xs, ys []float64
	for i, x := range doubleValues {
		for j, y := range doubleValues {
			z := doubleValues[(i+3*j)%len(doubleValues)]
			rows = append(rows, [4]vec4{doubles(x, y), doubles(y, x), doubles(z, 1)})
			xs, ys = append(xs, x), append(ys, y)
		}
	}
	z := func(i int) float64 { n := len(doubleValues); return doubleValues[(i/n+3*(i%n))%n] }
	choose := func(c bool, a, b float64) float64 {
		if c {
			return a
		}
		return b
	}
	for _, e := range []struct {
		src  string
		want func(x, y, z float64) float64
	}{
		{"dadd r9, r0, r1", func(x, y, _ float64) float64 { return x + y }},
		{"dadd r9, r0, r1_neg(yw)", func(x, y, _ float64) float64 { return x - y }},
		{"dmul r9, r0, r1", func(x, y, _ float64) float64 { return x * y }},
		{"dmad r9, r0, r1, r2.xyxy", func(x, y, z float64) float64 { return float64(x*y) + z }},
		{"ddiv r9, r0, r1", func(x, y, _ float64) float64 { return x / y }},
		{"ddiv_zeroop(fltmax) r9, r0, r1", func(x, y, _ float64) float64 { return zeroOr(x, y, math.MaxFloat64) }},
		{"ddiv_zeroop(zero) r9, r0, r1", func(x, y, _ float64) float64 { return zeroOr(x, y, 0) }},
		{"dmin r9, r0, r1", func(x, y, _ float64) float64 { return choose(x < y || y != y, x, y) }},
		{"dmax r9, r0, r1", func(x, y, _ float64) float64 { return choose(x >= y || y != y, x, y) }},
		{"dfrac r9, r0", func(x, _, _ float64) float64 { return x - math.Floor(x) }},
		{"dsqrt r9, r0", func(x, _, _ float64) float64 { return math.Sqrt(x) }},
		{"drcp r9, r0", func(x, _, _ float64) float64 { return 1 / x }},
		{"drcp_zeroop(zero) r9, r0", func(x, _, _ float64) float64 { return choose(x == 0, math.Copysign(0, x), 1/x) }},
		{"drsq r9, r0", func(x, _, _ float64) float64 {
			return choose(x == 0, math.Copysign(math.Inf(1), x),
				1/math.Sqrt(x))
		}},
	} {
		got := evaluate(t, e.src+"\nmov o0, r9", rows)
		bad := 0
		for i := range rows {
			if want := doubles(e.want(xs[i], ys[i], z(i)), e.want(ys[i], xs[i], z(i))); got[i] != want && bad < 4 {
				bad++
				t.Errorf("%s of %v, %v, %v gives %x, want %x", e.src, xs[i], ys[i], z(i), got[i], want)
			}
		}
	}
	for _, e := range []struct {
		src  string
		want func(x, y float64) uint32
	}{
		{"deq r9.x, r0.xy, r1.xy", func(x, y float64) uint32 { return truth(x == y) }},
		{"dne r9.x, r0.xy, r1.xy", func(x, y float64) uint32 { return truth(x != y) }},
		{"dlt r9.x, r0.xy, r1.xy", func(x, y float64) uint32 { return truth(x < y) }},
		{"dge r9.x, r0.xy, r1.xy", func(x, y float64) uint32 { return truth(x >= y) }},
		{"dlt r9.__z_, r0.zw, r1.zw\nmov r9.x, r9.z", func(x, y float64) uint32 { return truth(y < x) }},
		{"d2f r9.x, r0.xy", func(x, _ float64) uint32 { return to(x) }},
		{"d2f r9.x, r0.zw", func(_, y float64) uint32 { return to(y) }},
		{"dtoi r9.x, r0.xy", func(x, _ float64) uint32 { return uint32(int64(clampTo(x, -1<<31, 1<<31-1))) }},
		{"dtou r9.x, r0.xy", func(x, _ float64) uint32 { return uint32(int64(clampTo(x, 0, 1<<32-1))) }},
	} {
		got := evaluate(t, e.src+"\nmov o0, r9", rows)
		for i := range rows {
			if want := e.want(xs[i], ys[i]); got[i][0] != want {
				t.Errorf("%s of %v, %v gives %x, want %x", e.src, xs[i], ys[i], got[i][0], want)
				break
			}
		}
	}
}

// TestDoublePairs checks that masks and swizzles distribute pairs like other lanes, and that one lane of a
// pair can be written.
func TestDoublePairs(t *testing.T) {
	a, b := doubles(1.5, -3), doubles(10, 0.25)
	mixed := vec4{1, 2, 3, 4}
	for _, e := range []struct {
		src  string
		want vec4
	}{
		{"dadd r9.xy, r0.zw, r1.xy", doubles(7, 0)},
		{"dadd r9.zw, r0.xy, r1.zw", doubles(0, 1.75)},
		{"dmad r9.zw, r0.xy, r1.xy, r1.zw", doubles(0, 15.25)},
		{"dadd r9.zw, r0.xy_neg(y), r1.zw", doubles(0, -1.25)},
		{"dadd r9.zw, r0.xyxy, r1", doubles(0, 1.75)},
		{"dadd r9, r0.zwxy, r1", doubles(7, 1.75)},
		{"dmul r9._y__, r0.xyxy, r1.xyxy", vec4{0, 0x402e0000}},
		{"dmul r9.xy01, r0.xy, r1.xy", vec4{0, 0x402e0000, 0, 0x3f800000}},
		{"dldexp r9, r0, r2.yyxx", doubles(6, -6)},
		{"dldexp r9.zw, r0.xy, r2.z", doubles(0, 12)},
		{"dmov r9.xy, r0.zw", doubles(-3, 0)},
		{"dmovc r9, r2.xx00, r0, r1", doubles(1.5, 0.25)},
		{"f2d r9, r3.xy", doubles(2.5, -7)},
		{"f2d r9.zw, r3.xy", doubles(0, -7)},
		{"itod r9, r2.xy_neg(xyzw)", doubles(-1, -2)},
		{"itod r9.xy, r2.w", doubles(4, 0)},
		{"utod r9.xy, r2.x_neg", doubles(4294967295, 0)},
		{"dfrexp r9, r1.xy", vec4{0, 4, 0, 0x3fe40000}}, // 10 = 0.625 * 16
	} {
		if got := evaluate(t, e.src+"\nmov o0, r9", [][4]vec4{{a, b, mixed, floats(2.5, -7)}})[0]; got != e.want {
			t.Errorf("%s gives %x, want %x", e.src, got, e.want)
		}
	}
}

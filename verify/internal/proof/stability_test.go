package proof

import (
	"math"
	"testing"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/reals"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// maker computes a value in a domain.
type maker func(d *domain, x, y, z stabilityValue) stabilityValue

// judged returns the result of Unstable for two versions that compute a value of three inputs. Unstable also compares
// the values of their opaque functions.
func judged(before, after maker) *instability {
	d := newStability(reals.NewField(7, false), 7)
	var out [2]stabilityValue
	for side, f := range []maker{before, after} {
		d.Begin(side)
		d.Always()
		var in [3]stabilityValue
		for i := range in {
			in[i] = d.Opaque(symbolic.TagInput, uint64(i), nil)
		}
		out[side] = f(d, in[0], in[1], in[2])
	}
	return d.Unstable([][2]stabilityValue{out})
}

func (d *domain) call(p ir.Prim, args ...stabilityValue) stabilityValue {
	return d.Call(p, args)
}

// TestUnstable checks pairs that are equal over the reals. Each unstable pair has similar stable ones.
func TestUnstable(t *testing.T) {
	plain := func(d *domain, x, y, z stabilityValue) stabilityValue { return x }
	through := func(c float32) maker {
		return func(d *domain, x, y, z stabilityValue) stabilityValue {
			return d.Add(d.Add(x, d.Const(c)), d.Const(-c))
		}
	}
	product := func(d *domain, x, y, z stabilityValue) stabilityValue { return d.Mul(x, d.Add(y, z)) }
	less := func(d *domain, a, b stabilityValue) stabilityValue { return d.Compare(ir.CondLT, a, b) }
	for _, test := range []struct {
		name          string
		before, after maker
		unstable      bool
	}{
		{"cancelled literal", plain, through(1e12), true},
		{"cancelled literal of before", through(1e12), plain, false},
		{"small literal", plain, through(1), true}, // inputs near 2^-24 are lost
		{"cancelled input", plain, func(d *domain, x, y, z stabilityValue) stabilityValue { return d.Add(d.Add(x, y), d.Neg(y)) }, true},
		{"sum in another order", func(d *domain, x, y, z stabilityValue) stabilityValue { return d.Add(d.Add(x, y), z) },
			func(d *domain, x, y, z stabilityValue) stabilityValue { return d.Add(x, d.Add(y, z)) }, false},
		{"distributed", product, func(d *domain, x, y, z stabilityValue) stabilityValue {
			return d.Add(d.Mul(x, y), d.Mul(x, z))
		}, false},
		{"factored", func(d *domain, x, y, z stabilityValue) stabilityValue {
			return d.Add(d.Mul(x, y), d.Mul(x, z))
		}, product, false},
		{"fused", func(d *domain, x, y, z stabilityValue) stabilityValue { return d.Add(d.Mul(x, y), z) },
			func(d *domain, x, y, z stabilityValue) stabilityValue { return d.call(ir.PrimFma, x, y, z) }, false},
		{"scaled and back", plain, func(d *domain, x, y,
			z stabilityValue) stabilityValue {
			return d.Mul(d.Mul(x, y), d.call(ir.PrimRcp, y))
		}, false},
		{"large factor", plain, func(d *domain, x, y, z stabilityValue) stabilityValue {
			return d.Add(d.Mul(x, d.Const(4097)), d.Mul(x, d.Const(-4096)))
		}, true},
		{"small factor", plain, func(d *domain, x, y, z stabilityValue) stabilityValue {
			return d.Add(d.Mul(x, d.Const(2)), d.Neg(x))
		}, false},
		{"difference of squares", func(d *domain, x, y, z stabilityValue) stabilityValue {
			return d.Mul(d.Add(x, y), d.Add(x, d.Neg(y)))
		},
			func(d *domain, x, y, z stabilityValue) stabilityValue {
				return d.Add(d.Mul(x, x), d.Neg(d.Mul(y, y)))
			}, false}, // the error of the inputs is as large
		{"overflow", plain, func(d *domain, x, y, z stabilityValue) stabilityValue {
			big := d.Const(1e38)
			return d.Add(d.Mul(d.Mul(d.Add(x, d.Const(16)), big), d.Const(1e-38)), d.Const(-16))
		}, true},
		{"an arm", func(d *domain, x, y, z stabilityValue) stabilityValue { return d.Choose(less(d, y, z), x, y) },
			func(d *domain, x, y, z stabilityValue) stabilityValue {
				return d.Choose(less(d, y, z), through(1e12)(d, x, y, z), y)
			}, true},
		{"the other arm", func(d *domain, x, y, z stabilityValue) stabilityValue { return d.Choose(less(d, y, z), y, x) },
			func(d *domain, x, y, z stabilityValue) stabilityValue {
				return d.Choose(less(d, y, z), y, through(1e12)(d, x, y, z))
			}, true},
		{"an arm that is seldom chosen", func(d *domain, x, y, z stabilityValue) stabilityValue {
			return d.Choose(d.Compare(ir.CondEQ, y, d.Const(0.7)), x, y)
		}, func(d *domain, x, y, z stabilityValue) stabilityValue {
			return d.Choose(d.Compare(ir.CondEQ, y, d.Const(0.7)), through(1e12)(d, x, y, z), y)
		}, true},
		{"arms in turn", func(d *domain, x, y, z stabilityValue) stabilityValue { return d.Choose(less(d, y, z), x, y) },
			func(d *domain, x, y, z stabilityValue) stabilityValue {
				return d.Choose(d.Not(less(d, y, z)), y, x)
			}, false},
		{"only compared", func(d *domain, x, y, z stabilityValue) stabilityValue { return d.Choose(less(d, x, z), y, z) },
			func(d *domain, x, y, z stabilityValue) stabilityValue {
				return d.Choose(less(d, through(64)(d, x, y, z), z), y, z)
			}, false},
		{"operand of an opaque function", func(d *domain, x, y,
			z stabilityValue) stabilityValue {
			return d.Opaque(symbolic.TagFetch, 1, []stabilityValue{x})
		},
			func(d *domain, x, y, z stabilityValue) stabilityValue {
				return d.Opaque(symbolic.TagFetch, 1, []stabilityValue{through(1e12)(d, x, y, z)})
			}, true},
		{"clamped", func(d *domain, x, y, z stabilityValue) stabilityValue { return d.Saturate(x) },
			func(d *domain, x, y, z stabilityValue) stabilityValue {
				return d.Saturate(through(1e12)(d, x, y, z))
			}, true},
		{"the larger one", func(d *domain, x, y, z stabilityValue) stabilityValue { return d.call(ir.PrimMax, x, y) },
			func(d *domain, x, y, z stabilityValue) stabilityValue {
				return d.call(ir.PrimMax, through(1e12)(d, x, y, z), y)
			}, true},
		{"a root of a sum that cancels", func(d *domain, x, y, z stabilityValue) stabilityValue {
			return d.call(ir.PrimSqrt, d.Mul(x, x))
		},
			func(d *domain, x, y, z stabilityValue) stabilityValue {
				return d.call(ir.PrimSqrt, d.Add(d.Add(d.Mul(x, x), d.Const(1e6)), d.Const(-1e6)))
			}, true},
	} {
		if u := judged(test.before, test.after); (u != nil) != test.unstable {
			t.Errorf("%s: unstable: %v (%+v), want %v", test.name, u != nil, u, test.unstable)
		}
	}
}

// exactly returns a float32 without error.
func exactly(x float64) number { return number{x: float64(float32(x))} }

// TestNumberOfKnownSums computes bounds of sums whose error is known.
func TestNumberOfKnownSums(t *testing.T) {
	for _, test := range []struct {
		name   string
		v      number
		lo, hi float64 // limits of the bound
	}{
		{"exact sum", roundedSum(exactly(1), exactly(0x1p-23)), 0, 0},
		{"rounded sum", roundedSum(exactly(1), exactly(0x1p-24)), 0x1p-25, 0x1p-23},
		{"exact product", product(exactly(3), exactly(5)), 0, 0},
		{"rounded product", product(exactly(1.1), exactly(1.1)), 0x1p-26, 0x1p-22},
		// 1e12 has a spacing of 2^16: the sum loses all of 1.
		{"cancellation", roundedSum(roundedSum(exactly(1), exactly(1e12)), exactly(-1e12)), 0.5, 1e5},
		{"cancellation without rounding", roundedSum(roundedSum(exactly(1), exactly(0x1p20)), exactly(-0x1p20)), 0, 0},
		{"harmonic numbers", roundedSum(roundedSum(exactly(1), exactly(1.0/3)), exactly(1.0/7)), 0x1p-26, 0x1p-21},
		{"error of an operand", product(number{x: 2, err: 0.25}, exactly(8)), 2, 2.001},
		{"errors of both", product(number{x: 2, err: 0.25}, number{x: 8, err: 0.5}), 3, 3.001},
	} {
		if !(test.v.err >= test.lo && test.v.err <= test.hi) {
			t.Errorf("%s: bound %g, want %g to %g", test.name, test.v.err, test.lo, test.hi)
		}
	}
	if v := product(exactly(1e30), exactly(1e30)); !math.IsInf(v.x, 1) {
		t.Errorf("an overflow is %g", v.x)
	}
	if v := product(exactly(1e-30), exactly(1e-30)); v.err < 1e-60 {
		t.Errorf("an underflow is off by %g, which may be all of it", v.err)
	}
}

// TestNumberNearPoles checks functions near poles, and where they are not defined.
func TestNumberNearPoles(t *testing.T) {
	off := func(x, err float64) number { return number{x: x, err: err} }
	root := func(a number) number { return at(unaryRule(squareRoot), a) }
	for _, test := range []struct {
		name string
		v    number
		lo   float64 // of the bound
	}{
		{"reciprocal near 0", reciprocal(off(0x1p-20, 0x1p-30)), 0x1p10},
		{"reciprocal at 1", reciprocal(off(1, 0x1p-30)), 0x1p-30},
		{"reciprocal root near 0", reciprocalRoot(off(0x1p-20, 0x1p-30)), 0x1p-1},
		{"root near 0", root(off(0x1p-40, 0x1p-42)), 0x1p-23},
		{"logarithm near 0", logarithm(off(0x1p-30, 0x1p-40)), 0x1p-10},
		{"logarithm near 1", logarithm(off(1+0x1p-20, 0)), logError},
		{"exponential of a large number", exponential(off(100, 0x1p-10)), 0x1p89},
		{"power of a large exponent", power(off(1.5, 0x1p-20), exactly(60)), 60 * 0x1p-20},
		{"sine", sinusoid(off(1000, 0.5), math.Sin), 0.5},
	} {
		if !(test.v.err >= test.lo) || math.IsInf(test.v.x, 0) {
			t.Errorf("%s: %g, off by up to %g, want at least %g", test.name, test.v.x, test.v.err, test.lo)
		}
	}
	for name, v := range map[string]number{"reciprocal": reciprocal(exactly(0)),
		"reciprocal root": reciprocalRoot(exactly(0)), "logarithm": logarithm(exactly(0)),
		"root": root(exactly(-1))} {
		if v.x == v.x {
			t.Errorf("%s where it is not defined: %g", name, v.x)
		}
	}
	if v := root(exactly(0)); v.x != 0 || v.err != 0 {
		t.Errorf("the root of 0 is %g, off by up to %g", v.x, v.err)
	}
	if v := root(off(0, 0x1p-40)); !(v.err > 0) {
		t.Errorf("the root of something near 0 is off by up to %g", v.err)
	}
	for name, v := range map[string]number{"exponential": at(unaryRule(exponential), exactly(129)),
		"reciprocal": at(unaryRule(reciprocal), exactly(0x1p-129))} {
		if v = finite(v); !math.IsInf(v.x, 1) {
			t.Errorf("%s overflows to %g", name, v.x)
		}
	}
	if v := sinusoid(off(5, 1e9), math.Cos); v.err > 2+1e-3 {
		t.Errorf("a cosine is off by up to %g", v.err)
	}
}

// at returns the result of a rule for one operand.
func at(f rule, a number) number {
	var v [lanes]number
	f(&points{place: []int32{0, 1}, vals: [][lanes]number{{}, {a}}}, &node{shape: shape{args: [3]ref{1}}}, &v)
	return v[0]
}

// TestNumberBounds compares the bounds with float32 for chains of operations on random inputs.
func TestNumberBounds(t *testing.T) {
	r := symbolic.Stream(3)
	draw := func() float32 {
		return float32(math.Ldexp(float64(r.Float())+0.5, r.Below(20)-10)) * float32(1-2*r.Below(2))
	}
	for range 20000 {
		v, w := number{}, float32(0)
		for range 1 + r.Below(6) {
			f := draw()
			x := exactly(float64(f))
			switch r.Below(5) {
			case 0:
				v, w = roundedSum(v, x), w+f
			case 1:
				v, w = roundedSum(v, number{x: -x.x}), w-f
			case 2:
				v, w = product(v, x), w*f
			case 3:
				if w != 0 {
					v, w = reciprocal(v), 1/w
				}
			case 4:
				if v.x > 0 && w > 0 {
					v, w = at(unaryRule(squareRoot), v), float32(math.Sqrt(float64(w)))
				}
			}
		}
		// First-order bounds are meaningless if only a few bits of an operand are known.
		if math.IsInf(v.x, 0) || v.x != v.x || v.err > 0x1p-8*math.Abs(v.x) {
			continue
		}
		if d := math.Abs(float64(w) - v.x); !(d <= 1.05*v.err+0x1p-126) {
			t.Fatalf("float32 gives %g where real numbers give %g: off by %g, bound %g", w, v.x, d, v.err)
		}
	}
}

// TestStep checks that rounding moves an operand over at most one jump. A larger error is an error of the result.
func TestStep(t *testing.T) {
	if v := jumpFunction(number{x: 2.5, err: 0x1p-20}, math.Floor); v.x != 2 || v.err != 0 {
		t.Errorf("floor of 2.5 is %g, off by up to %g", v.x, v.err)
	}
	if v := jumpFunction(number{x: 2.5, err: 3}, math.Floor); v.err < 3 {
		t.Errorf("floor of a number that is off by 3 is off by up to %g", v.err)
	}
}

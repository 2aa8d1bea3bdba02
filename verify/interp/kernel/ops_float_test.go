package kernel

import (
	"math"
	"math/big"
)

// legacyProduct returns 0 if one factor is 0 and the other is not finite.
func legacyProduct(a, b uint32) float64 {
	x, y := f(a), f(b)
	if (x == 0 || y == 0) && math.IsNaN(x*y) {
		return 0
	}
	return x * y
}

// rcp returns 1/x with a given value for x = 0.
func rcp(a uint32, zero float64) float64 {
	if x := f(a); x != 0 {
		return f(to(1 / x))
	}
	return math.Copysign(zero, f(a))
}

func exactFma(a, b, c uint32) uint32 {
	x, y, z := f(a), f(b), f(c)
	if s := x*y + z; math.IsNaN(s) || math.IsInf(s, 0) || x*y == 0 {
		return to(s)
	}
	p := new(big.Float).SetPrec(2000).Mul(big.NewFloat(x), big.NewFloat(y))
	r, _ := p.Add(p, new(big.Float).SetPrec(2000).SetFloat64(z)).Float32()
	if r == 0 && p.Sign() == 0 {
		return to(x*y + z)
	}
	return to(float64(r))
}

func clampTo(x, lo, hi float64) float64 {
	switch {
	case x != x:
		return 0
	case x < lo:
		return lo
	case x > hi:
		return hi
	}
	return math.Trunc(x)
}

var floatCases = []opCase{
	{"mov", 1, floatWords, false, func(a, _, _, _ uint32) uint32 { return a }},
	{"cmov", 3, floatWords, false, func(a, b, c, _ uint32) uint32 {
		if f(a) == 0 {
			return c
		}
		return b
	}},
	{"cmov_logical", 3, floatWords, false, func(a, b, c, _ uint32) uint32 {
		if a == 0 {
			return c
		}
		return b
	}},
	{"abs", 1, floatWords, false, func(a, _, _, _ uint32) uint32 { return a & 0x7fffffff }},
	{"add", 2, floatWords, false, func(a, b, _, _ uint32) uint32 { return to(f(a) + f(b)) }},
	{"sub", 2, floatWords, false, func(a, b, _, _ uint32) uint32 { return to(f(a) - f(b)) }},
	{"mul", 2, floatWords, false, func(a, b, _, _ uint32) uint32 { return to(legacyProduct(a, b)) }},
	{"mul_ieee", 2, floatWords, false, func(a, b, _, _ uint32) uint32 { return to(f(a) * f(b)) }},
	{"mad", 3, floatWords, false, func(a, b, c, _ uint32) uint32 { return to(f(to(legacyProduct(a, b))) + f(c)) }},
	{"mad_ieee", 3, floatWords, false, func(a, b, c, _ uint32) uint32 { return to(f(to(f(a)*f(b))) + f(c)) }},
	{"fma", 3, floatWords, false, func(a, b, c, _ uint32) uint32 { return exactFma(a, b, c) }},
	{"min", 2, floatWords, false, func(a, b, _, _ uint32) uint32 {
		if f(a) < f(b) {
			return to(f(a))
		}
		return to(f(b))
	}},
	{"max", 2, floatWords, false, func(a, b, _, _ uint32) uint32 {
		if f(a) >= f(b) {
			return to(f(a))
		}
		return to(f(b))
	}},
	{"min_ieee", 2, floatWords, false, func(a, b, _, _ uint32) uint32 {
		if f(a) < f(b) || math.IsNaN(f(b)) {
			return to(f(a))
		}
		return to(f(b))
	}},
	{"max_ieee", 2, floatWords, false, func(a, b, _, _ uint32) uint32 {
		if f(a) >= f(b) || math.IsNaN(f(b)) {
			return to(f(a))
		}
		return to(f(b))
	}},
	{"clamp", 3, floatWords, false, func(a, b, c, _ uint32) uint32 {
		x := f(b)
		if f(a) >= x {
			x = f(a)
		}
		if x < f(c) {
			return to(x)
		}
		return to(f(c))
	}},
	{"lrp", 3, floatWords, false, func(a, b, c,
		_ uint32) uint32 {
		return to(f(to(legacyProduct(a, to(f(b)-f(c))))) + f(c))
	}},
	{"mod", 2, floatWords, false, func(a, b, _, _ uint32) uint32 { return to(math.Mod(f(a), f(b))) }},
	{"frc", 1, floatWords, false, unary(func(x float64) float64 { return x - math.Floor(x) })},
	{"flr", 1, floatWords, false, unary(math.Floor)},
	{"rnd", 1, floatWords, false, unary(math.RoundToEven)},
	{"trc", 1, floatWords, false, unary(math.Trunc)},
	{"round_nearest", 1, floatWords, false, unary(math.RoundToEven)},
	{"round_neginf", 1, floatWords, false, unary(math.Floor)},
	{"round_plusinf", 1, floatWords, false, unary(math.Ceil)},
	{"round_z", 1, floatWords, false, unary(math.Trunc)},
	{"sgn", 1, floatWords, false, func(a, _, _, _ uint32) uint32 {
		if x := f(a); x > 0 || x < 0 {
			return to(math.Copysign(1, x))
		}
		return 0
	}},
	{"sqrt", 1, floatWords, true, unary(math.Sqrt)},
	{"sqrt_vec", 1, floatWords, false, unary(math.Sqrt)},
	{"exp", 1, floatWords, true, unary(math.Exp2)},
	{"exp_vec", 1, floatWords, false, unary(math.Exp2)},
	{"log", 1, floatWords, true, unary(math.Log2)},
	{"log_vec", 1, floatWords, false, unary(math.Log2)},
	{"ln", 1, floatWords, true, unary(math.Log)},
	{"sin", 1, floatWords, true, unary(math.Sin)},
	{"sin_vec", 1, floatWords, false, unary(math.Sin)},
	{"cos", 1, floatWords, true, unary(math.Cos)},
	{"cos_vec", 1, floatWords, false, unary(math.Cos)},
	{"tan", 1, floatWords, true, unary(math.Tan)},
	{"tan_vec", 1, floatWords, false, unary(math.Tan)},
	{"asin", 1, floatWords, false, unary(math.Asin)},
	{"acos", 1, floatWords, false, unary(math.Acos)},
	{"atan", 1, floatWords, false, unary(math.Atan)},
	{"pow", 2, floatWords, true, func(a, b, _, _ uint32) uint32 { return to(math.Pow(math.Abs(f(a)), f(b))) }},
	{"rcp", 1, floatWords, true, func(a, _, _, _ uint32) uint32 { return to(rcp(a, math.MaxFloat32)) }},
	{"rcp_vec", 1, floatWords, false, func(a, _, _, _ uint32) uint32 { return to(rcp(a, math.MaxFloat32)) }},
	{"rcp_vec_zeroop(zero)", 1, floatWords, false, func(a, _, _, _ uint32) uint32 { return to(rcp(a, 0)) }},
	{"rcp_vec_zeroop(infinity)", 1, floatWords, false, func(a, _, _, _ uint32) uint32 { return to(rcp(a, math.Inf(1))) }},
	{"rcp_vec_zeroop(inf_else_max)", 1, floatWords, false,
		func(a, _, _, _ uint32) uint32 { return to(rcp(a, math.Inf(1))) }},
	{"rsq", 1, floatWords, true, func(a, _, _, _ uint32) uint32 {
		if x := f(a); x != 0 {
			return to(1 / math.Sqrt(x))
		}
		return to(math.Copysign(math.MaxFloat32, f(a)))
	}},
	{"rsq_vec_zeroop(infinity)", 1, floatWords, false, func(a, _, _, _ uint32) uint32 {
		if x := f(a); x != 0 {
			return to(1 / math.Sqrt(x))
		}
		return to(math.Copysign(math.Inf(1), f(a)))
	}},
	{"div", 2, floatWords, false, func(a, b, _,
		_ uint32) uint32 {
		return to(legacyProduct(a, to(rcp(b, math.MaxFloat32))))
	}},
	{"div_zeroop(zero)", 2, floatWords, false,
		func(a, b, _, _ uint32) uint32 { return to(legacyProduct(a, to(rcp(b, 0)))) }},
	{"div_zeroop(infinity)", 2, floatWords, false,
		func(a, b, _, _ uint32) uint32 { return to(f(a) * rcp(b, math.Inf(1))) }},
	{"eq", 2, floatWords, false, compare(func(x, y float64) bool { return x == y })},
	{"ne", 2, floatWords, false, compare(func(x, y float64) bool { return x != y })},
	{"lt", 2, floatWords, false, compare(func(x, y float64) bool { return x < y })},
	{"ge", 2, floatWords, false, compare(func(x, y float64) bool { return x >= y })},
}

package combine

import (
	"slices"

	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/internal/rules"
)

// sums fuse a sum with the products that it adds. A legacy product that is zero is +0, whatever the signs of
// its factors.
var sums = []rules.Rule{
	{From: "add(s*shared(mul(a, b)), c)", To: "mad(s*a, b, c) || mad(a, s*b, c)", Class: passes.Real, Fused: true,
		Every: true, Where: "s == 1 || reals"},
}

// chains combine two steps: (x*c + d)*e + f is x*(c*e) + (d*e + f).
var chains = []rules.Rule{
	{From: "add(s*add(x, K), L)", To: "affine(s*x, 1, s*K + L)", Class: passes.Real},
	{From: "add(s*mad(x, K, L), M)", To: "affine(x, s*K, s*L + M)", Class: passes.Real},
	{From: "add(s*mad(x, y, K), L)", To: "product(s*x, y, s*K + L)", Class: passes.Real},
	{From: "mul(s*add(x, K), L)", To: "affine(x, s*L, s*K*L)", Class: passes.Real},
	{From: "mul(s*mul(x, K), L)", To: "affine(x, s*K*L, 0)", Class: passes.Real},
	{From: "mul(s*mad(x, K, L), M)", To: "affine(x, s*K*M, s*L*M)", Class: passes.Real},
	{From: "mad(s*add(x, K), L, M)", To: "affine(x, s*L, s*K*L + M)", Class: passes.Real},
	{From: "mad(s*mul(x, K), L, M)", To: "affine(x, s*K*L, M)", Class: passes.Real},
	{From: "mad(s*mad(x, K, L), M, N)", To: "affine(x, s*K*M, s*L*M + N)", Class: passes.Real},
	{From: "mad(s*mul(x, K), L, y)", To: "weighted(x, s*K*L, y)", Class: passes.Real},
}

// lerps have a literal arm. A lrp takes two slots.
var lerps = []rules.Rule{
	{From: "lrp(a, b, b)", To: "mov(b)", Class: passes.Real},
	{From: "lrp(a, b, 0)", To: "mul(a, b)", Class: passes.Real},
	{From: "lrp(a, 0, c)", To: "mad(-a, c, c) || mad(a, -c, c)", Class: passes.Real},
	{From: "lrp(a, K, L)", To: "mad(a, K - L, L)", Class: passes.Real},
	{From: "lrp(a, mad(x, K, L), mad(y, K, L))", To: "mad(lrp(a, x, y), K, L)", Class: passes.Real},
}

// masks are selections between 0, 1 and -1 that scale a product or an interpolation.
var masks = []rules.Rule{
	{From: "mul(s*cmp(u, K, L), x)", To: "cmp(u, pick(K == 0, 0, s*K*x), pick(L == 0, 0, s*L*x))", Class: passes.Real,
		Where: "K*K*K == K && L*L*L == L"},
	{From: "lrp(s*cmp(u, K, L), x, y)", To: "cmp(u, pick(s*K == 1, x, y), pick(s*L == 1, x, y))", Class: passes.Real,
		Where: "K*K == s*K && L*L == s*L"},
}

// choices are absolute values, minima and maxima, and selections by selections.
var choices = []rules.Rule{
	{From: "cmp(s*cmp(u, K, L), x, y)", To: "cmp(u, pick(s*K >= 0, x, y), pick(s*L >= 0, x, y))", Class: passes.Real},
	{From: "abs(x)", To: "mov(mag(x))", Class: passes.Bits},
	{From: "max(x, -x)", To: "mov(mag(x))", Class: passes.Real},
	{From: "min(x, -x)", To: "mov(-mag(x))", Class: passes.Real},
	{From: "cmp(x, x, -x)", To: "mov(mag(x))", Class: passes.Real},
	{From: "cmp(x, -x, x)", To: "mov(-mag(x))", Class: passes.Real},
	{From: "cmp(s*add(x, y), s*x, -s*y)", To: "max(s*x, -s*y)", Class: passes.Real},
	{From: "cmp(s*add(x, y), -s*y, s*x)", To: "min(-s*y, s*x)", Class: passes.Real},
}

// clamps merges nested clamps and removes ineffective ones. The result for a NaN may differ.
var clamps = []rules.Rule{
	{From: "max(min(x, 1), 0)", To: "mov_sat(x)", Class: passes.Real},
	{From: "min(max(x, 0), 1)", To: "mov_sat(x)", Class: passes.Real},
	{From: "max(max(x, K), L)", To: "max(x, max(K, L))", Class: passes.Real},
	{From: "min(min(x, K), L)", To: "min(x, min(K, L))", Class: passes.Real},
	{From: "max(x, 0)", To: "mov(x)", Class: passes.Real, Where: "low(x) >= 0"},
	{From: "min(x, 0)", To: "mov(x)", Class: passes.Real, Where: "high(x) <= 0"},
	{From: "abs(x)", To: "mov(x)", Class: passes.Real, Where: "low(x) >= 0"},
}

// powers are powers with exponents that take fewer slots, and functions of their inverses. At zero they agree
// with the power: rcp and rsq of 0 are infinite, rcp of infinity is 0.
var powers = append(slices.Concat(
	power(rules.Rule{To: "mul(x, x)", Where: "E == 2"}),
	power(rules.Rule{To: "rcp(x)", Where: "E == -1 && low(x) >= 0"}),
	power(rules.Rule{To: "rcp(mag(x))", Where: "E == -1"}),
	power(rules.Rule{To: "rsq(x)", Where: "E == -0.5"}),
	power(rules.Rule{To: "rcp(rsq(x))", Where: "E == 0.5"}),
	power(rules.Rule{To: "mul(mul(x, x), x)", Where: "E == 3 && low(x) >= 0"}),
	power(rules.Rule{To: "mul(mul(x, x), mag(x))", Where: "E == 3"}),
	power(rules.Rule{To: "mul(mul(x, x), mul(x, x))", Where: "E == 4"})),
	rules.Rule{From: "rcp(s*shared(rcp(x)))", To: "mov(s*x)", Class: passes.Real},
)

// power returns rule r for |x|^E, written as pow or as exp(e * log x).
func power(r rules.Rule) []rules.Rule {
	r.From, r.Class = "POWER", passes.Real
	return rules.RuleFamily([]string{"POWER", "E"}, [][]string{{"pow(x, K)", "K"}, {"exp(s*mul(t*log(x), K))", "s*t*K"}},
		r)
}

// common factors out an operation that both sides of a selection, an interpolation or a bound share.
var common = []rules.Rule{
	{From: "cmp(u, mul(x, y), mul(z, y))", To: "mul(cmp(u, x, z), y)", Class: passes.Real},
	{From: "cmp(u, add(x, y), add(z, y))", To: "add(cmp(u, x, z), y)", Class: passes.Real},
	{From: "cmp(u, rcp(x), rcp(y))", To: "rcp(cmp(u, x, y))", Class: passes.Real},
	{From: "cmp(u, rsq(x), rsq(y))", To: "rsq(cmp(u, x, y))", Class: passes.Real},
	{From: "lrp(u, mul(x, y), mul(z, y))", To: "mul(lrp(u, x, z), y)", Class: passes.Real},
	{From: "lrp(u, add(x, y), add(z, y))", To: "add(lrp(u, x, z), y)", Class: passes.Real},
	{From: "max(add(x, y), add(z, y))", To: "add(max(x, z), y)", Class: passes.Real},
	{From: "min(add(x, y), add(z, y))", To: "add(min(x, z), y)", Class: passes.Real},
}

// signs are selections by a value and its negation, endings of inverse cosines, and remainders.
var signs = []rules.Rule{
	{From: "mad(mad(x, -2, K), cmp(u, 0, 1), x)", To: "cmp(u, x, add(-x, K))", Class: passes.Real},
	{From: "mad(mad(x, -2, K), cmp(u, 1, 0), x)", To: "cmp(u, add(-x, K), x)", Class: passes.Real},
	{From: "mul(cmp(x, K, L), x)", To: "mul(mag(x), K)", Class: passes.Real, Where: "L == -K"},
}

// bounded results saturate, if they are numbers: min(NaN, 1) is 1, and a NaN saturates to 0.
var bounded = []rules.Rule{
	{From: "max(add(-exp(x), 1), 0)", To: "add_sat(-exp(x), 1)", Class: passes.Real},
}

// functions simplify compositions of functions.
var functions = []rules.Rule{
	{From: "mul(s*rcp(x), t*rcp(y))", To: "rcp(mul(s*t*x, y))", Class: passes.Real},
	{From: "mul(rsq(x), rsq(y))", To: "rsq(mul(x, y))", Class: passes.Real},
	{From: "mul(exp(x), exp(y))", To: "exp(add(x, y))", Class: passes.Real},
	{From: "add(log(x), log(y))", To: "log(mul(x, y))", Class: passes.Real},
	// Where x is -infinity, as log 0, clients that clamp reciprocals have a product with 0 that is 0, not NaN.
	{From: "rcp(exp(x))", To: "exp(-x)", Class: passes.Real, Where: "!infinite(x)"},
	{From: "exp(log(x))", To: "mov(mag(x))", Class: passes.Real},
	{From: "rsq(s*mul(x, x))", To: "rcp(mag(x))", Class: passes.Real},
	// For a larger summand, the lost bits of the fraction exceed the rounding errors of x that executions are
	// judged by. With 100, one program of hundreds was refused.
	{From: "frc(add(x, K))", To: "frc(x)", Class: passes.Real, Where: "u32(K) == K && K <= 8"},
	{From: "div(1, x, K)", To: "rcpz(x, K)", Class: passes.Real},
}

// short dot products become products and sums: a dot product takes all four vector slots.
var short = []rules.Rule{
	{From: "dp2(a, b)", To: "mad(a.y, b.y, mul(a.x, b.x))", Class: passes.Real, Where: "lanes < 3"},
	{From: "dp3(a, b)", To: "mad(a.z, b.z, mad(a.y, b.y, mul(a.x, b.x)))", Class: passes.Real, Where: "lanes < 2"},
}

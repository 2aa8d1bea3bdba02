package combine

import (
	"sync"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/internal/rules"
)

// Expose regroups sums and products of f so that values which may be computed elsewhere, at other rates than
// f, become adjacent: (x*u)*k is x*(u*k). The callback rate returns the class of a value that may move, and
// Nonlinear for others. It returns the number of rewrites, none of which saves anything alone. New values
// have no class yet; once they have, there may be more to regroup.
//
//	mul r0, r1, c0            mul r2, c0, c1           which moves
//	mul r0, r0, c1            mul r0, r1, r2
func Expose(ctx *passes.Ctx, f *ir.Func, rate func(*ir.Value) ir.Linearity) int {
	c := newCombiner(ctx, f)
	c.grant, c.rules, c.rate, c.matcher.Free = ctx.ShouldRewrite, exposures(), rate, true
	c.region(f.Body)
	c.sweep(f.Body)
	return c.rewrites
}

var exposures = sync.OnceValue(func() *table { return tableOf(compileRules(regrouped)) })

// regrouped are sums and products of values that may move (m, n, k, j) and values that stay (x, y). They also
// merge affine functions in a row, and move quotients by interpolated values (w). rate is 2 for interpolated
// values, 1 for values that are constant over a draw, and 0.5 for literals. For values that stay it exceeds
// the sum of all of these. So a product may move if the rates of its factors sum to at most 3. No operation
// is made of literals alone, since it would have to be exact, as for [chains]. A product of two literals in a
// sum has to be finite.
var regrouped = []rules.Rule{
	{From: "mad(s*mul(t*rcp(w), m), n, k)", To: "mul(s*t*rcp(w), mad(m, n, mul(s*t*k, w)))", Class: passes.Real,
		Where: "rate(m) + rate(n) <= 3 && rate(m) + rate(n) > 1 && rate(k) <= 1 && rate(w) == 2"},
	{From: "add(s*mul(t*rcp(w), m), k)", To: "mul(s*t*rcp(w), add(m, mul(s*t*k, w)))", Class: passes.Real,
		Where: "rate(m) <= 2 && rate(k) <= 1 && rate(w) == 2"},
	{From: "add(s*mad(t*rcp(w), m, j), k)", To: "mul(s*t*rcp(w), add(m, mul(add(t*j, s*t*k), w)))", Class: passes.Real,
		Where: "rate(m) <= 2 && rate(j) <= 1 && rate(k) <= 1 && rate(j) + rate(k) > 1 && rate(w) == 2"},
	{From: "mul(s*mul(x, m), n)", To: "mul(s*x, mul(m, n))", Class: passes.Real,
		Where: "rate(m) + rate(n) <= 3 && rate(m) + rate(n) > 1 && rate(x) > 3"},
	{From: "mul(s*mul(t*mul(x, m), y), n)", To: "mul(mul(s*x, t*y), mul(m, n))", Class: passes.Real,
		Where: "rate(m) + rate(n) <= 3 && rate(m) + rate(n) > 1 && rate(x) > 3 && rate(y) > 3"},
	{From: "mul(s*mul(x, m), t*mul(y, n))", To: "mul(mul(s*x, t*y), mul(m, n))", Class: passes.Real,
		Where: "rate(m) + rate(n) <= 3 && rate(m) + rate(n) > 1 && rate(x) > 3 && rate(y) > 3"},
	{From: "add(s*add(x, m), n)", To: "add(s*x, add(s*m, n))", Class: passes.Real,
		Where: "rate(m) <= 2 && rate(n) <= 2 && rate(m) + rate(n) > 1 && rate(x) > 3"},
	{From: "add(s*add(x, m), t*add(y, n))", To: "add(add(s*x, t*y), add(s*m, t*n))", Class: passes.Real,
		Where: "rate(m) <= 2 && rate(n) <= 2 && rate(m) + rate(n) > 1 && rate(x) > 3 && rate(y) > 3"},
	{From: "add(s*mad(x, y, m), n)", To: "mad(s*x, y, add(s*m, n))", Class: passes.Real,
		Where: "rate(m) <= 2 && rate(n) <= 2 && rate(m) + rate(n) > 1 && rate(x) > 3"},
	{From: "mul(s*mad(x, m, k), n)", To: "mad(s*x, mul(m, n), mul(s*k, n))", Class: passes.Real,
		Where: "rate(m) + rate(n) <= 3 && rate(m) + rate(n) > 1 && rate(k) + rate(n) <= 3 && rate(k) + rate(n) > 1 && rate(x) > 3"},
	{From: "mad(s*add(x, m), n, k)", To: "mad(s*x, n, mad(s*m, n, k))", Class: passes.Real,
		Where: "rate(m) + rate(n) <= 3 && rate(k) <= 2 && rate(m) + rate(n) + rate(k) > 1.5 && rate(x) > 3 && (rate(m) + rate(n) > 1 || max(m*n, -(m*n)) <= 1e38)"},
	{From: "mad(s*mul(x, m), n, y)", To: "mad(s*x, mul(m, n), y)", Class: passes.Real,
		Where: "rate(m) + rate(n) <= 3 && rate(m) + rate(n) > 1 && rate(x) > 3"},
	{From: "mad(s*mad(x, m, j), n, k)", To: "mad(s*x, mul(m, n), mad(s*j, n, k))", Class: passes.Real,
		Where: "rate(m) + rate(n) <= 3 && rate(m) + rate(n) > 1 && rate(j) + rate(n) <= 3 && rate(k) <= 2 && rate(j) + rate(n) + rate(k) > 1.5 && rate(x) > 3 && (rate(j) + rate(n) > 1 || max(j*n, -(j*n)) <= 1e38)"},
	{From: "dp3_sat(m, n)", To: "mov_sat(dp3(m, n))", Class: passes.Real,
		Where: "rate(m) + rate(n) <= 3 && rate(m) + rate(n) > 1"},
	{From: "lrp(x, m, n)", To: "mad(x, add(m, -n), n)", Class: passes.Real,
		Where: "rate(m) <= 2 && rate(n) <= 2 && rate(m) + rate(n) > 1 && rate(x) > 3"},
}

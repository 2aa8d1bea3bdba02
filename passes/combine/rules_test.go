package combine

import (
	"math/rand/v2"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/internal/rules"
)

// tables lists all rows, by name, and whether they are trials.
var tables = []struct {
	name  string
	rows  []rules.Rule
	trial bool
}{
	{"sums", sums, false}, {"chains", chains, false}, {"lerps", lerps, false}, {"masks", masks, false}, {"choices",
		choices, false},
	{"signs", signs, false}, {"common", common, false},
	{"clamps", clamps, false}, {"bounded", bounded, false}, {"functions", functions, false}, {"powers", powers,
		false}, {"neutral", neutral, false}, {"scales", scales, false},
	{"offsets", offsets, false}, {"regroupings", regroupings, false}, {"complements", complements, false}, {"decisions",
		decisions, false},
	{"short", short, true}, {"fields", fields, true}, {"strides", strides, true},
	{"regrouped", regrouped, true},
}

// alone returns a function that applies one rule. The values that may be computed elsewhere are random each
// time.
func alone(trial bool) applyRule {
	rng := rand.New(rand.NewPCG(1, 1))
	return func(r *rules.Compiled, f *ir.Func, numerics passes.Class) bool {
		var classes [8]ir.Linearity // by register
		for i := range classes {
			classes[i] = []ir.Linearity{ir.Constant, ir.Invariant, ir.Affine, ir.Nonlinear}[rng.IntN(4)]
		}
		known := f.NumValues()
		rate := func(v *ir.Value) ir.Linearity {
			if int(v.ID) >= known {
				return ir.Nonlinear
			}
			return classes[v.Home.Index%8]
		}
		ctx := &passes.Ctx{Pass: Pass, Numerics: numerics}
		c := newCombiner(ctx, f)
		c.grant, c.rules, c.matcher.Free, c.rate = ctx.ShouldRewrite, tableOf([]*rule{tableRule(r)}), trial, rate
		c.region(f.Body)
		c.sweep(f.Body)
		return c.rewrites > 0
	}
}

// Each row holds in programs made from its pattern.
func TestRows(t *testing.T) {
	for _, table := range tables {
		t.Run(table.name, func(t *testing.T) {
			for i, r := range table.rows {
				if err := proveRule(r, testcorpus.Count(2, 6), uint64(i), alone(table.trial)); err != nil {
					t.Errorf("%s -> %s: %v", r.From, r.To, err)
				}
			}
		})
	}
}

// TestRows detects errors in a row: a wrong replacement, or a missing condition.
func TestWrongRows(t *testing.T) {
	for _, r := range []rules.Rule{
		{From: "mad(s*add(x, K), L, M)", To: "mad(x, s*L, K*L + M)", Class: passes.Real},
		{From: "add(s*add(x, K), L)", To: "add(x, K + L)", Class: passes.Real},
		{From: "lrp(a, K, L)", To: "mad(a, L - K, L)", Class: passes.Real},
		{From: "mul(s*cmp(u, K, L), x)", To: "cmp(u, pick(K == 0, 0, x), pick(L == 0, 0, x))", Class: passes.Real},
		{From: "max(max(x, K), L)", To: "max(x, min(K, L))", Class: passes.Real},
		{From: "max(x, K)", To: "mov(x)", Class: passes.Real, Where: "low(x) < K"},
		{From: "add(x, 0)", To: "mov(x)", Class: passes.Bits},
		{From: "add(s*shared(mul(a, b)), c)", To: "mad(s*a, b, c)", Class: passes.Bits, Every: true},
		{From: "dp3(a, b)", To: "mad(a.z, b.z, mad(a.y, b.y, mul(a.x, b.y)))", Class: passes.Real},
		{From: "isub(L, iadd(x, K))", To: "isub(L + K, x)", Class: passes.Bits},
		{From: "ishr(ishr(x, K), L)", To: "ishr(x, K%32 + L%32)", Class: passes.Bits},
		{From: "udiv(udiv(x, K), L)", To: "udiv(x, K*L)", Class: passes.Bits, Where: "K > 0 && L > 0"},
		{From: "inot(flt(x, y))", To: "fge(x, y)", Class: passes.Bits},
		{From: "sel(inot(x), y, z)", To: "sel(x, z, y)", Class: passes.Bits},
		{From: "ior(ishl(x, K), ushr(y, L))", To: "bitalign(y, x, L)", Class: passes.Bits,
			Where: "K > 0 && K < 32 && K + L == 32"},
	} {
		if err := proveRule(r, 60, 1, alone(true)); err == nil {
			t.Errorf("%s -> %s passes", r.From, r.To)
		} else {
			t.Logf("%s -> %s: %.60s", r.From, r.To, err)
		}
	}
}

package unroll

import (
	"math"

	"github.com/shaderlift/shaderlift/internal/affine"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

// BreakDeps shortens dependence chains of additions.
var BreakDeps = &passes.Pass{
	Name: "break-deps",
	Doc: `compute increments from their base, and sums in parts

The copies of an index in an unrolled loop form a chain: i+1, then i+2 from i+1. The pass adds the summed literal to
the base instead, so that no copy waits. Integers keep all bits; floats need class real. sums=K splits a sum of at
least 2*K terms into K independent parts (class real). A rewrite stays only if the cost model agrees.`,
	Class:   passes.Bits,
	Options: []passes.Option{{Name: "sums", Default: "1", Doc: "parts to split sums into"}},
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		if err := weighed(c, u, "the sums of this chain wait for each other still", breakChains); err != nil {
			return err
		}
		if parts := c.Int("sums"); parts > 1 {
			return weighed(c, u, "this sum is not split", func(c *passes.Ctx, u *passes.Unit) []*ir.Instr {
				return splitSums(c, u, parts)
			})
		}
		return nil
	},
}

// weighed applies rewrite to u and keeps the result unless it costs more, for example because
// shorter chains need more registers. rewrite returns the instructions that it changed.
func weighed(c *passes.Ctx, u *passes.Unit, otherwise string,
	rewrite func(*passes.Ctx, *passes.Unit) []*ir.Instr) error {
	t := c.Trial(u)
	at := rewrite(c, t)
	if len(at) == 0 {
		return nil
	}
	if c.Measure != nil {
		before, err := c.Measure(u)
		if err != nil {
			return err
		}
		after, err := c.Measure(t)
		if err == nil && !before.Less(after) {
			c.Adopt(u, t)
			return nil
		}
		for _, in := range at {
			if err != nil {
				c.Remarkf(in.Pos, "cost", "%s: the result cannot be priced: %v", otherwise, err)
			} else {
				c.Remarkf(in.Pos, "cost", "%s: the result would cost more", otherwise)
			}
		}
		return nil
	}
	c.Adopt(u, t)
	return nil
}

// breakChains rewrites additions to sums into additions to the base of the sum.
func breakChains(c *passes.Ctx, u *passes.Unit) (at []*ir.Instr) {
	for _, f := range u.Funcs() {
		b := &breaker{c: c, f: f, sums: map[*ir.Value]offset{}}
		f.Walk(b.instr)
		if len(b.changed) > 0 {
			cleanup.Sweep(f)
		}
		at = append(at, b.changed...)
	}
	return at
}

// offset is a value as a base plus a literal. Sums of integers are words modulo 2^32, so they may
// be regrouped freely. Sums of floats are regrouped only if the literals add up exactly, and even
// then the intermediate roundings disappear (class real).
type offset struct {
	base  *ir.Value
	by    uint32
	float bool
}

// breaker walks one function in order, so that the sums an instruction reads are known.
type breaker struct {
	c       *passes.Ctx
	f       *ir.Func
	sums    map[*ir.Value]offset
	changed []*ir.Instr
}

// instr records the additions of in. If in adds to a sum, it makes in add to the base instead:
//
//	b = a + 1;  c = b + 1;  d = c + 1       b = a + 1;  c = a + 2;  d = a + 3
func (b *breaker) instr(in *ir.Instr) {
	class := passes.Bits
	switch in.Op {
	case ir.OpMov, ir.OpIAdd, ir.OpISub:
	case ir.OpAdd:
		class = passes.Real
	default:
		return
	}
	// own is the addition of in to its source, and whole the equivalent addition to the source's
	// base. Readers of in see own, or whole after in is rewritten.
	var own, whole [4]offset
	chained, inexact, rewritable := false, false, in.Op != ir.OpMov
	for i, v := range in.Out {
		if v == nil {
			continue
		}
		a, ok := affine.Addition(v, affine.IsLiteral)
		if !ok {
			rewritable = false
			continue
		}
		inner, known := b.sums[a.From]
		if a.By.V == nil {
			own[i] = inner
			continue
		}
		own[i] = offset{a.From, a.Bits(), a.Float}
		whole[i] = own[i]
		if known {
			if sum, exact := addOffset(inner, own[i]); exact {
				whole[i], chained = sum, true
			} else {
				inexact = inexact || a.Float
			}
		}
	}
	if inexact && !chained {
		b.c.Remarkf(in.Pos, "inexact", "this chain of float additions stays: the sum of its literals is not a float")
	}
	if chained && rewritable && b.rewrite(in, class, &whole) {
		own = whole
	}
	for i, v := range in.Out {
		if v != nil && own[i].base != nil {
			b.sums[v] = own[i]
		}
	}
}

// addOffset adds s to a sum. It fails if the kinds differ or the sum of floats is not exact.
func addOffset(inner, s offset) (offset, bool) {
	if inner.float != s.float {
		return s, false
	}
	if !s.float {
		return offset{inner.base, inner.by + s.by, false}, true
	}
	a, b := float64(math.Float32frombits(inner.by)), float64(math.Float32frombits(s.by))
	// Fast two-sum decides whether the sum of two float64 is exact.
	total := a + b // rounded if a and b are far apart; then one of them is not recovered
	x := float32(total)
	exact := total-a == b && total-b == a && float64(x) == total && !math.IsInf(total, 0)
	return offset{inner.base, math.Float32bits(x), true}, exact
}

// rewrite makes in add to the bases.
func (b *breaker) rewrite(in *ir.Instr, class passes.Class, to *[4]offset) bool {
	if !b.c.Allows(class, in) {
		if class == passes.Real {
			b.c.Remarkf(in.Pos, "order", "this chain of float additions stays: another order may round differently")
		}
		return false
	}
	x := *in
	if x.Op == ir.OpISub {
		x.Op = ir.OpIAdd
	}
	x.Src = []ir.Operand{{}, {}}
	for i, v := range in.Out {
		if v != nil {
			x.Src[0][i] = ir.Lane{V: to[i].base}
			x.Src[1][i] = ir.Lane{V: b.f.Const(to[i].by)}
		}
	}
	if !together(&x.Src[0]) {
		b.c.Remarkf(in.Pos, "scattered", "this sum stays: its bases are in several registers")
		return false
	}
	if !b.f.Dialect.Encodable(&x) || !b.c.ShouldRewrite(in, "rebased", "made to read the base") {
		return false
	}
	*in = x
	b.changed = append(b.changed, in)
	return true
}

// together reports whether o reads one register.
func together(o *ir.Operand) bool {
	var leaf *ir.Value
	one, leaves := true, true
	o.EachLane(func(_ int, l *ir.Lane) {
		leaves = leaves && l.V.IsLeaf()
		if leaf == nil {
			leaf = l.V
		}
		one = one && l.V.Home.File == leaf.Home.File && l.V.Home.Index == leaf.Home.Index
	})
	return leaves && one || o.Together()
}

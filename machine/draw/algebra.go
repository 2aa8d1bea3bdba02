package draw

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// The methods of graph in this file implement ir.Algebra with operands as values: evaluating an
// op's formula builds its nodes. The simplifications are those of all drivers' compilers.

func (g *graph) Const(f float32) arg { return g.literal(math.Float32bits(f)) }
func (g *graph) Neg(a arg) arg       { return g.withModifier(a, ir.Neg) }

func (g *graph) Add(a, b arg) arg {
	x, xok := g.number(a)
	y, yok := g.number(b)
	switch {
	case xok && yok:
		return g.Const(x + y)
	case xok && x == 0 && !g.wholes:
		return b
	case yok && y == 0 && !g.wholes:
		return a
	case a.n == b.n && a.mod == b.mod^ir.Neg:
		return g.Const(0)
	}
	if g.scalar {
		if x, ok := g.whole(a, b); ok {
			return x
		}
	}
	a, b = ordered(a, b)
	return g.addNode(node{kind: add}, a, b)
}

// whole returns the simplified form of a sum that a compiler recognizes as a whole number.
// x-frc(x), also with a third addend, is a floor. A floor plus one for negative numbers with a
// fraction is a truncation.
func (g *graph) whole(a, b arg) (x arg, ok bool) {
	for range 2 {
		switch n := &g.nodes[b.n]; {
		case g.fraction(b, a):
			return g.foldCall(ir.PrimFloor, a), true
		case n.kind == add && b.mod == 0:
			for k, c := range n.args {
				if g.fraction(c, a) {
					return g.Add(n.args[1-k], g.foldCall(ir.PrimFloor, a)), true
				}
			}
		case n.kind == call && n.prim == ir.PrimFloor && b.mod == 0 && g.isTruncTerm(a, n.args[0]):
			return g.foldCall(ir.PrimTrunc, n.args[0]), true
		}
		a, b = b, a
	}
	return x, false
}

// fraction reports whether b is -frc(a).
func (g *graph) fraction(b, a arg) bool {
	n := &g.nodes[b.n]
	return b.mod == ir.Neg && n.kind == call && n.prim == ir.PrimFrc && n.args[0] == a
}

// isTruncTerm reports whether a is 1 if x is negative and has a fraction, and 0 otherwise, in the form that
// fxc writes.
func (g *graph) isTruncTerm(a, x arg) bool {
	is := func(a arg, f float32) bool {
		y, ok := g.number(a)
		return ok && y == f
	}
	n := &g.nodes[a.n]
	if n.kind != choose || a.mod != 0 || !is(n.args[1], 0) || !g.notBelow(n.args[0], x) {
		return false
	}
	m := &g.nodes[n.args[2].n]
	if m.kind != choose || n.args[2].mod != 0 || !is(m.args[1], 0) || !is(m.args[2], 1) {
		return false
	}
	c := &g.nodes[m.args[0].n]
	return m.args[0].mod == 0 && c.kind == call && c.prim == ir.PrimGE && is(c.args[1], 0) && g.fraction(c.args[0], x)
}

// notBelow reports whether c is x >= 0.
func (g *graph) notBelow(c, x arg) bool {
	n := &g.nodes[c.n]
	if c.mod != 0 || n.kind != call || n.prim != ir.PrimGE || n.args[0] != x {
		return false
	}
	f, ok := g.number(n.args[1])
	return ok && f == 0
}

func (g *graph) Mul(a, b arg) arg {
	x, xok := g.number(a)
	y, yok := g.number(b)
	switch {
	case xok && yok:
		return g.Const(x * y)
	case xok && x == 0, yok && y == 0: // as in Direct3D 9
		return g.Const(0)
	case xok && x*x == 1:
		return g.signed(b, x)
	case yok && y*y == 1:
		return g.signed(a, y)
	}
	// The sign of a factor becomes the sign of the product: -a*b is -(a*b), so that both share a
	// node.
	sign := (a.mod ^ b.mod) & ir.Neg
	a.mod, b.mod = a.mod&^ir.Neg, b.mod&^ir.Neg
	a, b = ordered(g.plain(a), g.plain(b))
	return g.withModifier(g.addNode(node{kind: mul}, a, b), sign)
}

// isNumber reports whether a choice is between 1 and 0.
func (g *graph) isNumber(n *node) bool {
	x, xok := g.number(n.args[1])
	y, yok := g.number(n.args[2])
	return xok && yok && (x == 1 && y == 0 || x == 0 && y == 1)
}

func (g *graph) signed(a arg, x float32) arg {
	if x < 0 {
		return g.Neg(a)
	}
	return a
}

func ordered(a, b arg) (arg, arg) {
	if a.n > b.n || a.n == b.n && a.mod > b.mod {
		return b, a
	}
	return a, b
}

// Call builds the nodes of a primitive. It uses comparisons and choices if the hardware has no such
// operation, computes pow as exp2(log2*), and gives sines their argument in turns.
func (g *graph) Call(p ir.Prim, args []arg) arg {
	switch p {
	case ir.PrimAbs:
		return g.withModifier(args[0], ir.Abs)
	case ir.PrimSelGE:
		return g.choose(g.foldCall(ir.PrimGE, args[0], g.Const(0)), args[1], args[2])
	case ir.PrimSlt:
		return g.choose(g.foldCall(ir.PrimLT, args[0], args[1]), g.Const(1), g.Const(0))
	case ir.PrimSge:
		return g.choose(g.foldCall(ir.PrimGE, args[0], args[1]), g.Const(1), g.Const(0))
	case ir.PrimSgn:
		return g.choose(g.foldCall(ir.PrimLT, args[0], g.Const(0)), g.Const(-1),
			g.choose(g.foldCall(ir.PrimGT, args[0], g.Const(0)), g.Const(1), g.Const(0)))
	case ir.PrimPow:
		return g.power(args[0], args[1])
	case ir.PrimLitSpec:
		lit := g.foldCall(ir.PrimMax, args[1], g.Const(0))
		return g.choose(g.foldCall(ir.PrimGT, args[0], g.Const(0)), g.power(lit, args[2]), g.Const(0))
	case ir.PrimExp2P:
		p = ir.PrimExp2
	case ir.PrimLog2P:
		p = ir.PrimLog2
	case ir.PrimSin, ir.PrimCos: // hardware counts in turns
		turns := g.Mul(args[0], g.Const(1/(2*math.Pi)))
		return g.foldCall(p, g.foldCall(ir.PrimFrc, turns))
	case ir.PrimRsq, ir.PrimLog2:
		return g.foldCall(p, g.withModifier(args[0], ir.Abs))
	case ir.PrimSat:
		return g.saturated(args[0])
	}
	return g.foldCall(p, args...)
}

// power expands a power as all compilers do.
func (g *graph) power(a, b arg) arg {
	if x, ok := g.number(b); ok && x == 1 {
		return g.withModifier(a, ir.Abs)
	}
	return g.foldCall(ir.PrimExp2, g.Mul(g.foldCall(ir.PrimLog2P, g.withModifier(a, ir.Abs)), b))
}

// choose selects a or b by condition c; a known condition is folded.
func (g *graph) choose(c, a, b arg) arg {
	if a == b {
		return a
	}
	if holds, ok := g.decided(c); ok {
		if holds {
			return a
		}
		return b
	}
	return g.addNode(node{kind: choose}, c, a, b)
}

// decided reports whether a condition is a literal, and if so whether it holds.
func (g *graph) decided(c arg) (holds, ok bool) {
	n := &g.nodes[c.n]
	return (n.bits != 0) != (c.mod&ir.Not != 0), n.kind == literal
}

// isComparison reports whether a primitive yields a condition.
func isComparison(p ir.Prim) bool { return p >= ir.PrimGT && p <= ir.PrimLE }

func (g *graph) foldCall(p ir.Prim, args ...arg) arg {
	if g.literals(args) {
		w := ir.Words{Fold: true}
		if bits := w.Call(p, g.words(args)); w.Fold {
			return g.literal(bits)
		}
	}
	if x, ok := g.zeroTest(p, args); ok {
		p, args = x, []arg{{n: args[0].n}, args[1]}
	}
	if (p == ir.PrimMin || p == ir.PrimMax) && args[0] == args[1] {
		return args[0]
	}
	return g.addNode(node{kind: call, prim: p}, args...)
}

// zeroTest returns the comparison of x with 0 that replaces one of -|x|, as compilers do
// (nir_opt_algebraic.py).
func (g *graph) zeroTest(p ir.Prim, args []arg) (is ir.Prim, ok bool) {
	if !g.scalar || len(args) != 2 || args[0].mod != ir.Abs|ir.Neg {
		return p, false
	}
	if x, known := g.number(args[1]); !known || x != 0 {
		return p, false
	}
	switch p {
	case ir.PrimGE:
		return ir.PrimEQ, true
	case ir.PrimLT:
		return ir.PrimNE, true
	}
	return p, false
}

// literals reports whether all of args are literals without modifiers.
func (g *graph) literals(args []arg) bool {
	return !slices.ContainsFunc(args, func(a arg) bool { return g.nodes[a.n].kind != literal || a.mod != 0 })
}

// words returns the bits of literals.
func (g *graph) words(args []arg) []uint32 {
	out := make([]uint32, len(args))
	for i, a := range args {
		out[i] = g.nodes[a.n].bits
	}
	return out
}

// saturated clamps a to 0..1.
func (g *graph) saturated(a arg) arg {
	if x, ok := g.number(a); ok {
		return g.Const(min(max(x, 0), 1))
	}
	return g.addNode(node{kind: call, prim: ir.PrimSat}, a)
}

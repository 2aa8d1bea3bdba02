package draw

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// The methods of graph in this file are the ir.Algebra that formulas are evaluated in, with operands
// as values: evaluating an op's formula builds its nodes. The simplifications are those that all
// drivers' compilers make.

func (g *graph) Const(f float32) arg { return g.literal(math.Float32bits(f)) }
func (g *graph) Neg(a arg) arg       { return g.with(a, ir.Neg) }

func (g *graph) Add(a, b arg) arg {
	x, xok := g.number(a)
	y, yok := g.number(b)
	switch {
	case xok && yok:
		return g.Const(x + y)
	case xok && x == 0:
		return b
	case yok && y == 0:
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
	return g.node(node{kind: add}, a, b)
}

// whole is a sum that a compiler knows to be a whole number: x-frc(x), which is a floor, also with a
// third addend, or that plus one for numbers below 0 that have a fraction.
func (g *graph) whole(a, b arg) (x arg, ok bool) {
	for range 2 {
		switch n := &g.nodes[b.n]; {
		case g.fraction(b, a):
			return g.call(ir.PrimFloor, a), true
		case n.kind == add && b.mod == 0:
			for k, c := range n.args {
				if g.fraction(c, a) {
					return g.Add(n.args[1-k], g.call(ir.PrimFloor, a)), true
				}
			}
		case n.kind == call && n.prim == ir.PrimFloor && b.mod == 0 && g.up(a, n.args[0]):
			return g.call(ir.PrimTrunc, n.args[0]), true
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

// up reports whether a is 1 where x is below 0 and has a fraction, and else 0, as fxc writes it.
func (g *graph) up(a, x arg) bool {
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
	case xok && x == 0, yok && y == 0: // as Direct3D 9 has it
		return g.Const(0)
	case xok && x*x == 1:
		return g.signed(b, x)
	case yok && y*y == 1:
		return g.signed(a, y)
	}
	// A sign of a product is one of its result.
	// The sign of a product: -a*b is -(a*b), so that both are one node.
	sign := (a.mod ^ b.mod) & ir.Neg
	a.mod, b.mod = a.mod&^ir.Neg, b.mod&^ir.Neg
	a, b = ordered(g.plain(a), g.plain(b))
	return g.with(g.node(node{kind: mul}, a, b), sign)
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

// Call builds the nodes of a primitive: comparisons and choices where hardware has no such
// operation, pow as exp2(log2*), sines with their argument in turns.
func (g *graph) Call(p ir.Prim, args []arg) arg {
	switch p {
	case ir.PrimAbs:
		return g.with(args[0], ir.Abs)
	case ir.PrimSelGE:
		return g.choose(g.call(ir.PrimGE, args[0], g.Const(0)), args[1], args[2])
	case ir.PrimSlt:
		return g.choose(g.call(ir.PrimLT, args[0], args[1]), g.Const(1), g.Const(0))
	case ir.PrimSge:
		return g.choose(g.call(ir.PrimGE, args[0], args[1]), g.Const(1), g.Const(0))
	case ir.PrimSgn:
		return g.choose(g.call(ir.PrimLT, args[0], g.Const(0)), g.Const(-1), g.choose(g.call(ir.PrimGT, args[0], g.Const(0)), g.Const(1), g.Const(0)))
	case ir.PrimPow:
		return g.power(args[0], args[1])
	case ir.PrimLitSpec:
		lit := g.call(ir.PrimMax, args[1], g.Const(0))
		return g.choose(g.call(ir.PrimGT, args[0], g.Const(0)), g.power(lit, args[2]), g.Const(0))
	case ir.PrimExp2P:
		p = ir.PrimExp2
	case ir.PrimLog2P:
		p = ir.PrimLog2
	case ir.PrimSin, ir.PrimCos: // hardware counts in turns
		turns := g.Mul(args[0], g.Const(1/(2*math.Pi)))
		return g.call(p, g.call(ir.PrimFrc, turns))
	case ir.PrimRsq, ir.PrimLog2:
		return g.call(p, g.with(args[0], ir.Abs))
	case ir.PrimSat:
		return g.saturated(args[0])
	}
	return g.call(p, args...)
}

// power is what all compilers make of a power.
func (g *graph) power(a, b arg) arg {
	if x, ok := g.number(b); ok && x == 1 {
		return g.with(a, ir.Abs)
	}
	return g.call(ir.PrimExp2, g.Mul(g.call(ir.PrimLog2P, g.with(a, ir.Abs)), b))
}

// choose is a or b as condition c says; a condition that is known decides.
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
	return g.node(node{kind: choose}, c, a, b)
}

// decided reports whether a condition is a literal, and if so whether it holds.
func (g *graph) decided(c arg) (holds, ok bool) {
	n := &g.nodes[c.n]
	return (n.bits != 0) != (c.mod&ir.Not != 0), n.kind == literal
}

// isComparison reports whether a primitive gives a condition.
func isComparison(p ir.Prim) bool { return p >= ir.PrimGT && p <= ir.PrimLE }

func (g *graph) call(p ir.Prim, args ...arg) arg {
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
	return g.node(node{kind: call, prim: p}, args...)
}

// zeroTest is the comparison with 0 that one of -|x| is: compilers compare x (nir_opt_algebraic.py).
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

// literals reports whether all of args are literals as they are.
func (g *graph) literals(args []arg) bool {
	return !slices.ContainsFunc(args, func(a arg) bool { return g.nodes[a.n].kind != literal || a.mod != 0 })
}

// words are those of literals.
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
	return g.node(node{kind: call, prim: ir.PrimSat}, a)
}

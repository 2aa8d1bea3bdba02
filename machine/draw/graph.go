package draw

import (
	"math"

	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/ir"
)

// kind tells what a node is.
type kind uint8

const (
	literal kind = iota
	uniform      // a constant that the host sets
	input        // an attribute or an interpolated component
	unknown      // never written
	add
	mul
	dot     // of args[:n/2] and args[n/2:]
	call    // of a primitive
	choose  // args[1] where args[0] holds, else args[2]
	load    // from an indexed register
	fetch   // of a texture
	part    // a component of a fetch
	joined  // what control flow hands on: args[0] decides, the rest are what may come
	carried // by a loop: args are the first value and those handed on
	kill
	branch // on args
	repeat // a loop: args decide when it ends
	numKinds
)

// arg is what a node reads: another node and the signs that reading applies, which cost
// nothing anywhere.
type arg struct {
	n   int32
	mod ir.LaneMod
}

// node is one scalar operation, or a leaf.
type node struct {
	kind kind
	prim ir.Prim // of call
	bits uint32  // of literal; of part the component
	reg  ir.Reg  // of leaves
	res  ir.Resource
	op   ir.Op // of fetch
	args []arg
	// runs is how often it runs in one run of the program.
	runs float64
	// vector and lane say which instruction it was a lane of: nodes of one vector with
	// equal step are one vector operation to hardware that has such.
	vector, lane int32
	step         uint8
	width        uint8 // components of that instruction
	// block counts the parts of the program that flow control is between.
	block int32
}

// inputs are the operands that n itself needs: what a break hands on only those do who
// read it.
func (n *node) inputs() []arg {
	if n.kind == branch {
		return n.args[:1]
	}
	return n.args
}

// maxArgs is how many operands the widest node has that is looked up, a dot product of four.
const maxArgs = 8

// nodeKey identifies what a node computes.
type nodeKey struct {
	kind kind
	prim ir.Prim
	bits uint32
	reg  ir.Reg
	res  ir.Resource
	op   ir.Op
	n    uint8
	args [maxArgs]arg
}

func (n *node) key() (k nodeKey, ok bool) {
	switch n.kind {
	case kill, branch, repeat, joined, carried:
		return k, false
	}
	if len(n.args) > maxArgs {
		return k, false
	}
	k = nodeKey{n.kind, n.prim, n.bits, n.reg, n.res, n.op, uint8(len(n.args)), [maxArgs]arg{}}
	copy(k.args[:], n.args)
	return k, true
}

// graph is a program as scalar operations, each done once, in an order in which they could
// run. It is what drivers' compilers make of a program before they choose instructions:
// copies, swizzles, signs, 0 and 1 are gone, literals are folded, equal operations shared.
type graph struct {
	nodes []node
	known map[nodeKey]int32
	// undo are the nodes made known since the start of the innermost region, which end with it.
	undo []int32
	runs float64
	// outs are the outputs, effects what has to stay beside them.
	outs    []output
	effects []int32

	vector int32
	step   uint8
	lane   int32
	block  int32
	width  uint8
	// vectors: what instructions of other widths compute is not shared.
	vectors bool
	budget  budget.Poller // of the program
}

// output is a component of an output register.
type output struct {
	reg ir.Reg
	arg
}

// newGraph is one for about n nodes.
func newGraph(n int) *graph {
	return &graph{nodes: make([]node, 0, n), known: make(map[nodeKey]int32, n), runs: 1}
}

// node adds n, or finds what computes the same.
func (g *graph) node(n node) arg {
	k, shared := n.key()
	if n.kind >= add { // shared or not, and leaves are new to the first lane alone
		g.step++
	}
	if shared {
		if at, ok := g.known[k]; ok && (!g.vectors || n.kind < add || g.nodes[at].width == g.width) {
			return arg{n: at}
		}
	}
	n.runs, n.vector, n.lane, n.step, n.block, n.width = g.runs, g.vector, g.lane, g.step, g.block, g.width
	if n.kind < joined && n.kind != fetch && n.kind != part { // compilers move it out of the loop, if it can
		n.runs = 1
		for _, a := range n.args {
			n.runs = max(n.runs, g.nodes[a.n].runs)
		}
	}
	at := int32(len(g.nodes))
	g.nodes = append(g.nodes, n)
	if shared {
		g.known[k] = at
		if n.kind >= add {
			g.undo = append(g.undo, at)
		}
	}
	return arg{n: at}
}

// within runs do in a region that runs times as often as what is around it. What it
// computes is not there afterwards.
func (g *graph) within(times float64, do func()) {
	undo, runs := g.undo, g.runs
	g.undo, g.runs = nil, runs*times
	g.block++
	do()
	g.block++
	for _, at := range g.undo {
		k, _ := g.nodes[at].key()
		delete(g.known, k)
	}
	g.undo, g.runs = undo, runs
}

func (g *graph) literal(bits uint32) arg { return g.node(node{kind: literal, bits: bits}) }

// number is the value of a literal, signs applied.
func (g *graph) number(a arg) (x float32, ok bool) {
	n := &g.nodes[a.n]
	if n.kind != literal {
		return 0, false
	}
	x = math.Float32frombits(n.bits)
	if a.mod&ir.Abs != 0 {
		x = float32(math.Abs(float64(x)))
	}
	if a.mod&ir.Neg != 0 {
		x = -x
	}
	return x, true
}

// plain is a with its signs applied if it is a literal, so that equal ones are equal.
func (g *graph) plain(a arg) arg {
	if x, ok := g.number(a); ok && a.mod != 0 {
		return g.literal(math.Float32bits(x))
	}
	return a
}

func (g *graph) with(a arg, mod ir.LaneMod) arg { return g.plain(arg{a.n, a.mod.Then(mod)}) }

// The algebra that formulas are evaluated in: its values are arguments.

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
	return g.node(node{kind: add, args: ordered(a, b)})
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
	sign := (a.mod ^ b.mod) & ir.Neg
	a.mod, b.mod = a.mod&^ir.Neg, b.mod&^ir.Neg
	a, b = g.plain(a), g.plain(b)
	return g.with(g.node(node{kind: mul, args: ordered(a, b)}), sign)
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

func ordered(a, b arg) []arg {
	if a.n > b.n || a.n == b.n && a.mod > b.mod {
		a, b = b, a
	}
	return []arg{a, b}
}

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
	return g.node(node{kind: choose, args: []arg{c, a, b}})
}

// decided reports whether a condition holds, if that is known.
func (g *graph) decided(c arg) (holds, ok bool) {
	n := &g.nodes[c.n]
	return (n.bits != 0) != (c.mod&ir.Not != 0), n.kind == literal
}

// isComparison reports whether a primitive gives a condition.
func isComparison(p ir.Prim) bool { return p >= ir.PrimGT && p <= ir.PrimLE }

func (g *graph) call(p ir.Prim, args ...arg) arg {
	if words, ok := g.words(args); ok {
		w := ir.Words{Fold: true}
		if bits := w.Call(p, words); w.Fold {
			return g.literal(bits)
		}
	}
	if (p == ir.PrimMin || p == ir.PrimMax) && args[0] == args[1] {
		return args[0]
	}
	return g.node(node{kind: call, prim: p, args: append([]arg(nil), args...)})
}

// words are args if all are literals.
func (g *graph) words(args []arg) ([]uint32, bool) {
	out := make([]uint32, len(args))
	for i, a := range args {
		n := &g.nodes[a.n]
		if n.kind != literal || a.mod != 0 {
			return nil, false
		}
		out[i] = n.bits
	}
	return out, true
}

// saturated clamps a to 0..1.
func (g *graph) saturated(a arg) arg {
	if x, ok := g.number(a); ok {
		return g.Const(min(max(x, 0), 1))
	}
	return g.node(node{kind: call, prim: ir.PrimSat, args: []arg{a}})
}

package draw

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/ir"
)

// kind is the kind of a node.
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
	choose  // args[1] if args[0] holds, else args[2]
	load    // from an indexed register
	fetch   // of a texture
	part    // a component of a fetch
	joined  // a merge of control flow: args[0] decides, the rest are the possible values
	carried // by a loop: args are the first value and the updates
	kill
	branch // on args
	repeat // a loop: args are the conditions that end it
	numKinds
)

// arg is an operand: another node, with the sign and absolute-value modifiers of the read.
// Modifiers cost nothing on any of the GPUs.
type arg struct {
	n   int32
	mod ir.LaneMod
}

// node is one scalar operation, or a leaf. Nodes are in program order; operands have smaller
// indices, except for loop-carried values.
type node struct {
	kind kind
	prim ir.Prim // of call
	bits uint32  // of literal; component of part
	reg  ir.Reg  // of leaves
	res  ir.Resource
	op   ir.Op // of fetch
	args []arg
	rate int32 // frequency: index into the graph's rates
	// vector and lane identify the instruction and lane that the node came from. For vector
	// hardware, nodes of one vector with equal step are one operation.
	vector, lane int32
	step         uint8
	width        uint8 // components of that instruction
	// block numbers the parts of the program that flow control separates.
	block int32
	next  int32 // next in its hash chain, plus one
	// tested is the root of the condition of a choose: the value that it compares. If a comparison
	// chose that value, it is the root of that comparison.
	tested int32
}

// often is a frequency: the number of executions, for each way of counting.
type often [numRuns]float64

// Ways of counting executions.
const (
	estimated = iota
	shortest  // loops that may end after one trip run once
	single    // all loops run once
	numRuns
)

// everyTime is the frequency of code that runs whenever its surroundings run.
var everyTime = often{1, 1, 1}

// total returns the sum of counts weighted by their rates.
func (g *graph) total(tally []float64) (sum often) {
	for rate, n := range tally {
		for k, runs := range g.rates[rate] {
			sum[k] += n * runs
		}
	}
	return sum
}

// tally returns zero counts for all rates.
func (g *graph) tally() []float64 { return zeroed(&g.memory.floats, len(g.rates)) }

// inputs returns the operands that n itself needs. Only readers need the values that a break passes
// on.
func (n *node) inputs() []arg {
	if n.kind == branch {
		return n.args[:1]
	}
	return n.args
}

// maxArgs is the largest number of operands of a shared node: those of a dot product of four
// components.
const maxArgs = 8

// shared reports whether an equal node may replace n. Effects and merges of control flow have their
// own identity.
func (n *node) shared(args []arg) bool {
	switch n.kind {
	case kill, branch, repeat, joined, carried:
		return false
	}
	return len(args) <= maxArgs
}

// hash returns a hash that is equal for equal nodes with args. Collisions are harmless, as same
// decides.
func (n *node) hash(args []arg) uint32 {
	h := uint64(n.bits)<<32 | uint64(n.kind)<<24 | uint64(n.prim)<<16 | uint64(n.op)<<8 | uint64(n.res.Unit)
	h ^= uint64(n.reg.Index)<<40 | uint64(n.reg.File)<<8 | uint64(n.reg.Comp)
	for _, a := range args {
		h = (h^h>>29)*0x9e3779b97f4a7c15 + uint64(a.n)<<8 + uint64(a.mod)
	}
	return uint32(h * 0x9e3779b97f4a7c15 >> 32)
}

// same reports whether n with args computes the same as m.
func (n *node) same(args []arg, m *node) bool {
	return n.kind == m.kind && n.prim == m.prim && n.bits == m.bits && n.reg == m.reg && n.res == m.res &&
		n.op == m.op && slices.Equal(args, m.args)
}

// graph is a program as scalar operations in program order, each computed once (global value
// numbering within regions). It models a driver's compiler before instruction selection: copies,
// swizzles, signs, 0 and 1 are removed, literals folded, and equal operations shared.
type graph struct {
	*memory
	nodes []node
	// known holds hash chains of the nodes that may be shared: the index of the first one plus one,
	// or 0.
	known []int32
	// undo lists the known nodes that are forgotten at the end of their region.
	undo []int32
	// rates holds the frequencies of loops, outer before inner; the first is that of code outside
	// loops. rate is the current one.
	rates []often
	outer []int32 // the enclosing rate of each
	rate  int32
	// outs are the outputs, and effects the nodes that must stay in addition.
	outs    []output
	effects []int32

	// instrs holds the instruction of each vector; the first is nil.
	instrs []*ir.Instr

	// The current instruction, lane, step, block and width: hardware with vector instructions
	// combines equal steps of one instruction.
	vector int32
	step   uint8
	lane   int32
	block  int32
	width  uint8
	// vectors: instructions of different widths do not share nodes.
	vectors bool
	// wholes: sums with 0 stay, because other lanes of their instruction add something else.
	wholes bool
	// scalar: operations have one component, and dot products, interpolations and whole numbers
	// have the form of Mesa's compiler for R600.
	scalar bool
	budget budget.Poller // of the program
}

// output is a component of an output register.
type output struct {
	reg ir.Reg
	arg
}

// addNode adds n with operands args, or returns an equal node. Computations move out of loops if their
// operands allow it; fetches stay in place.
func (g *graph) addNode(n node, args ...arg) arg {
	if n.kind >= add { // shared or not; leaves only count for their first lane
		g.step++
	}
	at := int32(len(g.nodes))
	if n.shared(args) {
		link := g.find(&n, args)
		if known := *link - 1; known >= 0 {
			// Vector hardware shares whole instructions, so nodes of different widths are not
			// equal.
			if m := &g.nodes[known]; !g.vectors || n.kind < add || m.width == g.width {
				return arg{n: known}
			}
			n.next = g.nodes[known].next // n replaces the known node
		}
		*link = at + 1
		if n.kind >= add {
			g.undo = append(g.undo, at)
		}
	}
	n.rate, n.vector, n.lane, n.step, n.block, n.width = g.rate, g.vector, g.lane, g.step, g.block, g.width
	if n.kind < joined && n.kind != fetch && n.kind != part { // compilers hoist it out of the loop if possible
		n.rate = 0
		for _, a := range args {
			n.rate = max(n.rate, g.certainRate(g.nodes[a.n].rate))
		}
	}
	n.args = g.copyArgs(args)
	if n.kind == choose {
		n.tested = g.tested(args[0].n)
	}
	g.nodes = append(g.nodes, n)
	return arg{n: at}
}

// tested returns the root of a condition, or the condition itself if it is no comparison.
func (g *graph) tested(condition int32) int32 {
	if c := &g.nodes[condition]; c.kind == call {
		condition = c.args[0].n
		if x := &g.nodes[condition]; x.kind == choose && g.nodes[x.args[0].n].kind == call {
			return x.tested
		}
	}
	return condition
}

// find returns the link in the hash chain that leads to a node equal to n, or the end of the chain.
func (g *graph) find(n *node, args []arg) *int32 {
	link := &g.known[n.hash(args)&uint32(len(g.known)-1)]
	for *link > 0 && !n.same(args, &g.nodes[*link-1]) {
		link = &g.nodes[*link-1].next
	}
	return link
}

// within runs do for a region that runs times as often as its surroundings. Later code does not
// share the region's nodes, since the region may not have run.
func (g *graph) within(times often, do func()) {
	known, rate := len(g.undo), g.rate
	if times != everyTime {
		g.times(times)
	}
	g.block++
	do()
	g.block++
	for _, at := range g.undo[known:] {
		n := &g.nodes[at]
		if link := g.find(n, n.args); *link > 0 {
			*link = g.nodes[*link-1].next
		}
	}
	g.undo, g.rate = g.undo[:known], rate
}

// times multiplies the frequency of the nodes added from here on.
func (g *graph) times(times often) {
	for k, runs := range g.rates[g.rate] {
		times[k] *= runs
	}
	g.rates, g.outer = append(g.rates, times), append(g.outer, g.rate)
	g.rate = int32(len(g.rates) - 1)
}

// certainRate returns a rate or, if its code may not run at all, the rate of the enclosing code.
func (g *graph) certainRate(rate int32) int32 {
	for g.rates[rate][shortest] == 0 {
		rate = g.outer[rate]
	}
	return rate
}

func (g *graph) literal(bits uint32) arg { return g.addNode(node{kind: literal, bits: bits}) }

// number returns the value of a literal with its modifiers applied.
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

// plain applies modifiers to a literal, so that equal literals are equal operands.
func (g *graph) plain(a arg) arg {
	if x, ok := g.number(a); ok && a.mod != 0 {
		return g.literal(math.Float32bits(x))
	}
	return a
}

func (g *graph) withModifier(a arg, mod ir.LaneMod) arg {
	return g.plain(arg{a.n, a.mod.ComposeWith(mod)})
}

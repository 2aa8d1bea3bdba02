package draw

import (
	"math"
	"slices"

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

// arg is an operand: another node, with the signs and absolute values that reading applies. These
// cost nothing on any of the GPUs.
type arg struct {
	n   int32
	mod ir.LaneMod
}

// node is one scalar operation, or a leaf. Nodes are in program order; operands have smaller
// indices, but for what a loop carries.
type node struct {
	kind kind
	prim ir.Prim // of call
	bits uint32  // of literal; of part the component
	reg  ir.Reg  // of leaves
	res  ir.Resource
	op   ir.Op // of fetch
	args []arg
	rate int32 // how often it runs: one of the graph's
	// vector and lane say which instruction it was a lane of: nodes of one vector with
	// equal step are one vector operation to hardware that has such.
	vector, lane int32
	step         uint8
	width        uint8 // components of that instruction
	// block counts the parts of the program that flow control is between.
	block int32
	next  int32 // in its chain of nodes known, and one more
	// tested is what the condition of choose comes down to: the value it compares, and where
	// that is chosen by a comparison, what that one compares.
	tested int32
}

// often says how often something runs: in each way of counting that there is.
type often [numRuns]float64

// Ways of counting how often something runs.
const (
	estimated = iota
	shortest  // where loops run once that may
	single    // where all of them do
	numRuns
)

// everyTime is how often something runs that does so whenever what is around it does.
var everyTime = often{1, 1, 1}

// total sums up what is there so many times at each of the rates.
func (g *graph) total(tally []float64) (sum often) {
	for rate, n := range tally {
		for k, runs := range g.rates[rate] {
			sum[k] += n * runs
		}
	}
	return sum
}

// tally is nothing at each of the rates.
func (g *graph) tally() []float64 { return zeroed(&g.memory.floats, len(g.rates)) }

// inputs are the operands that n itself needs: what a break hands on only those do who
// read it.
func (n *node) inputs() []arg {
	if n.kind == branch {
		return n.args[:1]
	}
	return n.args
}

// maxArgs is the most operands of a node that is looked up for sharing, those of a dot product of
// four components.
const maxArgs = 8

// shared reports whether a node that computes the same may stand for n. Effects and what control
// flow hands on have an identity of their own.
func (n *node) shared(args []arg) bool {
	switch n.kind {
	case kill, branch, repeat, joined, carried:
		return false
	}
	return len(args) <= maxArgs
}

// hash is equal for nodes that compute the same of args. Collisions are harmless, as same decides.
func (n *node) hash(args []arg) uint32 {
	h := uint64(n.bits)<<32 | uint64(n.kind)<<24 | uint64(n.prim)<<16 | uint64(n.op)<<8 | uint64(n.res.Unit)
	h ^= uint64(n.reg.Index)<<40 | uint64(n.reg.File)<<8 | uint64(n.reg.Comp)
	for _, a := range args {
		h = (h^h>>29)*0x9e3779b97f4a7c15 + uint64(a.n)<<8 + uint64(a.mod)
	}
	return uint32(h * 0x9e3779b97f4a7c15 >> 32)
}

// same reports whether n computes of args what m does.
func (n *node) same(args []arg, m *node) bool {
	return n.kind == m.kind && n.prim == m.prim && n.bits == m.bits && n.reg == m.reg && n.res == m.res && n.op == m.op && slices.Equal(args, m.args)
}

// graph is a program as scalar operations, each done once (global value numbering within regions),
// in program order. It is what drivers' compilers make of a program before they choose
// instructions: copies, swizzles, signs, 0 and 1 are gone, literals folded, equal operations
// shared.
type graph struct {
	*memory
	nodes []node
	// known are chains of the nodes that others may share, by hash: the first one of each and
	// one more, or 0.
	known []int32
	// undo are the nodes made known that end with the region that they are in.
	undo []int32
	// rates are how often loops run, each behind those that it is in, and first what is in none; rate is
	// that of what is added.
	rates []often
	outer []int32 // the rate that each is in
	rate  int32
	// outs are the outputs, effects what has to stay beside them.
	outs    []output
	effects []int32

	// The instruction that nodes are added for, the lane and the step within it, its block and
	// width: hardware with vector instructions puts equal steps of one instruction together.
	vector int32
	step   uint8
	lane   int32
	block  int32
	width  uint8
	// vectors: what instructions of other widths compute is not shared.
	vectors bool
	// scalar: operations are on one component, and dot products, interpolations and whole numbers
	// are what Mesa's compiler for R600 makes of them.
	scalar bool
	budget budget.Poller // of the program
}

// output is a component of an output register.
type output struct {
	reg ir.Reg
	arg
}

// node adds n, which reads args, or returns the node that computes the same. Computations move out
// of loops as far as their operands allow; fetches stay where they are.
func (g *graph) node(n node, args ...arg) arg {
	if n.kind >= add { // shared or not, and leaves are new to the first lane alone
		g.step++
	}
	at := int32(len(g.nodes))
	if n.shared(args) {
		link := g.find(&n, args)
		if known := *link - 1; known >= 0 {
			// Vector hardware shares whole instructions, so only lanes of equally wide ones count
			// as equal.
			if m := &g.nodes[known]; !g.vectors || n.kind < add || m.width == g.width {
				return arg{n: known}
			}
			n.next = g.nodes[known].next // which is not known any more
		}
		*link = at + 1
		if n.kind >= add {
			g.undo = append(g.undo, at)
		}
	}
	n.rate, n.vector, n.lane, n.step, n.block, n.width = g.rate, g.vector, g.lane, g.step, g.block, g.width
	if n.kind < joined && n.kind != fetch && n.kind != part { // compilers move it out of the loop, if it can
		n.rate = 0
		for _, a := range args {
			n.rate = max(n.rate, g.sure(g.nodes[a.n].rate))
		}
	}
	n.args = g.keep(args)
	if n.kind == choose {
		n.tested = g.tested(args[0].n)
	}
	g.nodes = append(g.nodes, n)
	return arg{n: at}
}

// tested is what a condition comes down to: itself, where it is no comparison.
func (g *graph) tested(condition int32) int32 {
	if c := &g.nodes[condition]; c.kind == call {
		condition = c.args[0].n
		if x := &g.nodes[condition]; x.kind == choose && g.nodes[x.args[0].n].kind == call {
			return x.tested
		}
	}
	return condition
}

// find returns the link in the hash chain that leads to a node computing the same as n, or the end
// of the chain.
func (g *graph) find(n *node, args []arg) *int32 {
	link := &g.known[n.hash(args)&uint32(len(g.known)-1)]
	for *link > 0 && !n.same(args, &g.nodes[*link-1]) {
		link = &g.nodes[*link-1].next
	}
	return link
}

// within runs do for a region that runs times as often as its surroundings. What the region
// computes is not shared with code behind it, where it may not have run.
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

// times has what is added from here on run times as often as what was added before.
func (g *graph) times(times often) {
	for k, runs := range g.rates[g.rate] {
		times[k] *= runs
	}
	g.rates, g.outer = append(g.rates, times), append(g.outer, g.rate)
	g.rate = int32(len(g.rates) - 1)
}

// sure is a rate, or where that is one of what need not run at all, that of what it is in.
func (g *graph) sure(rate int32) int32 {
	for g.rates[rate][shortest] == 0 {
		rate = g.outer[rate]
	}
	return rate
}

func (g *graph) literal(bits uint32) arg { return g.node(node{kind: literal, bits: bits}) }

// number is the value of a literal with its signs applied.
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

// plain applies signs to a literal, so that equal literals are equal operands.
func (g *graph) plain(a arg) arg {
	if x, ok := g.number(a); ok && a.mod != 0 {
		return g.literal(math.Float32bits(x))
	}
	return a
}

func (g *graph) with(a arg, mod ir.LaneMod) arg { return g.plain(arg{a.n, a.mod.Then(mod)}) }

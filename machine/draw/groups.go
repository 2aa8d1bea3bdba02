package draw

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// groups is what a machine charges that runs up to five operations at a time: the Radeons R600
// to Evergreen. What it needs is not found by the best schedule but by that of a compiler,
// Mesa's: arithmetic runs as long as some can, whatever that delays, and what frees registers
// comes first.
type groups struct {
	// shortDots: dot products leave the slots free of what they do not multiply.
	shortDots bool
	// interpolates: interpolating is arithmetic, two components of a register at a time.
	interpolates bool
	// queue is how many fetches that could run wait until no arithmetic can.
	queue int
}

// Limits of a group: literals, pairs of constants, and what is read of registers of a lane.
const (
	groupWords = 4
	groupPairs = 2
	groupReads = 3
)

// Slots of a group: four lanes, and one for functions and what finds no lane.
const (
	fourLanes  = 0b01111
	lastSlot   = 0b10000
	wholeGroup = fourLanes | lastSlot
)

// place is which slots of a group can hold an operation.
type place uint8

const (
	anySlot   place = iota
	functions       // the last slot
	manySlots       // several lanes at once
	fetches         // between groups
	numPlaces
)

// groupOp is an operation of a VLIW5 machine. Its operands are kept as far as they limit a group:
// operations whose results it reads, pairs of constants, literals.
type groupOp struct {
	place place
	lanes uint8   // of manySlots
	lane  int8    // that it went to
	block int32   // operations of different blocks share no group
	reads []int32 // operations, in order and each once
	pairs []int32 // of constants, by where they are
	words []uint32
	runs  float64

	users    []int32
	waits    int   // for reads
	unread   int   // users that have not run
	priority int32 // among those that are ready
}

// operand is a node as operations read it: what an operation makes, a constant, a literal, or
// what is there when the program starts.
type operand struct {
	op      int32 // -1 for none
	pair    int32 // of constants, -1 for none
	word    uint32
	literal bool
	fixed   bool // it shares a register with others
}

// nowhere is an operand that limits nothing, such as an attribute in a register.
var nowhere = operand{op: -1, pair: -1}

// load prices a stage: it makes operations of the graph, schedules them as if each ran once, and
// scales the number of groups by how often operations run on average. So loops count by their share
// of the operations.
func (t *groups) load(s *stage) (l Load, count int) {
	w := newGrouper(t, s)
	for i := range s.nodes {
		s.budget.Poll()
		if n := &s.nodes[i]; s.live[i] {
			w.runs, w.block = n.runs, n.block
			w.at[i] = w.node(int32(i), n)
			if n.kind == fetch {
				l[Texture] += n.runs
			}
		}
	}
	w.runs = 1
	w.exports()
	ran, once := 0.0, 0.0
	for i := range w.ops {
		if w.ops[i].place != fetches {
			ran += w.ops[i].runs
			once++
		}
	}
	l[Arithmetic] = float64(t.schedule(w.ops, &s.ints, &s.budget))
	s.groupOps = w.ops
	if once > 0 {
		l[Arithmetic] *= ran / once
	}
	return l, int(once)
}

// grouper makes the operations of a stage.
type grouper struct {
	t      *groups
	s      *stage
	ops    []groupOp
	tested []bool            // comparisons that choices make themselves
	at     []operand         // by node
	abs    map[int32]operand // by node, where instructions cannot take that of it
	sets   map[int32]operand // by node, of comparisons that are numbers too
	halves map[ir.Reg]operand
	// coords are coordinates that are in one register, and placed what is in such.
	coords map[[4]arg][]operand
	placed map[int32]bool
	// gradients are those of instructions, of which each makes all.
	gradients map[[2]int32]operand
	runs      float64
	block     int32
}

// Inputs come first: interpolation is done at the start of a program.
func newGrouper(t *groups, s *stage) *grouper {
	w := &grouper{t: t, s: s, ops: s.groupOps[:0], at: s.operands.Take(len(s.nodes)), runs: 1,
		abs: map[int32]operand{}, sets: map[int32]operand{}, halves: map[ir.Reg]operand{},
		coords: map[[4]arg][]operand{}, placed: map[int32]bool{}, gradients: map[[2]int32]operand{}}
	w.tested = w.tests()
	for i := range s.nodes {
		w.at[i] = nowhere
		if s.nodes[i].kind == input && s.live[i] { // before all else
			w.at[i] = w.input(&s.nodes[i])
		}
	}
	return w
}

// add adds an operation.
func (w *grouper) add(p place, lanes uint8, args ...operand) operand {
	o := groupOp{place: p, lanes: lanes, block: w.block, runs: w.runs, reads: w.s.ints.Take(len(args))[:0], pairs: w.s.ints.Take(len(args))[:0]}
	for _, a := range args {
		switch {
		case a.op >= 0:
			o.reads = append(o.reads, a.op)
		case a.pair >= 0:
			o.pairs = append(o.pairs, a.pair)
		case a.literal && !short(a.word) && !slices.Contains(o.words, a.word):
			o.words = append(o.words, a.word)
		}
	}
	slices.Sort(o.reads)
	o.reads = slices.Compact(o.reads)
	w.ops = append(w.ops, o)
	x := nowhere
	x.op = int32(len(w.ops) - 1)
	return x
}

// op adds an operation on one component, for any slot.
func (w *grouper) op(args ...operand) operand { return w.add(anySlot, 0, args...) }

// short reports whether an operand can be this literal without taking up a literal of the group: 0,
// 0.5 and 1, with a sign.
func short(bits uint32) bool {
	switch bits &^ (1 << 31) {
	case 0, half, one:
		return true
	}
	return false
}

// Literals.
const (
	half = 0x3f000000
	one  = 0x3f800000
)

// written reports whether exports and fetches can select this value themselves: 0 or 1.
func (x operand) written() bool { return x.literal && (x.word == 0 || x.word == one) }

// arg is an operand. Those of operations with three cannot be absolute values.
func (w *grouper) arg(a arg, three bool) operand {
	if a.mod&ir.Abs == 0 || !three {
		return w.at[a.n]
	}
	x, ok := w.abs[a.n]
	if !ok {
		x = w.op(w.at[a.n])
		w.abs[a.n] = x
	}
	return x
}

func (w *grouper) args(list []arg, three bool) []operand {
	out := w.s.operands.Take(len(list))
	for k, a := range list {
		out[k] = w.arg(a, three)
	}
	return out
}

func (w *grouper) input(n *node) operand {
	x := nowhere
	if w.s.interpolated(n) && w.t.interpolates { // from the first component on
		if x = w.half(n.reg, 0); n.reg.Comp > 1 {
			x = w.half(n.reg, 2)
		}
	}
	x.fixed = true
	return x
}

// half interpolates two components of a register, xy or zw. INTERP_XY takes all four slots, and
// INTERP_ZW two.
func (w *grouper) half(reg ir.Reg, first uint8) operand {
	reg.Comp = first
	x, ok := w.halves[reg]
	if !ok {
		lanes := uint8(fourLanes)
		if first > 0 {
			lanes = 0b1100
		}
		x = w.add(manySlots, lanes)
		w.halves[reg] = x
	}
	return x
}

// tests are comparisons with zero that only choices read: a conditional move makes them itself
// (CNDGT and the like).
func (w *grouper) tests() []bool {
	out := zeroed(&w.s.flags, len(w.s.nodes))
	for i := range w.s.nodes {
		n := &w.s.nodes[i]
		if n.kind == call && isComparison(n.prim) && n.prim != ir.PrimEQ && n.prim != ir.PrimNE {
			out[i] = w.zero(n.args[0]) || w.zero(n.args[1])
		}
	}
	for i := range w.s.nodes {
		n := &w.s.nodes[i]
		for k, a := range n.args {
			if w.s.live[i] && (n.kind != choose || k > 0) {
				out[a.n] = false
			}
		}
	}
	return out
}

func (w *grouper) zero(a arg) bool {
	x, ok := w.s.number(a)
	return ok && x == 0
}

func (w *grouper) node(i int32, n *node) operand {
	switch n.kind {
	case literal:
		return operand{op: -1, pair: -1, literal: true, word: n.bits}
	case uniform:
		return operand{op: -1, pair: int32(n.reg.File)<<24 | int32(n.reg.Index)<<1 | int32(n.reg.Comp>>1)}
	case add, mul:
		return w.sum(i, n)
	case dot:
		lanes := uint8(fourLanes)
		if w.t.shortDots {
			lanes = 1<<(len(n.args)/2) - 1
		}
		return w.add(manySlots, lanes, w.args(n.args, false)...)
	case call:
		return w.call(i, n)
	case choose:
		return w.choose(n)
	case load, joined:
		return w.op(w.args(n.args, false)...)
	case branch:
		return w.op(w.arg(n.args[0], false))
	case kill:
		w.kill(n)
	case fetch:
		return w.fetch(n)
	case part:
		x := w.at[n.args[0].n]
		x.fixed = true
		return x
	}
	return w.at[i]
}

// sum is an addition, with a product if one is fused into it (MULADD).
func (w *grouper) sum(i int32, n *node) operand {
	if w.s.fused[i] {
		return nowhere
	}
	if n.kind == add {
		for k, a := range n.args {
			if m := &w.s.nodes[a.n]; m.kind == mul && w.s.fused[a.n] && a.mod&ir.Abs == 0 {
				return w.op(append(w.args(m.args, true), w.arg(n.args[1-k], true))...)
			}
		}
	}
	return w.op(w.args(n.args, false)...)
}

func (w *grouper) call(i int32, n *node) operand {
	if w.tested[i] {
		return nowhere
	}
	args := w.args(n.args, false)
	switch n.prim {
	case ir.PrimSat: // by what computes it
		if a := n.args[0]; a.mod == 0 && w.s.uses[a.n] == 1 && args[0].op >= 0 && !args[0].fixed {
			return args[0]
		}
	case ir.PrimRcp, ir.PrimRsq, ir.PrimExp2, ir.PrimLog2, ir.PrimLog2P:
		return w.add(functions, 0, args...)
	case ir.PrimSin, ir.PrimCos:
		// Sines take their argument through another operation first.
		return w.add(functions, 0, w.op(args...))
	case ir.PrimDsx, ir.PrimDsy:
		return w.gradient(i, n)
	}
	return w.op(args...)
}

// gradient is a difference between neighbouring pixels, which the texture units compute for a whole
// register: one fetch for all components of an instruction.
func (w *grouper) gradient(i int32, n *node) operand {
	key := [2]int32{n.vector, int32(n.prim)}
	if x, ok := w.gradients[key]; ok {
		return x
	}
	var set []arg
	for k := int(i); k < len(w.s.nodes) && w.s.nodes[k].vector == n.vector; k++ {
		if m := &w.s.nodes[k]; w.s.live[k] && m.kind == call && m.prim == n.prim {
			set = append(set, m.args[0])
		}
	}
	reads := w.together(set, w.values(set), true)
	x := w.add(fetches, 0, reads...)
	x.fixed = true
	w.gradients[key] = x
	return x
}

// choose is a conditional move. It compares with zero itself; other comparisons make a number
// first, and choices between 1 and 0 are just that number.
func (w *grouper) choose(n *node) operand {
	c := n.args[0]
	test, number := &w.s.nodes[c.n], w.s.isNumber(n)
	set := w.at[c.n]
	if w.tested[c.n] {
		if !number {
			of := test.args[0]
			if w.zero(of) {
				of = test.args[1]
			}
			return w.op(w.arg(of, true), w.arg(n.args[1], true), w.arg(n.args[2], true))
		}
		var ok bool
		if set, ok = w.sets[c.n]; !ok {
			set = w.op(w.args(test.args, false)...)
			w.sets[c.n] = set
		}
	}
	if !number {
		return w.op(set, w.arg(n.args[1], true), w.arg(n.args[2], true))
	}
	if yes, _ := w.s.number(n.args[1]); (yes == 1) == (c.mod&ir.Not != 0) {
		set = w.op(set)
	}
	return w.op(set)
}

// kill asks three components, each by itself, if any of them is to end the pixel.
func (w *grouper) kill(n *node) {
	var sets, asked [3]operand
	for k := range sets {
		if k < len(n.args) {
			sets[k] = w.op(w.arg(n.args[k], false))
		} else {
			sets[k] = sets[k-1]
		}
	}
	for k := range asked {
		asked[k] = w.op(sets[k])
	}
	w.op(w.op(w.op(asked[0], asked[1]), asked[2]))
}

// fetch reads a texture. Coordinates have to be in one register, and are moved there if they are
// not; so are explicit gradients, each of them.
func (w *grouper) fetch(n *node) operand {
	sets := [][]arg{n.args}
	if n.op == ir.OpFetchGrad {
		k := len(n.args) / 3
		sets = [][]arg{n.args[:k], n.args[k : 2*k], n.args[2*k:]}
	}
	var reads []operand
	for _, set := range sets {
		var key [4]arg
		copy(key[:], set)
		at, known := w.coords[key]
		if !known {
			level := n.op == ir.OpFetchBias || n.op == ir.OpFetchLod // beside them
			at = w.together(set, w.coordinates(n, w.values(set)), !level)
			w.coords[key] = at
		}
		reads = append(reads, at...)
	}
	return w.add(fetches, 0, reads...)
}

// settled reports whether x is in a register that it shares with others, where no operation can put
// it: an input, or a component that was fetched.
func (w *grouper) settled(x operand) bool {
	return x.fixed && (x.op < 0 || w.ops[x.op].place == fetches)
}

// coordinates are those of the face of a cube map (CUBE, a reciprocal, two operations), or divided
// by the last one.
func (w *grouper) coordinates(n *node, c []operand) []operand {
	switch {
	case n.res.Dim == ir.DimCube && len(c) >= 3:
		cube := w.add(manySlots, fourLanes, c[:3]...)
		by := w.add(functions, 0, cube)
		return []operand{w.op(cube, by), w.op(cube, by), cube}
	case n.op == ir.OpFetchProj && len(c) == 4:
		by := w.add(functions, 0, c[3])
		return []operand{w.op(c[0], by), w.op(c[1], by), w.op(c[2], by)}
	}
	return c
}

// values are operands with their signs applied.
func (w *grouper) values(set []arg) []operand {
	out := w.args(set, false)
	for k, a := range set {
		if a.mod != 0 {
			out[k] = w.op(out[k])
		}
	}
	return out
}

// together puts values into one register. Values of one register may stay there; a computed value
// goes there directly unless it was put into another one already; everything else is moved.
func (w *grouper) together(set []arg, values []operand, stay bool) (reads []operand) {
	var of home
	for k, x := range values {
		if x.written() {
			continue
		}
		in := w.home(set[k].n, x)
		stay = stay && x.fixed && (len(reads) == 0 || in == of)
		of = in
		reads = append(reads, x)
	}
	for k, x := range reads {
		if !stay && (x.op < 0 || w.placed[x.op] || w.settled(x)) {
			reads[k] = w.op(x)
		}
	}
	for _, x := range reads {
		if x.op >= 0 {
			w.placed[x.op] = true
		}
	}
	return reads
}

// exports moves to output registers what is not computed there: literals and inputs, values with
// signs, what several outputs have, and components of a register that does not go out as a whole.
func (w *grouper) exports() {
	outs := w.s.outs
	sent := map[int32]bool{}
	for len(outs) > 0 {
		n := 1
		for n < len(outs) && outs[n].reg.File == outs[0].reg.File && outs[n].reg.Index == outs[0].reg.Index {
			n++
		}
		if !w.whole(outs[:n]) {
			for _, o := range outs[:n] {
				x := w.at[o.n]
				switch {
				case x.written():
				case x.op < 0, o.mod != 0, w.settled(x), sent[o.n], w.placed[x.op]:
					w.op(x)
				}
				sent[o.n] = true
			}
		}
		outs = outs[n:]
	}
}

// whole reports whether outputs are components of one register (besides 0 and 1), which is exported
// as it is.
func (w *grouper) whole(outs []output) bool {
	var from *home
	for _, o := range outs {
		x := w.at[o.n]
		if x.written() && o.mod == 0 {
			continue
		}
		in := w.home(o.n, x)
		if o.mod != 0 || !x.fixed || from != nil && in != *from {
			return false
		}
		from = &in
	}
	return true
}

// home is the register that an operand shares with others: of an input, or what fetched it.
type home struct {
	reg ir.Reg
	op  int32
}

func (w *grouper) home(n int32, x operand) home {
	if m := &w.s.nodes[n]; m.kind == input {
		return home{ir.Reg{File: m.reg.File, Index: m.reg.Index}, -1}
	}
	return home{op: x.op}
}

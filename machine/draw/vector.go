package draw

import (
	"math/bits"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// vectors describes machines whose instructions take a vector of three components and a scalar: the
// Radeons of Direct3D 9. Signs, clamping and swizzles are free, and so is a sum of two registers
// that its reader computes.
type vectors struct {
	trig, gradient, kill int // instructions of a sine or cosine, of dsx and dsy, and of a kill
	// complements: 1-x and 1-2x are folded into readers too.
	complements bool
}

// unit is the part of an instruction that an operation takes.
type unit uint8

const (
	colour unit = 1 << iota // the three components
	alpha                   // the scalar
	either                  // a scalar that may go to either unit
	whole  = colour | alpha
)

// vectorOp is an operation of up to four components, which takes the colour unit, the alpha unit,
// or both. Operands are kept in three forms. reads holds the operations that must precede it.
// sources holds registers, since an instruction reads few. values holds components, which score in
// scheduling.
type vectorOp struct {
	unit      unit
	lanes     uint8
	kind      kind
	prim      ir.Prim
	times     int // sequential instructions
	rate      int32
	reads     []int32 // indices of operations
	sources   []register
	values    []component // of operations that it reads
	collected bool        // its components share a register with those of other operations
	output    bool        // it writes an output
	block     int32       // operations of different blocks share no instruction
	sum       sum         // presubtract that readers can include
	absorbs   bool        // it includes a sum
	summed    unit        // units of that sum: colours or alphas
	through   []int32     // operations that it reads through that sum
	gone      bool
	schedule  scheduled
}

// register is a register operand of an instruction: its colour components or its alpha.
type register struct {
	source
	alpha bool
	left  bool // no longer read, but it still takes a place
}

// operands is the number of different registers that each unit of an instruction reads.
const operands = 3

// readingUnit returns the unit that reads a register.
func (r register) readingUnit() unit {
	if r.alpha {
		return alpha
	}
	return colour
}

// component is a component of an operation's result.
type component struct {
	op   int32
	lane uint8
}

// stageWork prices a stage. Instructions of the vertex program execute one operation each; those of the
// pixel program are filled by pairing. Their number is scaled by the mean frequency of operations,
// since the schedule counts each once.
func (t *vectors) stageWork(s *stage) (w work) {
	ops, ran := t.operations(s), s.tally()
	if !s.pixel {
		for i := range ops {
			if o := &ops[i]; !o.gone {
				ran[o.rate] += float64(o.times)
			}
		}
		w.pipes[Vertex], w.operations = ran, len(ops)
		return w
	}
	foldPresubtract(ops, &s.ints, &s.budget)
	textures := s.tally()
	for i := range ops {
		o := &ops[i]
		if o.gone {
			continue
		}
		ran[o.rate]++
		w.operations++
		if o.kind == fetch {
			textures[o.rate]++
		}
	}
	w.pipes[Texture], w.pipes[Arithmetic] = textures, ran
	w.packed = t.schedule(ops, &s.ints, &s.budget)
	return w
}

// vectorizer builds vector operations from the nodes of a stage: nodes that were lanes of one
// instruction and compute the same become one operation again.
type vectorizer struct {
	t         *vectors
	s         *stage
	collected []uint8
	strays    []bool // of pixel programs
	folded    []bool // folded into its reader
	ops       []vectorOp
	of        []int32 // the operation of a node, or -1
	block     int32   // of moves
}

// operations returns the operations of a stage, with the moves for operands and outputs.
func (t *vectors) operations(s *stage) []vectorOp {
	x := &vectorizer{t: t, s: s, folded: s.flags.Alloc(len(s.nodes)), ops: s.vectorOps[:0], of: s.ints.Alloc(len(s.nodes))}
	if s.pixel { // vertex programs write components in place
		x.collected, x.strays = s.collected()
		x.collected = slices.Clone(x.collected)
		for i := range x.collected {
			if x.strayed(int32(i)) {
				x.collected[i] = 0
			}
		}
	} else {
		x.collected = zeroed(&s.bytes, len(s.nodes))
	}
	numbered := s.numbered(x.collected)
	for i := range x.folded {
		x.folded[i] = t.folds(s, int32(i)) && !numbered[i]
	}
	x.gather()
	if !s.pixel { // each takes an instruction, whatever it reads
		x.ops = append(x.ops, moves(s)...)
	} else {
		x.connect()
		x.moves()
		x.outputs()
	}
	s.vectorOps = x.ops
	return x.ops
}

// connect sets the operands of operations, and marks outputs.
func (x *vectorizer) connect() {
	s := x.s
	for i := range s.nodes {
		s.budget.Poll()
		if k := x.of[i]; k >= 0 {
			x.addOperands(&x.ops[k], &s.nodes[i])
		}
	}
	// An operation is an output if nothing else reads its result, in any component. A clamp counts
	// as the clamped operation.
	written := zeroed(&s.bytes, len(x.ops))
	for _, o := range s.outs {
		i := o.n
		if n := &s.nodes[i]; x.folded[i] && s.uses[i] == 1 {
			i = n.args[0].n
		}
		if k := x.of[i]; k >= 0 && s.uses[i] == 1 {
			written[k] |= 1 << x.component(i)
		}
	}
	for k, lanes := range written {
		x.ops[k].output = lanes != 0 && lanes == x.ops[k].lanes
	}
}

// manyReads is the initial capacity for the reads of an operation.
const manyReads = 8

// gather assigns nodes to operations. Nodes that are folded into readers (fused products, folded
// comparisons and clamps) have none.
func (x *vectorizer) gather() {
	s, coordinates := x.s, map[[4]arg]int32{}
	at := s.numbers() // of operations, by instruction and primitive
	for i := range s.nodes {
		s.budget.Poll()
		n := &s.nodes[i]
		x.of[i] = -1
		if !s.live[i] || x.s.fused[i] || n.kind < add || n.kind == part || n.kind == carried || n.kind == joined ||
			x.folded[i] {
			continue
		}
		// Coordinates that are not computed are first moved into one register, once for each set of
		// them.
		moved := int32(-1)
		if lanes := x.apart(n); lanes != 0 {
			var set [4]arg
			copy(set[:], n.args)
			if k, ok := coordinates[set]; ok {
				moved = k
			} else {
				moved = int32(len(x.ops))
				coordinates[set] = moved
				x.ops = append(x.ops, vectorOp{kind: literal, times: 1, rate: n.rate, block: n.block, lanes: lanes,
					collected: true})
				x.ops[moved].place()
			}
		}
		key := lanesOf(n) | source(n.prim)<<40
		// Fetches, kills, dot products and functions are separate operations.
		k, ok := at[key]
		if !ok || n.kind == fetch || n.kind == kill || n.kind == dot || isFunction(n) {
			k = int32(len(x.ops))
			at[key] = k
			x.ops = append(x.ops, vectorOp{kind: n.kind, prim: n.prim, times: 1, rate: n.rate, block: n.block,
				sum:   x.classifySum(n),
				reads: s.ints.Alloc(manyReads)[:0], values: s.components.Alloc(manyReads)[:0], sources: s.registers.Alloc(manyReads)[:0]})
			if moved >= 0 {
				x.ops[k].reads = append(x.ops[k].reads, moved)
			}
		}
		o := &x.ops[k]
		x.of[i] = k
		o.lanes |= 1 << x.component(int32(i))
		o.rate = max(o.rate, n.rate)
		o.collected = o.collected || x.collected[i] > 0
		if o.collected || x.classifySum(n) != o.sum {
			o.sum = none
		}
		x.t.setUnit(s, o, n)
	}
	// Collected operations write components of a shared register.
	for i := range x.ops {
		if o := &x.ops[i]; o.collected {
			o.inPlace()
		}
	}
}

// addOperands adds the operands of node n to its operation, including those of nodes folded into it.
func (x *vectorizer) addOperands(o *vectorOp, n *node) {
	for _, a := range n.inputs() {
		m := &x.s.nodes[a.n]
		if x.s.fused[a.n] || x.folded[a.n] {
			x.addOperands(o, m)
			if k := x.of[m.args[0].n]; m.kind == call && m.prim == ir.PrimSat && k >= 0 {
				x.ops[k].sum = none // it is clamped itself
			}
			continue
		}
		x.operand(o, a)
	}
}

// operand makes an operation read a.
func (x *vectorizer) operand(o *vectorOp, a arg) {
	m := &x.s.nodes[a.n]
	from, k, lane := x.s.source(a.n), x.of[a.n], x.componentOf(a.n)
	if m.kind == part {
		k = x.of[m.args[0].n]
	}
	if k >= 0 {
		from = nodeOf(x.ops[k].kind, k)
		o.reads = appendUnique(o.reads, k)
		o.values = appendUnique(o.values, component{k, lane})
	}
	// 0, 1 and 0.5 are selections of an operand, and take no register.
	if f, ok := x.s.number(a); !(ok && (f == 0 || f*f == 1 || f*f == 0.25)) {
		o.sources = appendUnique(o.sources, register{source: from, alpha: lane == 3})
	}
}

// componentOf returns the component of a value in its register. Values that stay together are packed from
// the first component on; results of functions are in alpha.
func (x *vectorizer) componentOf(i int32) uint8 {
	n := &x.s.nodes[i]
	switch {
	case n.kind == uniform || n.kind == input:
		return n.reg.Comp
	case n.kind == part:
		return uint8(n.bits)
	case x.of[i] < 0:
		return 0
	}
	o, lane := &x.ops[x.of[i]], x.component(i)
	switch {
	case o.collected:
		return lane
	case o.unit == alpha:
		return 3
	case n.kind == dot:
		return 0
	}
	return uint8(bits.OnesCount8(o.lanes & (1<<lane - 1)))
}

// component returns the component that a node writes: the one in which it is collected, or else the
// one in the program.
func (x *vectorizer) component(i int32) uint8 {
	if c := x.collected[i]; c > 0 {
		return c - 1
	}
	return uint8(x.s.nodes[i].lane & 3)
}

// coordinates returns the coordinates of a fetch. R300 drops an explicit level.
func (x *vectorizer) coordinates(n *node) []arg {
	args := n.args[:min(4, len(n.args))]
	if n.op == ir.OpFetchLod && !x.t.complements {
		args = args[:len(args)-1]
	}
	return args
}

// apart returns the coordinates of a fetch that must be moved into one register. These are the
// coordinates that are not computed, unless all are inputs of one register.
func (x *vectorizer) apart(n *node) (lanes uint8) {
	if n.kind != fetch {
		return 0
	}
	together := true
	args := x.coordinates(n)
	for k, a := range args {
		m, first := &x.s.nodes[a.n], &x.s.nodes[args[0].n]
		if m.kind < add {
			if k == len(n.args)-1 && n.op != ir.OpFetch { // a level and a divisor are always the last component
				k = 3
			}
			lanes |= 1 << k
		}
		together = together && m.kind == input && m.reg.File == first.reg.File && m.reg.Index == first.reg.Index
	}
	if together {
		return 0
	}
	return lanes
}

// moves returns the moves of outputs that nothing computes, or that fetches return, a register at a
// time.
func moves(s *stage) (ops []vectorOp) {
	last := -1
	for i := range s.outs {
		reg := s.outs[i].reg
		if k := s.nodes[s.outs[i].n].kind; k >= add && k != part {
			continue
		}
		if last < 0 || s.outs[last].reg.File != reg.File || s.outs[last].reg.Index != reg.Index {
			ops = append(ops, vectorOp{kind: literal, times: 1, output: true})
		}
		last = i
		o := &ops[len(ops)-1]
		o.lanes |= 1 << reg.Comp
		o.place()
		o.inPlace()
	}
	return ops
}

// folds reports whether a node has no operation of its own: a clamp of a value without other
// readers, or a comparison, which choices include.
func (t *vectors) folds(s *stage, i int32) bool {
	n := &s.nodes[i]
	if n.kind != call {
		return false
	}
	if n.prim == ir.PrimSat {
		a := n.args[0]
		m := &s.nodes[a.n]
		return a.mod == 0 && s.uses[a.n] == 1 && m.kind >= add && m.kind != part
	}
	return isComparison(n.prim)
}

// isFunction reports whether a node is a function that only the scalar unit has.
func isFunction(n *node) bool {
	switch n.prim {
	case ir.PrimRcp, ir.PrimRsq, ir.PrimExp2, ir.PrimLog2, ir.PrimLog2P, ir.PrimSin, ir.PrimCos:
		return n.kind == call
	}
	return false
}

// setUnit sets the unit of an operation, and its number of instructions.
func (t *vectors) setUnit(s *stage, o *vectorOp, n *node) {
	switch n.kind {
	case fetch:
		o.unit = whole
		return
	case branch: // the condition, IF and ENDIF
		o.unit, o.times = whole, 3
		return
	case repeat: // BGNLOOP, ENDLOOP, a counter and its condition, IF, BRK and ENDIF
		o.unit, o.times = whole, 7
		return
	case kill:
		o.unit, o.times = whole, t.kill
		if len(n.args) == 1 {
			o.times = 2
		}
		return
	case dot:
		o.unit = colour
		if len(n.args) == 8 {
			o.unit = whole
		}
		return
	case call:
		if isFunction(n) {
			o.unit = alpha
			if n.prim == ir.PrimSin || n.prim == ir.PrimCos {
				o.times = t.trig
			}
			return
		}
		switch n.prim {
		case ir.PrimDsx, ir.PrimDsy:
			o.times = t.gradient
		}
	case choose:
		if x, ok := s.number(n.args[1]); ok && s.isNumber(n) && (x == 1) == (n.args[0].mod&ir.Not != 0) { // it needs its inverse first
			o.times = 2
		}
	}
	o.place()
}

// place sets the unit of an operation that any component can execute, from the number of its
// components.
func (o *vectorOp) place() {
	switch bits.OnesCount8(o.lanes) {
	case 1:
		o.unit = either
	case 4:
		o.unit = whole
	default:
		o.unit = colour
	}
}

// inPlace sets the unit of an operation that must write exactly its own components, since its
// register has others: the fourth belongs to alpha.
func (o *vectorOp) inPlace() {
	last := o.lanes&8 != 0
	switch {
	case o.unit == alpha && o.lanes != 8, o.kind == dot && last, o.unit == colour && last:
		o.unit = whole
	case o.unit == either && last:
		o.unit = alpha
	case o.unit == either, o.unit == whole && !last && o.kind == literal:
		o.unit = colour
	}
}

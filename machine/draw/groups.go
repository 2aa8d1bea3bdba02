package draw

import "github.com/shaderlift/shaderlift/ir"

// groups describes machines that run up to five operations at a time: the Radeons R600 to
// Evergreen. The price follows the schedule of Mesa's compiler, not the best one. Arithmetic runs
// as long as some can, regardless of delays, and operations that free registers come first.
type groups struct {
	// shortDots: dot products leave the unused slots free.
	shortDots bool
	// interpolates: interpolation is arithmetic, two components of a register at a time.
	interpolates bool
	// queue is the number of ready fetches that wait until no arithmetic is ready.
	queue int
}

// Limits of a group: literals, pairs of constants, and register reads from one lane.
const (
	groupWords = 4
	groupPairs = 2
	groupReads = 3
)

// Slots of a group: four lanes, and one for functions and for operations without a free lane.
const (
	fourLanes  = 0b01111
	lastSlot   = 0b10000
	wholeGroup = fourLanes | lastSlot
)

// place is the set of slots that can execute an operation.
type place uint8

const (
	anySlot   place = iota
	functions       // the last slot
	manySlots       // several lanes at once
	fetches         // between groups
	numPlaces
)

// groupOp is an operation of a VLIW5 machine.
type groupOp struct {
	place   place
	lanes   uint8 // of manySlots
	gone    bool  // a removed move
	block   int32 // operations of different blocks share no group
	value   int32 // the value it defines, the last one of several, or -1
	sources []operand
	rate    int32

	waits    int   // number of values it waits for
	priority int32 // among ready operations
}

// value is a component of a register: the result of an operation, or an input.
type value struct {
	op       int32 // its operation, or -1
	next     int32 // next result of its operation, or -1
	lane     int8
	hold     hold
	register int32 // shared with other values
	gather   int32 // that puts it into a register, or -1
	users    []int32
	unread   int32 // users that have not run, including exports
}

// hold is the part of a value's place that is fixed.
type hold uint8

const (
	loose    hold = iota
	together      // the register, which other values share, but not the lane
	inLane        // the lane
	settled       // both
)

// operand is a node as an operand: a value, a constant, or a literal.
type operand struct {
	value   int32 // or -1
	pair    int32 // of constants, by position, or -1
	word    uint32
	literal bool
}

// nowhere is an operand without constraints.
var nowhere = operand{value: -1, pair: -1}

// stageWork prices a stage. It schedules the operations of the graph as if each ran once. The number of
// groups is scaled by the mean frequency of operations. Loops thus count by their share of the
// operations.
func (t *groups) stageWork(s *stage) (work work) {
	w, textures := newGrouper(t, s), s.tally()
	for i := range s.nodes {
		s.budget.Poll()
		if n := &s.nodes[i]; s.live[i] {
			w.rate, w.block = n.rate, n.block
			w.passing(n)
			w.at[i] = w.addNode(int32(i), n)
			if n.kind == fetch {
				textures[n.rate]++
			}
		}
	}
	w.rate = 0
	w.exports()
	w.settle()
	ran := s.tally()
	for i := range w.ops {
		if o := &w.ops[i]; o.place != fetches && !o.gone {
			ran[o.rate]++
			work.operations++
		}
	}
	work.pipes[Texture], work.pipes[Arithmetic] = textures, ran
	work.packed = t.schedules(w.groupProgram, s.memory, &s.budget)
	s.groupOps, s.groupVals = w.ops, w.values
	return work
}

// groupProgram is the input of scheduling.
type groupProgram struct {
	ops     []groupOp
	values  []value
	gathers []gather
}

// grouper translates a stage to operations.
type grouper struct {
	groupProgram
	t         *groups
	s         *stage
	tested    []bool              // comparisons folded into choices
	compared  []bool              // sums folded into comparisons
	at        []operand           // by node
	signs     map[arg]operand     // operands after modifiers that instructions lack
	sets      map[int32]operand   // by node: comparisons whose result is also a number
	halves    map[ir.Reg][2]int32 // interpolation operations
	registers map[ir.Reg]int32
	widths    map[ir.Reg]uint8 // of inputs, up to the last component that is read
	coords    map[[5]operand]int32
	fetched   []fetched
	// gradients holds the gradients of instructions; one gradient computes all components.
	gradients map[[2]int32]int32
	// seen holds the values that had a lane, including phantom values.
	seen  map[arg]bool
	lanes [4]int // number of values in each
	rate  int32
	block int32
}

// fetched is a fetch with its operands: registers that hold gathered values.
type fetched struct {
	op      int32
	gathers [3]int32
	n       int
}

// newGrouper starts with the inputs: interpolation is at the start of a program.
func newGrouper(t *groups, s *stage) *grouper {
	w := &grouper{t: t, s: s, at: s.operands.Alloc(len(s.nodes)),
		signs: map[arg]operand{}, seen: map[arg]bool{}, sets: map[int32]operand{}, halves: map[ir.Reg][2]int32{}, registers: map[ir.Reg]int32{},
		widths: map[ir.Reg]uint8{}, coords: map[[5]operand]int32{}, gradients: map[[2]int32]int32{}}
	w.ops, w.values = s.groupOps[:0], s.groupVals[:0]
	w.tested, w.compared = w.tests(), s.compared()
	for i := range s.nodes {
		if n := &s.nodes[i]; n.kind == kill && s.live[i] {
			for _, a := range n.args {
				w.compared[a.n] = w.compared[a.n] || s.justCompared(a)
			}
		}
	}
	for i := range s.nodes {
		if n := &s.nodes[i]; n.kind == input && s.live[i] {
			reg := wholeReg(n.reg)
			w.widths[reg] = max(w.widths[reg], n.reg.Comp+1)
		}
	}
	for i := range s.nodes {
		if w.at[i] = nowhere; s.nodes[i].kind == input && s.live[i] { // before all else
			w.at[i] = w.input(&s.nodes[i])
		}
	}
	return w
}

// addOp adds an operation without a result.
func (w *grouper) addOp(p place, lanes uint8, args ...operand) int32 {
	o := groupOp{place: p, lanes: lanes, block: w.block, rate: w.rate, value: -1, sources: w.s.operands.Alloc(len(args))}
	copy(o.sources, args)
	w.ops = append(w.ops, o)
	return int32(len(w.ops) - 1)
}

// addValueOp adds an operation with a result, in the lane with the fewest values.
func (w *grouper) addValueOp(p place, lanes uint8, args ...operand) operand {
	return w.value(w.addOp(p, lanes, args...), w.pickLane(), loose)
}

// pickLane returns the lane of a new value: the one with the fewest values.
func (w *grouper) pickLane() int8 {
	lane := 0
	for l := range w.lanes {
		if w.lanes[l] < w.lanes[lane] {
			lane = l
		}
	}
	w.lanes[lane]++
	return int8(lane)
}

// reserveLane reserves a lane for a, unless it has one.
func (w *grouper) reserveLane(a arg) {
	if !w.seen[a] {
		w.seen[a] = true
		w.pickLane()
	}
}

// passing reserves lanes for phantom values, which the compiler creates at a node and removes
// later. These are literals, indices of constants, operands with signs, and clamps.
func (w *grouper) passing(n *node) {
	for _, a := range n.inputs() {
		m := &w.s.nodes[a.n]
		switch {
		case m.kind == literal && m.bits != 0 && m.bits != oneBits && m.bits != mostBits:
			w.reserveLane(arg{n: a.n})
		case m.kind == uniform && m.reg.Index != 0: // its index
			w.reserveLane(arg{n: -1 - int32(m.reg.File)<<16 - int32(m.reg.Index)})
		}
		if a.mod&ir.Abs != 0 && n.prim != ir.PrimEQ && n.prim != ir.PrimRsq && n.prim != ir.PrimLog2P { // these need none
			w.reserveLane(arg{n: a.n, mod: ir.Abs})
		}
		switch {
		case a.mod&ir.Neg == 0:
		case n.kind != add:
			w.reserveLane(a)
		case w.s.fused[a.n]: // the sign of a factor
			w.reserveLane(arg{n: m.args[0].n, mod: ir.Neg})
		}
	}
	if n.kind == call && n.prim == ir.PrimSat {
		w.pickLane()
	}
}

// value adds a value in a register of its own.
func (w *grouper) value(op int32, lane int8, h hold) operand {
	i := int32(len(w.values))
	v := value{op: op, next: -1, lane: lane, hold: h, register: i, gather: -1}
	if op >= 0 {
		v.next, w.ops[op].value = w.ops[op].value, i
	}
	w.values = append(w.values, v)
	return operand{value: i, pair: -1}
}

// op adds a single-component operation for any slot.
func (w *grouper) op(args ...operand) operand { return w.addValueOp(anySlot, 0, args...) }

// short reports whether an operand can be this literal without a literal slot of the group: 0, 0.5
// and 1.
func short(bits uint32) bool {
	switch bits {
	case 0, halfBits, oneBits:
		return true
	}
	return false
}

// Literals.
const (
	halfBits = 0x3f000000
	oneBits  = 0x3f800000
	mostBits = 0x7f7fffff // the reciprocal of 0 in Direct3D 9
)

// written reports whether exports and fetches can select this value: 0 or 1.
func (x operand) written() bool { return x.literal && (x.word == 0 || x.word == oneBits) }

// operandOf returns an operand with the modifiers in some applied by an operation; all others are free.
func (w *grouper) operandOf(a arg, some ir.LaneMod) operand {
	if a.mod &= some; a.mod == 0 {
		return w.at[a.n]
	}
	x, ok := w.signs[a]
	if !ok {
		x = w.op(w.at[a.n])
		w.signs[a] = x
	}
	return x
}

// Modifiers that instructions lack: multiply-adds, and conditional moves.
const (
	ofSums    = ir.Abs
	ofChoices = ir.Abs | ir.Neg
)

func (w *grouper) operandsOf(list []arg, some ir.LaneMod) []operand {
	out := w.s.operands.Alloc(len(list))
	for k, a := range list {
		out[k] = w.operandOf(a, some)
	}
	return out
}

// wholeReg returns the register of a component.
func wholeReg(r ir.Reg) ir.Reg { return ir.Reg{File: r.File, Index: r.Index} }

func (w *grouper) input(n *node) operand {
	op, h := int32(-1), settled
	if w.s.interpolated(n) && w.t.interpolates {
		h = inLane
		if n.bits != varies {
			op = w.addOp(anySlot, 0)
		} else {
			op = w.interpolation(wholeReg(n.reg))[n.reg.Comp>>1]
		}
	}
	x := w.value(op, int8(n.reg.Comp), h)
	if first, ok := w.registers[wholeReg(n.reg)]; ok {
		w.values[x.value].register = first
	} else {
		w.registers[wholeReg(n.reg)] = x.value
	}
	return x
}

// interpolation adds the operations that interpolate a register, two components at a time.
// INTERP_XY and INTERP_ZW take all four slots, INTERP_X and INTERP_Z two.
func (w *grouper) interpolation(r ir.Reg) (ops [2]int32) {
	ops, ok := w.halves[r]
	if ok {
		return ops
	}
	switch w.widths[r] {
	case 1:
		ops[0] = w.addOp(manySlots, 0b0011)
	case 2:
		ops[0] = w.addOp(manySlots, fourLanes)
	case 3:
		ops = [2]int32{w.addOp(manySlots, fourLanes), w.addOp(manySlots, 0b1100)}
	default:
		ops[1] = w.addOp(manySlots, fourLanes)
		ops[0] = w.addOp(manySlots, fourLanes)
	}
	w.halves[r] = ops
	return ops
}

// tests returns the comparisons with zero that only choices read: a conditional move includes them
// (CNDGT and others).
func (w *grouper) tests() []bool {
	out := zeroed(&w.s.flags, len(w.s.nodes))
	for i := range w.s.nodes {
		n := &w.s.nodes[i]
		if n.kind == call && isComparison(n.prim) && n.prim != ir.PrimEQ && n.prim != ir.PrimNE {
			out[i] = w.isZero(n.args[0]) || w.isZero(n.args[1])
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

func (w *grouper) isZero(a arg) bool {
	x, ok := w.s.number(a)
	return ok && x == 0
}

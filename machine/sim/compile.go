package sim

import (
	"math/bits"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/machine/sim/internal/wave"
)

// lanes is a value of every thread of a wavefront, as 32-bit words.
type lanes = wave.Lanes

// Cells hold values while a wavefront is traced. Those of the wavefront (waveTrace.cells) are
// registers, clause temporaries and the address register. Results of the slots of this group and of
// the one before (PV and PS), in turns, and operands with modifiers applied live only within a
// clause, and have cells of the tracer.
const (
	operandCell  = 2 * r600.NumSlots
	scratchCells = operandCell + 3
)

// clauseTrace is a clause prepared for tracing. parts are the steps that an ALU clause takes in
// time: one, unless barriers divide it.
type clauseTrace struct {
	parts  []Step // of an ALU clause: it is cut at barriers
	groups []groupTrace
	fetch  []fetchTrace
}

// fetchTrace is what is known of a fetch before it runs.
type fetchTrace struct {
	waits bool     // its coordinates come from a fetch that may be under way
	place int      // which of the clause's sets of places it reads
	first bool     // it is the first to read them
	count bool     // that it is made is all that is told of it, see Tracer.Count
	wants uint8    // the channels it delivers that something traced reads
	dst   [4]int32 // the cells of what it delivers, -1 for none
	from  *Surface // what it reads
}

// groupTrace is what has to be evaluated of a group: the slots that addresses and conditions depend
// on.
type groupTrace struct {
	ops    []opTrace
	parity int // which cells its results go to
}

type opTrace struct {
	inst *r600.Inst
	eval waveEval // nil where it is not traced
	src  [3]operand
	nsrc int
	slot int
	dst  int32 // cell of the wavefront, -1 for none
	// What the table says of the operation: whether it reduces, and whether it is a predicate or a kill.
	reduces, decides bool
	first            bool // of a unit that reduces: the slot that sums up
}

// operand is where a source is: a cell of the wavefront, a cell of the tracer, a
// constant of the program, or a constant found through the address register.
type operand struct {
	kind operandKind
	cell int32
	src  *r600.Src
	// sign applies the modifiers, with the bit masks of a constant; nil where there are none.
	sign  waveEval
	masks int32
}

type operandKind uint8

const (
	inWave operandKind = iota
	inScratch
	inConsts
	relative
)

// compile turns the needed instructions into evaluations over cells, so that tracing needs neither
// names of registers nor tables.
func (tr *Tracer) compile(n *needed) {
	p := tr.p
	tr.clauses = make([]clauseTrace, len(p.CF))
	count := 0
	for i := range n.slots {
		for _, want := range n.slots[i] {
			count += bits.OnesCount8(want)
		}
	}
	ops := make([]opTrace, 0, count)
	for i := range p.CF {
		cf, c := &p.CF[i], &tr.clauses[i]
		c.parts = parts(cf, p.Family)
		c.groups, c.fetch = make([]groupTrace, len(cf.Groups)), make([]fetchTrace, 0, len(cf.Fetches))
		for g := range cf.Groups {
			from := len(ops)
			ops = tr.compileGroup(ops, &cf.Groups[g], n.slots[i][g], g&1)
			c.groups[g] = groupTrace{ops: ops[from:], parity: g & 1}
		}
		for f := range cf.Fetches {
			wants := n.fetch[i][f] | feeds(cf.Fetches[f:])
			c.fetch = append(c.fetch, fetchTrace{waits: f == 0 && dependent(p, i), wants: wants})
			for ch := range uint8(4) {
				if n.fetch[i][f]>>ch&1 != 0 {
					tr.cell(gpr(cf.Fetches[f].Dst, ch))
				}
			}
		}
	}
	for l := range n.inputs.All() {
		tr.cell(l)
	}
	for i := range p.CF {
		tr.places = max(tr.places, tr.placeSets(p.CF[i].Fetches, tr.clauses[i].fetch))
		tr.compileFetches(p.CF[i].Fetches, tr.clauses[i].fetch)
	}
	tr.preload = make([]chip.Builtin, tr.cells)
	tr.isInput = make([]bool, tr.cells)
	for l, c := range tr.cellOf {
		tr.isInput[c] = l >= firstGPR && n.inputs.Has(l)
	}
	for _, in := range tr.l.Inputs {
		if c, ok := tr.cellOf[gpr(in.Reg, uint8(in.Chan))]; ok && n.inputs.Has(gpr(in.Reg, uint8(in.Chan))) {
			tr.preload[c] = in.Holds
		}
	}
}

// compileFetches looks up what the fetches of a clause read and write, when every cell has its place.
func (tr *Tracer) compileFetches(list []r600.Fetch, traces []fetchTrace) {
	for i := range list {
		f, known := &list[i], &traces[i]
		known.from = tr.reads(f)
		for ch, sel := range f.DstSel {
			known.dst[ch] = -1
			if c, ok := tr.cellOf[gpr(f.Dst, uint8(ch))]; ok && sel != r600.SelMask {
				known.dst[ch] = c
			}
		}
	}
}

// feeds are the channels that the first fetch of a list delivers and a later one takes a place from.
func feeds(list []r600.Fetch) (channels uint8) {
	for i := range list[1:] {
		if f := &list[1+i]; f.Src == list[0].Dst {
			for _, sel := range f.SrcSel {
				if sel <= r600.SelW {
					channels |= 1 << sel
				}
			}
		}
	}
	return channels
}

// placeSets numbers the sets of places that the fetches of a clause read. Fetches of surfaces of
// one size at the same coordinates, as in a sum of several matrices, read the same places, which
// are computed once. It returns how many sets there are.
func (tr *Tracer) placeSets(list []r600.Fetch, traces []fetchTrace) int {
	type reads struct {
		op                   r600.FetchOp
		src                  int
		sel                  [4]r600.Sel
		offset               [3]int8
		unnormal, linear     bool
		width, height, bytes int
		scale                int
	}
	sets := map[reads]int{}
	for i := range list {
		f := &list[i]
		s := tr.reads(f)
		key := reads{f.Op, f.Src, f.SrcSel, f.Offset, f.Unnormal || s.Unnormal, s.Linear, s.Width, s.Height, s.Bytes, f.Scale}
		set, ok := sets[key]
		if !ok {
			set = len(sets)
			sets[key] = set
		}
		traces[i].place, traces[i].first = set, !ok
	}
	return len(sets)
}

// Count leaves it out which lines fetches through the caches read, but for those whose results something
// that is traced depends on. It is for who asks how many fetches there are, and not what they meet.
func (tr *Tracer) Count() {
	for i := range tr.clauses {
		list, traces := tr.p.CF[i].Fetches, tr.clauses[i].fetch
		placed := map[int]bool{}
		for k := range list {
			f := &traces[k]
			f.count = touches(list[k].Op) && !direct(list[k].Op) && f.wants == 0
			f.first = !f.count && !placed[f.place]
			placed[f.place] = placed[f.place] || f.first
		}
	}
}

// cell returns the cell of a location, new if it has none.
func (tr *Tracer) cell(l loc) int32 {
	c, ok := tr.cellOf[l]
	if !ok {
		c = int32(tr.cells)
		tr.cellOf[l] = c
		tr.cells++
	}
	return c
}

// compileGroup adds the needed operations of a group to others.
func (tr *Tracer) compileGroup(ops []opTrace, g *r600.Group, want uint8, parity int) []opTrace {
	summed := false
	for slot, inst := range g.Slots {
		if inst == nil || want>>slot&1 == 0 {
			continue
		}
		op := opTrace{inst: inst, eval: waveEvals()[inst.Op], slot: slot, dst: -1, nsrc: inst.Op.Sources(),
			reduces: inst.Op.Reduces(), decides: inst.Op.Predicate() || inst.Op.Kills()}
		if l, ok := written(inst); ok {
			op.dst = tr.cell(l)
		}
		for j := range op.nsrc {
			op.src[j] = tr.operand(inst, &inst.Src[j], parity)
		}
		if op.reduces {
			op.first, summed = !summed, true
		}
		ops = append(ops, op)
	}
	return ops
}

func (tr *Tracer) operand(inst *r600.Inst, s *r600.Src, parity int) operand {
	o := operand{src: s}
	o.sign, o.masks = tr.sign(s)
	before := int32((1 - parity) * r600.NumSlots)
	switch s.Kind {
	case r600.SrcGPR:
		o.cell = tr.cell(gpr(int(s.Index), s.Chan))
	case r600.SrcTemp:
		o.cell = tr.cell(temp(int(s.Index), s.Chan))
	case r600.SrcPV:
		o.kind, o.cell = inScratch, before+int32(s.Chan)
	case r600.SrcPS:
		o.kind, o.cell = inScratch, before+r600.T
	case r600.SrcConst:
		if s.Rel {
			o.kind, o.cell = relative, tr.cell(addressReg)
			break
		}
		o.kind, o.cell = inConsts, tr.constant(tr.l.constant(int(s.Bank), int(s.Index), s.Chan))
	default:
		o.kind, o.cell = inConsts, tr.constant(s.Bits)
	}
	return o
}

// signBit is that of a float.
const signBit = 1 << 31

// sign is what applies the modifiers of a source: its sign bit cleared, set or flipped.
func (tr *Tracer) sign(s *r600.Src) (waveEval, int32) {
	switch {
	case s.Abs && s.Neg:
		return waveEvals()[r600.OpOrInt], tr.constant(signBit)
	case s.Abs:
		return waveEvals()[r600.OpAndInt], tr.constant(^uint32(signBit))
	case s.Neg:
		return waveEvals()[r600.OpXorInt], tr.constant(signBit)
	}
	return nil, 0
}

// constant returns a cell of the tracer that holds one word for all threads.
func (tr *Tracer) constant(word uint32) int32 {
	for i := range tr.consts {
		if tr.consts[i][0] == word {
			return int32(i)
		}
	}
	var l lanes
	for i := range l {
		l[i] = word
	}
	tr.consts = append(tr.consts, l)
	return int32(len(tr.consts) - 1)
}

// parts cuts an ALU clause at its barriers into steps: arithmetic, barrier, and so on.
func parts(cf *r600.CF, family r600.Family) []Step {
	var out []Step
	cut := true
	for i := range cf.Groups {
		if cut {
			out = append(out, Step{Kind: StepALU})
			cut = false
		}
		s := &out[len(out)-1]
		s.Groups++
		for slot, inst := range cf.Groups[i].Slots {
			if inst == nil {
				continue
			}
			cut = cut || inst.Op == r600.OpGroupBarrier
			if slot%max(1, inst.Op.Slots(family).Width()) == 0 {
				s.Flops += flops(inst.Op)
			}
		}
		if cut {
			out = append(out, Step{Kind: StepBarrier})
		}
	}
	return out
}

// dependent reports whether a fetch clause takes coordinates from the fetch clauses right
// before it, with no ALU clause in between that would wait for them.
func dependent(p *r600.Program, at int) bool {
	for i := at - 1; i >= 0 && len(p.CF[i].Fetches) > 0; i-- {
		for j := range p.CF[i].Fetches {
			for k := range p.CF[at].Fetches {
				if p.CF[i].Fetches[j].Dst == p.CF[at].Fetches[k].Src {
					return true
				}
			}
		}
	}
	return false
}

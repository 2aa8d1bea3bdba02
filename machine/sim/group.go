package sim

import "github.com/shaderlift/shaderlift/asm/r600"

// ref is where a value is while a wavefront is traced: a cell of a bank.
type ref struct {
	bank bank
	cell int32
}

// bank is a kind of cells.
type bank uint8

const (
	// Of the wavefront (waveTrace.cells): registers, clause temporaries and the address register.
	inWave bank = iota
	// Of the tracer, good within a clause: results of a group and of the one before, in turns,
	// operands with modifiers applied, and what reductions and masks need on the way.
	inScratch
	inConsts // constants of the program
	// Of the wavefront (waveTrace.standIns): what takes the place of operations that are not evaluated,
	// which is the same whenever one runs.
	inStandIns
)

// The cells of the scratch bank.
const (
	operandCell  = 2 * r600.NumSlots
	sumCell      = operandCell + 3
	productCell  = sumCell + 1
	maskedCell   = productCell + 1
	scratchCells = maskedCell + 1
)

// opTrace is an operation on all lanes of a wavefront.
type opTrace struct {
	eval     waveEval // of what computes
	kind     opKind
	from     [3]ref
	to       ref
	op       r600.Op
	slot     int
	inst     *r600.Inst // of what modifies
	constant *r600.Src  // of a relative one
	data     taint      // of what decides, where it is settled
}

type opKind uint8

const (
	opCompute    opKind = iota
	opRelative          // reads a constant through the address register
	opUnresolved        // stands in for an operation that is not evaluated
	opModify            // applies output modifiers
	opDecide            // applies a predicate or a kill
)

// groupCompiler turns the groups of a clause into operations that run one after the other. All slots of
// a group read before any writes: a result that another slot would read too early goes through a
// scratch cell; most can go where they belong at once. Predicates and kills come last.
type groupCompiler struct {
	tr    *Tracer
	evals *[r600.Ops]waveEval
	ops   []opTrace
	// Of the group before: where the results of its slots are, and which scratch cells it had.
	previous [r600.NumSlots]ref
	parity   int
	slots    []slotTrace
}

// slotTrace is a slot that is needed.
type slotTrace struct {
	inst *r600.Inst
	slot int
	dst  int32 // cell of the wavefront, -1 for none
	src  [3]operand
	nsrc int
	to   ref
}

// operand is a source of a slot; constant is that of one that is found through the address register,
// whose cell ref is then.
type operand struct {
	ref
	constant *r600.Src
	// sign applies the modifiers, with the bit masks of a constant; OpNone where there are none.
	sign  r600.Op
	masks int32
}

// compile adds the slots of a group that are wanted.
func (c *groupCompiler) compile(g *r600.Group, want uint8) {
	tr := c.tr
	c.slots = c.slots[:0]
	for slot, inst := range g.Slots {
		if inst == nil || want>>slot&1 == 0 {
			continue
		}
		s := slotTrace{inst: inst, slot: slot, dst: -1, nsrc: inst.Op.Sources()}
		if l, ok := written(inst); ok {
			s.dst = tr.cell(l)
		}
		for j := range s.nsrc {
			s.src[j] = c.operand(&inst.Src[j])
		}
		c.slots = append(c.slots, s)
	}
	reduced := false
	for i := range c.slots {
		s := &c.slots[i]
		s.to = ref{inScratch, int32(c.parity*r600.NumSlots + s.slot)}
		switch reduces := s.inst.Op.Reduces(); {
		case reduces && !reduced:
			c.reduce()
			reduced = true
			fallthrough
		case reduces:
			c.compute(r600.OpMov, s.to, three(ref{inScratch, sumCell}))
		case c.evals[s.inst.Op] == nil:
			standIn := ref{inStandIns, int32(len(tr.allTainted))}
			tr.allTainted = append(tr.allTainted, tainted)
			c.ops = append(c.ops, opTrace{kind: opUnresolved, to: standIn, op: s.inst.Op, slot: s.slot})
			if !modifies(s.inst) {
				s.to = standIn
				break
			}
			c.compute(r600.OpMov, s.to, three(standIn))
		default:
			if c.atOnce(i) {
				s.to = ref{inWave, s.dst}
			}
			c.compute(s.inst.Op, s.to, c.sources(s))
		}
		if modifies(s.inst) {
			c.ops = append(c.ops, opTrace{kind: opModify, to: s.to, inst: s.inst})
		}
	}
	c.finish()
}

// finish writes what has waited, and then decides.
func (c *groupCompiler) finish() {
	for slot := range c.previous {
		c.previous[slot] = ref{inScratch, int32(c.parity*r600.NumSlots + slot)}
	}
	c.parity = 1 - c.parity
	for i := range c.slots {
		s := &c.slots[i]
		c.previous[s.slot] = s.to
		if s.dst >= 0 && s.to.bank != inWave {
			c.compute(r600.OpMov, ref{inWave, s.dst}, three(s.to))
		}
	}
	for i := range c.slots {
		if s := &c.slots[i]; s.inst.Op.Predicate() || s.inst.Op.Kills() {
			c.ops = append(c.ops, opTrace{kind: opDecide, from: three(s.to), op: s.inst.Op})
		}
	}
}

// atOnce tells that slot i can write its result before the slots that come after it read.
func (c *groupCompiler) atOnce(i int) bool {
	s := &c.slots[i]
	if s.dst < 0 || modifies(s.inst) {
		return false
	}
	for k := range c.slots {
		other := &c.slots[k]
		if k != i && other.dst == s.dst {
			return false
		}
		for j := 0; j < other.nsrc && k > i; j++ {
			if other.src[j].ref == (ref{inWave, s.dst}) {
				return false
			}
		}
	}
	return true
}

// compute adds an operation.
func (c *groupCompiler) compute(op r600.Op, to ref, from [3]ref) {
	c.ops = append(c.ops, opTrace{kind: opCompute, op: op, eval: c.evals[op], to: to, from: from})
}

// sources makes the operands of a slot ready, modifiers applied. What it has not is the first one once
// more, or any.
func (c *groupCompiler) sources(s *slotTrace) (list [3]ref) {
	for k := range list {
		switch {
		case k < s.nsrc:
			list[k] = c.source(&s.src[k], k)
		case k == 0:
			list[k] = ref{inScratch, operandCell}
		default:
			list[k] = list[0]
		}
	}
	return list
}

func (c *groupCompiler) source(o *operand, k int) ref {
	from, buffer := o.ref, ref{inScratch, int32(operandCell + k)}
	if o.constant != nil {
		c.ops = append(c.ops, opTrace{kind: opRelative, from: three(from), to: buffer, constant: o.constant})
		from = buffer
	}
	if o.sign == r600.OpNone {
		return from
	}
	masks := ref{inConsts, o.masks}
	c.compute(o.sign, buffer, [3]ref{from, masks, masks})
	return buffer
}

// reduce sums up the slots of a unit that yields one result in all of them: DOT4 sums products in the
// order of slots, MAX4 takes the largest.
func (c *groupCompiler) reduce() {
	sum, product, first := ref{inScratch, sumCell}, ref{inScratch, productCell}, true
	for i := range c.slots {
		s := &c.slots[i]
		if !s.inst.Op.Reduces() {
			continue
		}
		from := c.sources(s)
		switch largest := s.inst.Op == r600.OpMax4; {
		case largest && first:
			c.compute(r600.OpMov, sum, from)
		case largest:
			c.compute(r600.OpMax, sum, [3]ref{sum, from[0], sum})
		case first:
			c.compute(r600.OpMulIEEE, sum, from)
		default:
			c.compute(r600.OpMulIEEE, product, from)
			c.compute(r600.OpAdd, sum, [3]ref{sum, product, sum})
		}
		first = false
	}
}

func (c *groupCompiler) operand(s *r600.Src) operand {
	tr := c.tr
	var o operand
	o.sign, o.masks = tr.sign(s)
	switch s.Kind {
	case r600.SrcGPR:
		o.ref = ref{inWave, tr.cell(gpr(int(s.Index), s.Chan))}
	case r600.SrcTemp:
		o.ref = ref{inWave, tr.cell(temp(int(s.Index), s.Chan))}
	case r600.SrcPV:
		o.ref = c.previous[s.Chan]
	case r600.SrcPS:
		o.ref = c.previous[r600.T]
	case r600.SrcConst:
		if s.Rel {
			o.ref, o.constant = ref{inWave, tr.cell(addressReg)}, s
			break
		}
		o.ref = ref{inConsts, tr.constant(tr.l.constant(int(s.Bank), int(s.Index), s.Chan))}
	default:
		o.ref = ref{inConsts, tr.constant(s.Bits)}
	}
	return o
}

// three takes one value for all operands.
func three(r ref) [3]ref { return [3]ref{r, r, r} }

// signBit is that of a float.
const signBit = 1 << 31

// sign is what applies the modifiers of a source: its sign bit cleared, set or flipped.
func (tr *Tracer) sign(s *r600.Src) (op r600.Op, masks int32) {
	switch {
	case s.Abs && s.Neg:
		return r600.OpOrInt, tr.constant(signBit)
	case s.Abs:
		return r600.OpAndInt, tr.constant(^uint32(signBit))
	case s.Neg:
		return r600.OpXorInt, tr.constant(signBit)
	}
	return r600.OpNone, 0
}

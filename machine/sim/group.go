package sim

import "github.com/shaderlift/shaderlift/asm/r600"

// ref is the location of a value during tracing: a cell of a bank.
type ref struct {
	bank bank
	cell int32
}

// bank is a kind of cells.
type bank uint8

const (
	// inWave cells belong to the wavefront (waveTrace.cells): registers, clause temporaries and the
	// address register.
	inWave bank = iota
	// inScratch cells belong to the tracer and are valid within a clause. They hold the results of
	// the current and the previous group, alternating, operands with modifiers applied, and
	// intermediate values of reductions and masks.
	inScratch
	inConsts // constants of the program
	// inStandIns cells belong to the wavefront (waveTrace.standIns): pseudo-random results of
	// operations that are not evaluated, the same on every execution.
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
	eval     waveEval // for opCompute
	kind     opKind
	from     [3]ref
	to       ref
	op       r600.Op
	slot     int
	inst     *r600.Inst // for opModify
	constant *r600.Src  // for opRelative
	data     taint      // taint of an opDecide or opBanks, if tidy settled it
}

type opKind uint8

const (
	opCompute    opKind = iota
	opRelative          // reads a constant through the address register
	opUnresolved        // pseudo-random result of an operation that is not evaluated
	opModify            // applies output modifiers
	opDecide            // applies a predicate or a kill
	opBanks             // waits for banks of local memory
)

// groupCompiler translates the groups of a clause into sequential operations. All slots of a group
// read before any writes. A result that another slot would read too early therefore passes through
// a scratch cell; most results are written to their cells directly. Predicates and kills come last.
type groupCompiler struct {
	tr    *Tracer
	evals *[r600.Ops]waveEval
	ops   []opTrace
	// The result cells of the previous group's slots, and the half of the scratch cells that it
	// used.
	previous [r600.NumSlots]ref
	parity   int
	slots    []slotTrace
}

// slotTrace is a needed slot.
type slotTrace struct {
	inst *r600.Inst
	slot int
	dst  int32 // cell of the wavefront, -1 for none
	src  [3]operand
	nsrc int
	to   ref
}

// operand is a source of a slot. If constant is set, the source is a constant that is read through
// the address register, and ref is the cell of that register.
type operand struct {
	ref
	constant *r600.Src
	// sign is the operation that applies the modifiers, with bit masks from a constant; OpNone
	// without modifiers.
	sign  r600.Op
	masks int32
}

// compile adds the needed slots of a group.
func (c *groupCompiler) compile(g *r600.Group, want uint8) {
	tr := c.tr
	c.slots = c.slots[:0]
	if inst := localAccess(g); inst != nil {
		from := c.operand(&inst.Src[0])
		c.ops = append(c.ops, opTrace{kind: opBanks, from: three(c.source(&from, 0))})
	}
	for slot, inst := range g.Slots {
		if inst == nil || want>>slot&1 == 0 {
			continue
		}
		s := slotTrace{inst: inst, slot: slot, dst: -1, nsrc: inst.Op.Sources()}
		if l, ok := written(inst); ok {
			s.dst = tr.cellFor(l)
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

// finish writes the delayed results, and then adds the decisions.
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

// atOnce reports whether slot i can write its result before the later slots read.
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

// compute appends an operation.
func (c *groupCompiler) compute(op r600.Op, to ref, from [3]ref) {
	c.ops = append(c.ops, opTrace{kind: opCompute, op: op, eval: c.evals[op], to: to, from: from})
}

// sources returns the operands of a slot with modifiers applied. Missing operands repeat the first
// one, or any cell.
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

// reduce computes the common result of a reduction: DOT4 adds products in the order of slots, MAX4
// takes the largest.
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
	o.sign, o.masks = tr.signOperation(s)
	switch s.Kind {
	case r600.SrcGPR:
		o.ref = ref{inWave, tr.cellFor(gpr(int(s.Index), s.Chan))}
	case r600.SrcTemp:
		o.ref = ref{inWave, tr.cellFor(temp(int(s.Index), s.Chan))}
	case r600.SrcPV:
		o.ref = c.previous[s.Chan]
	case r600.SrcPS:
		o.ref = c.previous[r600.T]
	case r600.SrcConst:
		if s.Rel {
			o.ref, o.constant = ref{inWave, tr.cellFor(addressReg)}, s
			break
		}
		o.ref = ref{inConsts, tr.constant(tr.l.constant(int(s.Bank), int(s.Index), s.Chan))}
	default:
		o.ref = ref{inConsts, tr.constant(s.Bits)}
	}
	return o
}

// three returns one value for all operands.
func three(r ref) [3]ref { return [3]ref{r, r, r} }

// signBit is the sign bit of a float.
const signBit = 1 << 31

// signOperation returns the operation that applies the modifiers of a source: the sign bit is cleared, set
// or flipped.
func (tr *Tracer) signOperation(s *r600.Src) (op r600.Op, masks int32) {
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

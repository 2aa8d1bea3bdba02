package amdil

import (
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
)

// spelling is one statement for an op, with _ieee or without.
type spelling struct {
	op   il.Op
	ieee bool
}

// spellings is the inverse of meanings: the statements for each op, in order of preference.
var spellings = func() (table [ir.NumOps][]spelling) {
	for op := range meanings {
		m := &meanings[op]
		if m.op != ir.OpInvalid {
			table[m.op] = append(table[m.op], spelling{il.Op(op), false})
		}
		if m.ieee != ir.OpInvalid && m.ieee != m.op {
			table[m.ieee] = append(table[m.ieee], spelling{il.Op(op), true})
		}
	}
	return table
}()

// spell chooses the statement for in. It prefers the statement of orig, which may be nil, if that fits. If no
// statement fits all lanes at once, [emitter.lanes] tries them one by one.
func spell(in *ir.Instr, orig *il.Inst) (spelling, bool) {
	all := spellings[in.Op]
	if orig != nil {
		for _, s := range all {
			if s.op == orig.Op && s.canSpell(in) {
				return s, true
			}
		}
	}
	for _, s := range all {
		// Write sub only where the input has it; an addition with a negated operand is the canonical form.
		if s.canSpell(in) && s.op != il.OpSub {
			return s, true
		}
	}
	return spelling{}, false
}

// integer reports whether a sign makes operands the negative integer.
func (s spelling) integer() bool { return meanings[s.op].integer }

// hasZero reports whether the last source of the instruction is the value for the reciprocal of zero.
func (s spelling) hasZero() bool { return meanings[s.op].zero }

// pairs reports whether lanes come in pairs.
func (s spelling) pairs() bool { return meanings[s.op].pairs }

// saturates reports whether the result can be clamped.
func (s spelling) saturates() bool {
	switch s.op {
	case il.OpEq, il.OpNe, il.OpLt, il.OpGe:
		return false
	}
	return s.op.Kind() == il.Float || s.op.Kind() == il.Move
}

// canSpell reports whether all lanes of in can be written this way.
func (s spelling) canSpell(in *ir.Instr) bool {
	// log_vec has no zeroop; sub negates its second operand itself.
	switch s.op {
	case il.OpLogVec:
		return len(in.Src) < 2 || in.Src[1][lowest(in.Mask())].V.Bits == uint32(il.ZeroDefault)
	case il.OpSub:
		fits := true
		in.Src[1].EachLane(func(_ int, l *ir.Lane) { fits = fits && l.Mod&ir.Neg != 0 })
		return fits
	}
	if s.op.SourceShape(0) != il.Scalar || in.Op.Info().Shape != ir.Lanewise {
		return true
	}
	// The scalar forms read one component for all lanes.
	first := lowest(in.Mask())
	for i, v := range in.Out { // one component for all lanes
		if v != nil && in.Src[0][i] != in.Src[0][first] {
			return false
		}
	}
	return true
}

// lowest returns the first lane of a mask, or 0 if it is empty.
func lowest(mask uint8) int {
	for i := range 4 {
		if mask>>i&1 != 0 {
			return i
		}
	}
	return 0
}

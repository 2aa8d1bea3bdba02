package amdil

import "github.com/shaderlift/shaderlift/asm/il"

// source identifies the value that a lane reads, without modifiers, as a key for existing moves. Fields that
// do not matter for its kind are zero.
type source struct {
	kind   laneKind
	comp   uint8
	v      int32
	bits   uint32
	reg    il.Reg
	offset uint32
}

// sourceOf returns the source of a lane.
func sourceOf(l *lane) source {
	s := source{kind: l.kind, v: l.v}
	switch l.kind {
	case laneConst:
		s.bits = constantOf(l)
	case laneLeaf:
		s.comp, s.reg = l.comp, l.reg
		if l.elem != nil {
			s.offset = l.elem.offset
		}
	}
	return s
}

// gather moves the values that o reads into one register if they probably do not share one. This happens with
// leaves next to others, and with values in the same component, as in a column of a matrix. Operands that
// read the same values share the moves. The writer adds the moves that are needed once registers are known.
//
//	dp4 r0.x, r1, (cb0[0].x, cb0[1].x, cb0[2].x, cb0[3].x)     four movs into r9, once for all rows of r1
func (b *emitter) gather(o *operand) {
	var key [4]source
	var first *lane
	mixed, collide := false, false
	for i := range o.lanes {
		l := &o.lanes[i]
		switch {
		case l.kind == laneNone || l.isUnit() && !(o.integer && l.mod&modNeg != 0):
			continue
		// An element with a computed index is not compared.
		case l.elem != nil && !l.elem.isConst():
			return
		// Two values that are expected in the same component cannot both stay.
		case l.kind == laneTemp:
			for j := range i {
				collide = collide || key[j].kind == laneTemp && key[j].v != l.v && b.comp[key[j].v] == b.comp[l.v]
			}
		}
		key[i] = sourceOf(l)
		if first == nil {
			first = l
		}
		mixed = mixed || l.kind != first.kind || l.reg != first.reg && l.kind == laneLeaf ||
			l.kind == laneLeaf && key[i].offset != sourceOf(first).offset
	}
	// They are in one register, or the allocator can put them there.
	if !mixed && !collide {
		return
	}
	// Reuse moves made before, in this region or an enclosing one.
	to, known := b.gathered[key]
	if !known {
		to = noValues
		s := b.statement(il.OpMov, nil)
		for i, k := range key {
			if k.kind == laneNone || k.kind == laneTemp && !collide {
				continue
			}
			from := o.lanes[i]
			if from.mod = 0; k.kind == laneConst {
				from = lane{kind: laneConst, bits: k.bits}
			}
			to[i] = b.value(i)
			s.copies = append(s.copies, copied{to: to[i], from: from})
		}
		b.appendStmt(s)
		b.gathered[key] = to
		b.undo = append(b.undo, key)
	}
	// The operand reads the copies, under its old modifiers.
	for i := range o.lanes {
		if to[i] < 0 {
			continue
		}
		l := &o.lanes[i]
		if l.kind == laneConst {
			l.mod = 0
		}
		*l = lane{kind: laneTemp, v: to[i], mod: l.mod}
	}
}

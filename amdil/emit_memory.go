package amdil

import (
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
)

// fetch returns the statement for a read of a resource.
func (b *emitter) fetch(in *ir.Instr) *stmt {
	s := b.statement(il.OpSample, in)
	switch in.Op {
	case ir.OpFetchBias:
		s.op = il.OpSampleB
	case ir.OpFetchLod:
		s.op = il.OpSampleL
	case ir.OpFetchGrad:
		s.op = il.OpSampleG
	case ir.OpTexelLoad:
		s.op = il.OpLoad
	case ir.OpFetchX:
		var c il.Inst
		Access(in.Imm).Apply(&c)
		s.op, s.ctl = c.Op, c.Ctl
	}
	s.ctl.ID, s.ctl.Sampler, s.ctl.Texel = uint16(in.Res.Unit), uint16(in.Res.Sampler), in.Res.Offset
	for k := range in.Src {
		o := in.Src[k]
		level := ir.Lane{}
		if in.Op == ir.OpFetchBias || in.Op == ir.OpFetchLod {
			level, o[3] = o[3], level
		}
		s.src = append(s.src, b.source(&o, s.op.SourceShape(k), false))
		if level.V != nil {
			s.src = append(s.src, b.source(&ir.Operand{level}, il.Scalar, false))
		}
	}
	return s
}

// memory returns the statement for an access to a view or local memory, as [Access] encodes it. Addresses are
// scalars or one vector, depending on the statement.
func (b *emitter) memory(in *ir.Instr) *stmt {
	var c il.Inst
	Access(in.Imm).Apply(&c)
	s := b.statement(c.Op, in)
	s.ctl = c.Ctl
	if f := in.Base.File; f == View || f == Local || f == Share || f == counters {
		s.ctl.ID = in.Base.Index
	}
	address := in.Src[0]
	if s.op.SourceShape(0) == il.Scalar {
		address.EachLane(func(i int, l *ir.Lane) {
			s.src = append(s.src, b.source(&ir.Operand{*l}, il.Scalar, false))
		})
	} else if address[first(&address)].V != nil {
		s.src = append(s.src, b.source(&address, il.Vector, false))
	}
	var data uint8
	for k := range in.Src[1:] {
		o := &in.Src[k+1]
		shape := il.LaneWise
		if !writesLanes(s.op) {
			shape = il.Vector // lanes in place
		}
		s.src = append(s.src, b.source(o, shape, false))
		// Data of a store are read in place; other operands use the first lane.
		data = 1 << first(o)
		if in.Op == ir.OpMemStore && writesLanes(s.op) {
			b.setStoreMask(s, in)
			s.computed(&s.src[len(s.src)-1])
		}
	}
	if in.Op == ir.OpMemAtomic && writesLanes(s.op) && (data != 0 || in.Mask() == 0) && in.Out[lowest(data)] == nil {
		// The operands are read from the lowest written lane, so one must be written.
		s.out[lowest(data)] = b.value(lowest(data))
	}
	return s
}

// writesLanes reports whether statements op have a destination.
func writesLanes(op il.Op) bool {
	switch op {
	case il.OpGdsAtomic, il.OpGdsCmp, il.OpLdsAtomic, il.OpLdsCmp, il.OpUavAtomic, il.OpUavCmp, il.OpUavStore:
		return false
	}
	return true
}

// element adds the mov that reads or writes an element of an array.
func (b *emitter) element(in *ir.Instr) {
	if in.Op == ir.OpMemLoad {
		b.emitCopies(in)
		return
	}
	s := b.statement(il.OpMov, in)
	s.src = []operand{b.source(&in.Src[1], il.LaneWise, false)}
	b.writeElement(s, in)
	b.appendStmt(s)
}

// writeElement makes s write the element that store writes.
func (b *emitter) writeElement(s *stmt, store *ir.Instr) {
	s.fixed = true
	s.arrayOf, s.array = b.indexed(store)
	b.setStoreMask(s, store)
	if s.op == il.OpMov {
		s.computed(&s.src[0])
	}
}

// setStoreMask makes s write the lanes that store writes. The mask writes zeros and ones where the input did so.
func (b *emitter) setStoreMask(s *stmt, store *ir.Instr) {
	orig := b.original(store)
	var lanes [4]il.Write
	for i, l := range store.Src[1] {
		if l.V == nil {
			continue
		}
		lanes[i] = il.Result
		if c := b.operandLane(l); c.isUnit() && c.mod == 0 && orig != nil && orig.Dst.Mask.WriteAt(i) > il.Result {
			lanes[i] = il.Zero
			if c.bits == one {
				lanes[i] = il.One
			}
		}
	}
	s.consts = il.MakeMask(lanes[0], lanes[1], lanes[2], lanes[3])
	// A mask of constants alone computes nothing, so the data operand must be spelled out.
	if s.mask = uint8(s.consts.Computed()); s.mask == 0 {
		s.mask, s.consts = uint8(s.consts.Written()), 0
	}
}

// computed clears the lanes of o that the mask of s writes itself.
func (s *stmt) computed(o *operand) {
	for i := range o.lanes {
		if s.mask>>i&1 == 0 {
			o.lanes[i] = lane{}
		}
	}
}

package spvs

import (
	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// lanes returns the lanes of an id. It fails for ids without a value.
func (l *lifter) lanes(id spirv.ID) []*ir.Value {
	if v := l.values[id]; v != nil {
		return v
	}
	if pl, ok := l.id(id); ok {
		return l.slots(pl)
	}
	if v := l.constants[id]; v != nil {
		return v
	}
	if v := l.constantLanes(id); v != nil {
		l.constants[id] = v
		return v
	}
	if s := l.x.typeOf(id); s.isValue() && s.lanes == 0 {
		return nil // an empty struct
	}
	l.fail("not-supported", "%%%d has no value of numbers with 32 bits", id)
	return nil
}

// define gives the result of an instruction its lanes.
func (l *lifter) define(in *spirv.Inst, lanes []*ir.Value) {
	if l.err != nil {
		return
	}
	s := l.x.types[in.Type]
	if s == nil || len(lanes) != s.lanes || s.wide {
		l.unsupported("its type is not a value of numbers with 32 bits")
		return
	}
	if l.made += len(lanes); l.made > maxSlots {
		l.fail("too-large", "the program computes more than %d lanes", maxSlots)
	}
	l.note(lanes, s.scalars(nil)...)
	l.definitions = append(l.definitions, Definition{Orig: int32(l.at), ID: in.Result, Lanes: lanes, args: l.operandLanes(in)})
	if pl, ok := l.id(in.Result); ok {
		l.setSlots(pl, lanes)
		return
	}
	l.values[in.Result] = lanes
}

// constantLanes returns the lanes of a constant or an undefined value, or nil.
func (l *lifter) constantLanes(id spirv.ID) []*ir.Value {
	at, in := l.x.definition(id)
	if in == nil || !l.x.isConstant(in.Op) {
		return nil
	}
	s := l.x.types[in.Type]
	if !s.isValue() {
		return nil
	}
	if l.made += s.lanes; l.made > maxSlots {
		l.fail("too-large", "the program has constants of more than %d lanes", maxSlots)
		return nil
	}
	lanes := make([]*ir.Value, 0, s.lanes)
	switch in.Op {
	case spirv.OpConstantTrue, spirv.OpConstantFalse:
		lanes = append(lanes, l.Truth(in.Op == spirv.OpConstantTrue))
	case spirv.OpConstant:
		if len(in.Args) != 1 {
			return nil
		}
		lanes = append(lanes, l.f.Const(in.Args[0]))
	case spirv.OpConstantNull:
		for range s.lanes {
			lanes = append(lanes, l.f.Const(0))
		}
	case spirv.OpUndef:
		for range s.lanes {
			lanes = append(lanes, l.undef())
		}
	case spirv.OpConstantComposite, spirv.OpSpecConstantComposite:
		for _, part := range in.Args {
			if at, _ := l.x.definition(spirv.ID(part)); at < 0 || at >= int(l.x.defs[id]) {
				return nil
			}
			lanes = append(lanes, l.lanes(spirv.ID(part))...)
			if len(lanes) > s.lanes {
				return nil
			}
		}
	case spirv.OpSpecConstantTrue, spirv.OpSpecConstantFalse, spirv.OpSpecConstant:
		lanes = append(lanes, l.specConstant(in))
	case spirv.OpSpecConstantOp:
		lanes = l.specOp(at, in)
	}
	if len(lanes) != s.lanes {
		return nil
	}
	l.note(lanes, s.scalars(nil)...)
	return lanes
}

// specConstant returns the value of a specialization constant, which is a constant of the draw. Constants of two stages
// are different.
func (l *lifter) specConstant(in *spirv.Inst) *ir.Value {
	n, ok := number(l.x.decorations[in.Result], spirv.DecorationSpecId)
	if !ok { // the value cannot be changed
		if in.Op == spirv.OpSpecConstant && len(in.Args) == 1 {
			return l.f.Const(in.Args[0])
		}
		return l.Truth(in.Op == spirv.OpSpecConstantTrue)
	}
	k := l.names.number(nameConstant, constantKey(l.entry.Model, n))
	if k > maxIndex {
		l.unsupported("too many specialization constants")
	}
	return l.f.Leaf(ir.Uniform, ir.Reg{File: SpecConst, Index: uint16(k)})
}

// specOp computes OpSpecConstantOp at the start of the program.
func (l *lifter) specOp(at int, in *spirv.Inst) []*ir.Value {
	outer, outerAt := l.Code, l.at
	defer func() { l.Code, l.at = outer, outerAt }()
	inner := spirv.Inst{Op: spirv.Op(in.Args[0]), Type: in.Type, Result: in.Result, Args: in.Args[1:]}
	if len(inner.Args) < leastArgs(inner.Op) {
		return nil
	}
	for _, id := range inner.Args { // operands come first, so this ends
		if at, _ := l.x.definition(spirv.ID(id)); at >= int(l.x.defs[in.Result]) {
			return nil
		}
	}
	l.Code, l.at = &l.entryCode, at
	return l.compute(&inner)
}

// vector returns the lanes of an id as an operand, at most four.
func (l *lifter) vector(id spirv.ID) ir.Operand { return operand(l.lanes(id)) }

// operand returns an operand that reads the first four lanes.
func operand(lanes []*ir.Value) (o ir.Operand) {
	for i, v := range lanes[:min(len(lanes), 4)] {
		o[i].V = v
	}
	return o
}

// splat returns an operand that reads v in all lanes.
func splat(v *ir.Value) ir.Operand { return operand([]*ir.Value{v, v, v, v}) }

// negated returns o with the sign of all lanes flipped.
func negated(o ir.Operand) ir.Operand {
	o.EachLane(func(_ int, lane *ir.Lane) { lane.Mod ^= ir.Neg })
	return o
}

// number returns an operand that reads a float in all lanes.
func (l *lifter) number(x float32) ir.Operand { return splat(l.f.Const(wordOf(x))) }

// scalar appends an instruction that computes one lane.
func (l *lifter) scalar(t Scalar, op ir.Op, args ...*ir.Value) *ir.Value {
	src := make([]ir.Operand, len(args))
	for i, v := range args {
		src[i] = splat(v)
	}
	return l.compose(t, op, 1, src...)[0]
}

// compose appends an instruction that computes the first n lanes.
func (l *lifter) compose(t Scalar, op ir.Op, n int, src ...ir.Operand) []*ir.Value {
	in := l.begin(op, src...)
	return l.finish(in, t, n)
}

// begin returns a new instruction. Its operands may set more lanes than it reads.
func (l *lifter) begin(op ir.Op, src ...ir.Operand) *ir.Instr {
	in := &l.instrs.Alloc(1)[0]
	in.Op, in.Orig, in.Pos = op, int32(l.at), l.x.Pos(&l.x.Insts[l.at])
	in.Src = append(l.operands.Alloc(len(src))[:0], src...)
	return in
}

// finish appends an instruction with results in the first n lanes. It removes the lanes of operands that the
// instruction does not read. It fails if lanes are missing.
func (l *lifter) finish(in *ir.Instr, t Scalar, n int) []*ir.Value {
	return l.finishAt(in, t, 0, n)
}

// finishAt appends an instruction with results in n lanes from first on.
func (l *lifter) finishAt(in *ir.Instr, t Scalar, first, n int) []*ir.Value {
	list := make([]*ir.Value, n)
	if first+n > 4 {
		l.unsupported("it has more than four components")
		for i := range list {
			list[i] = l.undef()
		}
		return list
	}
	for i := range list {
		list[i] = l.f.Define(in, first+i, ir.Reg{})
	}
	l.note(list, t)
	if !in.Op.Has(ir.AsSet) {
		for s := range in.Src {
			reads := in.Reads(s)
			for i := range in.Src[s] {
				lane := &in.Src[s][i]
				if reads>>i&1 == 0 {
					*lane = ir.Lane{}
				} else if lane.V == nil {
					l.fail("not-supported", "%v has an operand with too few components", l.x.Insts[l.at].Op)
					lane.V = l.undef()
				}
			}
		}
	}
	*l.Code = append(*l.Code, in)
	return list
}

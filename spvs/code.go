package spvs

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// instr writes a plain instruction, if something needs it.
func (w *writer) instr(in *ir.Instr) {
	if !w.isNeeded(in) || w.isMove(in) || in.Op == ir.OpMemLoad && w.p.Module.Insts[in.Orig].Op == spirv.OpVariable {
		return
	}
	if w.site(in) && (w.deferred[in] || !slices.ContainsFunc(in.Out[:], w.isMissing)) {
		return
	}
	w.generic(in)
}

// isMove reports whether readers of in read its source directly.
func (w *writer) isMove(in *ir.Instr) bool {
	for _, v := range in.Out {
		if v != nil {
			_, ok := v.CopyOf(ir.Half)
			return ok
		}
	}
	return false
}

// generic writes an instruction by its op alone.
func (w *writer) generic(in *ir.Instr) {
	r, ok := opRules[in.Op]
	if in.Op == ir.OpFence {
		o := w.p.Module.Insts[in.Orig]
		w.appendAs(o.Op, 0, 0, o.Args)
		return
	}
	if !ok && w.access(in) {
		return
	}
	if !ok {
		w.fail("%v at %v has no instruction", in.Op, in.Pos)
		return
	}
	var lanes []int
	for i, v := range in.Out {
		if w.isMissing(v) {
			lanes = append(lanes, i)
		}
	}
	if in.Op.Info().Shape == ir.Replicated && w.repeat(in) {
		return
	}
	if in.Op.Info().Shape == ir.Replicated {
		lanes = lanes[:min(1, len(lanes))]
	}
	if r.whole && len(lanes) > 0 {
		w.genericLanes(in, r, r.result, []int{0, 1, 2})
		return
	}
	for len(lanes) > 0 { // lanes of one kind make one instruction
		k := w.resultKind(in, r, lanes[0])
		n := 1
		for n < len(lanes) && w.resultKind(in, r, lanes[n]) == k {
			n++
		}
		w.genericLanes(in, r, k, lanes[:n])
		lanes = lanes[n:]
	}
}

// resultKind returns the kind of a lane that in writes.
func (w *writer) resultKind(in *ir.Instr, r opRule, lane int) Scalar {
	if r.result != words {
		return r.result
	}
	k := w.kinds.of(in.Out[lane])
	if k == Float && in.Op != ir.OpMov && in.Op != ir.OpSel || k == Bool && logical[in.Op] == 0 && in.Op != ir.OpSel && in.Op != ir.OpMov {
		return Uint
	}
	return k
}

// genericLanes writes some lanes of an instruction, as kind k.
func (w *writer) genericLanes(in *ir.Instr, r opRule, k Scalar, lanes []int) {
	typ := w.e.vector(k, len(lanes))
	var id spirv.ID
	switch {
	case in.Op == ir.OpSel:
		id, _ = w.append(spirv.OpSelect, typ, w.source(in, 0, Bool, lanes), w.source(in, 1, k, lanes), w.source(in, 2, k, lanes))
	case in.Op == ir.OpMov: // with Sat
		id = spirv.ID(w.source(in, 0, k, lanes))
	case in.Op == ir.OpAdd:
		id = w.sum(in, typ, lanes)
	case in.Op == ir.OpMulIEEE:
		id = w.product(typ, w.sourceLanes(in, 0, lanes), w.sourceLanes(in, 1, lanes))
	case in.Op == ir.OpMadIEEE:
		id = w.productSum(in, typ, lanes)
	case in.Op == ir.OpDsx || in.Op == ir.OpDsy:
		id, _ = w.append(r.op+3*spirv.Op(in.Imm), typ, w.source(in, 0, Float, lanes))
	case in.Op == ir.OpRcpZ:
		id, _ = w.append(spirv.OpFDiv, typ, w.splat(Float, 0x3f800000, len(lanes)), w.source(in, 0, Float, lanes))
	default:
		id = w.byRule(in, r, k, typ, lanes)
	}
	w.note(in, id)
	if in.Mods&ir.Sat != 0 {
		id, _ = w.append(spirv.OpExtInst, typ, uint32(w.e.glslImport()), uint32(spirv.GLSLFClamp), uint32(id),
			w.splat(Float, 0, len(lanes)), w.splat(Float, 0x3f800000, len(lanes)))
	}
	out := make([]ir.Lane, len(lanes))
	for i, l := range lanes {
		out[i] = ir.Lane{V: in.Out[l]}
	}
	w.record(laneKey(typ, out), &held{id: id, typ: typ, kind: k, lanes: out, block: w.cur})
	if in.Op.Info().Shape == ir.Replicated {
		w.repeat(in)
	}
}

// repeat makes all results of an instruction one value, if an id has one of them.
func (w *writer) repeat(in *ir.Instr) bool {
	i := slices.IndexFunc(in.Out[:], func(v *ir.Value) bool { return v != nil && w.isHeld(v) })
	if i < 0 {
		return false
	}
	for _, v := range in.Out {
		if v != nil && v != in.Out[i] {
			w.alias[v] = ir.Lane{V: in.Out[i]}
		}
	}
	return true
}

// byRule writes an instruction whose operands all have the kind that the rule names.
func (w *writer) byRule(in *ir.Instr, r opRule, k Scalar, typ spirv.ID, lanes []int) spirv.ID {
	from := r.source
	if from == NoScalar {
		from = k
	}
	op := r.op
	if from == words {
		from = w.operandKind(in, lanes)
	}
	if l := logical[in.Op]; l != 0 && from == Bool {
		op = l
	}
	var args []uint32
	if op == spirv.OpExtInst {
		args = append(args, uint32(w.e.glslImport()), uint32(r.glsl))
	}
	for s := range in.Src {
		if r.order != nil {
			s = r.order[s]
		}
		if r.arity == 0 || s < r.arity {
			args = append(args, w.source(in, s, from, lanes))
		}
	}
	id, _ := w.append(op, typ, args...)
	return id
}

// operandKind returns the kind in which a comparison of words reads its operands.
func (w *writer) operandKind(in *ir.Instr, lanes []int) Scalar {
	for s := range in.Src {
		for _, l := range lanes {
			if x := w.resolve(in.Src[s][l]); !isFixed(x) {
				if k := w.kinds.of(x.V); k != Float {
					return k
				}
			}
		}
	}
	return Uint
}

// source returns an id with the lanes that an operand has for some written lanes.
func (w *writer) source(in *ir.Instr, s int, k Scalar, lanes []int) uint32 {
	list := w.sourceLanes(in, s, lanes)
	return uint32(w.operand(w.e.vector(k, len(list)), list))
}

func (w *writer) sourceLanes(in *ir.Instr, s int, lanes []int) (list []ir.Lane) {
	if opRules[in.Op].whole {
		return in.Src[s][:3]
	}
	if in.Op.Info().Shape != ir.Lanewise {
		in.Src[s].EachLane(func(_ int, l *ir.Lane) { list = append(list, *l) })
		return list
	}
	for _, i := range lanes {
		list = append(list, in.Src[s][i])
	}
	return list
}

// negated returns lanes without their negation. ok is false if one has none.
func (w *writer) negated(lanes []ir.Lane) (list []ir.Lane, ok bool) {
	for _, l := range lanes {
		l = w.resolve(l)
		if l.Mod&ir.Neg == 0 {
			return nil, false
		}
		l.Mod &^= ir.Neg
		list = append(list, l)
	}
	return list, true
}

// sum writes OpFAdd, or OpFSub if an operand is negated.
func (w *writer) sum(in *ir.Instr, typ spirv.ID, lanes []int) (id spirv.ID) {
	a, b := w.sourceLanes(in, 0, lanes), w.sourceLanes(in, 1, lanes)
	op := spirv.OpFAdd
	if list, ok := w.negated(b); ok {
		op, b = spirv.OpFSub, list
	} else if list, ok := w.negated(a); ok {
		op, a, b = spirv.OpFSub, b, list
	}
	id, _ = w.append(op, typ, uint32(w.operand(typ, a)), uint32(w.operand(typ, b)))
	return id
}

// product writes OpFMul, or OpVectorTimesScalar if an operand is the same in all lanes.
func (w *writer) product(typ spirv.ID, a, b []ir.Lane) (id spirv.ID) {
	if w.isSplat(a) {
		a, b = b, a
	}
	if len(b) > 1 && w.isSplat(b) {
		one := w.operand(w.e.scalar(Float), b[:1])
		id, _ = w.append(spirv.OpVectorTimesScalar, typ, uint32(w.operand(typ, a)), uint32(one))
		return id
	}
	id, _ = w.append(spirv.OpFMul, typ, uint32(w.operand(typ, a)), uint32(w.operand(typ, b)))
	return id
}

// productSum writes a product and a sum, or a difference if an operand is negated.
func (w *writer) productSum(in *ir.Instr, typ spirv.ID, lanes []int) (id spirv.ID) {
	a, b, c := w.sourceLanes(in, 0, lanes), w.sourceLanes(in, 1, lanes), w.sourceLanes(in, 2, lanes)
	minus := false
	for _, factor := range []*[]ir.Lane{&a, &b} {
		if list, ok := w.negated(*factor); ok {
			*factor, minus = list, !minus
		}
	}
	op := spirv.OpFAdd
	if list, ok := w.negated(c); ok && !minus {
		op, c = spirv.OpFSub, list
	}
	id = w.product(typ, a, b)
	w.note(in, id)
	x, y := uint32(id), uint32(w.operand(typ, c))
	if minus {
		op, x, y = spirv.OpFSub, y, x
	}
	id, _ = w.append(op, typ, x, y)
	return id
}

// isSplat reports whether all lanes are the same value, not a literal.
func (w *writer) isSplat(lanes []ir.Lane) bool {
	first := w.resolve(lanes[0])
	return !isFixed(first) && !slices.ContainsFunc(lanes, func(l ir.Lane) bool { return w.resolve(l) != first })
}

// isMissing reports whether something needs a value that no id has.
func (w *writer) isMissing(v *ir.Value) bool {
	return w.isLive(v) && !w.isHeld(w.resolve(ir.Lane{V: v}).V)
}

// isHeld reports whether an id that can be used here has the value.
func (w *writer) isHeld(v *ir.Value) bool {
	return slices.ContainsFunc(w.by[v], (*held).isOpen)
}

// note decorates a new id as the input decorates the instruction that in comes from.
func (w *writer) note(in *ir.Instr, id spirv.ID) {
	if in.Mods&ir.Half != 0 {
		w.e.notes = append(w.e.notes, spirv.Inst{Op: spirv.OpDecorate, Args: []uint32{uint32(id),
			uint32(spirv.DecorationRelaxedPrecision)}})
	}
	if in.Precise && w.contracts {
		w.e.notes = append(w.e.notes, spirv.Inst{Op: spirv.OpDecorate, Args: []uint32{uint32(id),
			uint32(spirv.DecorationNoContraction)}})
	}
}

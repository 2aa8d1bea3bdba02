package amdil

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// region adds the statements of r. Gathered copies of r are dropped at its end, since they do not dominate
// later code.
func (b *emitter) region(r *ir.Region) error {
	mark := len(b.undo)
	defer func() {
		for _, key := range b.undo[mark:] {
			delete(b.gathered, key)
		}
		b.undo = b.undo[:mark]
	}()
	for i := 0; i < len(r.Code); i++ {
		b.f.Budget.Poll()
		in := r.Code[i]
		if in.IsPredicated() {
			return fmt.Errorf("%v: AMD IL has no predicates", in.Op)
		}
		switch {
		case in.Op.Has(ir.Structured):
			if err := b.construct(in); err != nil {
				return err
			}
			continue
		// Folded into operands, or tests of a switch.
		case b.folds.loads[in] || b.folds.negs[in] || b.folds.tests[in]:
			continue
		// All results are dead.
		case in.Mask() == 0 && !in.Op.Has(ir.Effect):
			continue
		}
		if n := b.transpose(r.Code[i:]); n > 0 {
			i += n - 1
			continue
		}
		// A result that is stored at once is written to the array itself, and its store is skipped.
		store := b.folds.stores[in]
		if err := b.instr(in, store); err != nil {
			return err
		}
		if store != nil {
			i++
		}
	}
	return nil
}

// statement starts a statement of in, which may be nil for an emitted statement without an instruction.
func (b *emitter) statement(op il.Op, in *ir.Instr) *stmt {
	s := b.room.stmt()
	*s = stmt{op: op, orig: -1, out: noValues}
	if in != nil {
		s.orig, s.from = in.Orig, in
	}
	return s
}

// original returns the statement of the input that in comes from, or nil. Statements keep its spelling if
// possible.
func (b *emitter) original(in *ir.Instr) *il.Inst {
	if in.Orig < 0 {
		return nil
	}
	return &b.orig.Insts[in.Orig]
}

// instr adds the statement of in. store, if not nil, stores the result. Computations are in a table; the
// cases here have special operands.
func (b *emitter) instr(in *ir.Instr, store *ir.Instr) error {
	var s *stmt
	switch in.Op {
	case ir.OpMov:
		b.emitCopies(in)
		return nil
	case ir.OpLoad:
		b.emitCopies(in)
		return nil
	case ir.OpMemLoad, ir.OpMemStore, ir.OpMemAtomic:
		if isArray(in.Base) {
			b.element(in)
			return nil
		}
		s = b.memory(in)
	case ir.OpFence:
		s = b.statement(il.OpFence, in)
		s.ctl.Fence = il.Fence(in.Imm)
	case ir.OpDiscard:
		s = b.statement(il.OpDiscardLogicalNZ, in)
		if in.Src[0][0].Mod&ir.Not != 0 {
			s.op = il.OpDiscardLogicalZ
		}
		s.src = []operand{b.source(&in.Src[0], il.Scalar, false)}
	case ir.OpKill:
		s = b.statement(il.OpKill, in)
		s.src = []operand{b.source(&in.Src[0], il.Vector, false)}
	case ir.OpFetch, ir.OpFetchBias, ir.OpFetchLod, ir.OpFetchGrad, ir.OpTexelLoad, ir.OpFetchX:
		s = b.fetch(in)
	default:
		return b.compute(in, store)
	}
	b.results(s, in)
	b.appendStmt(s)
	return nil
}

// results gives s the written lanes of in, each in its component: the mask cannot permute the lanes of a
// fetch.
func (b *emitter) results(s *stmt, in *ir.Instr) {
	for i, v := range in.Out {
		if v != nil {
			s.out[i] = b.recordHint(v, i)
			b.comp[v.ID] = uint8(i)
		}
	}
	s.fixed = true
}

// compute adds the statements for an op of the table, as many as needed.
func (b *emitter) compute(in *ir.Instr, store *ir.Instr) error {
	orig := b.original(in)
	how, ok := spell(in, orig)
	if in.Op == ir.OpISub {
		how, ok = spelling{op: il.OpIAdd}, true
	}
	if !ok {
		return b.lanes(in)
	}
	s := b.statement(how.op, in)
	s.ctl.IEEE = how.ieee
	same := orig != nil && orig.Op == how.op
	if same {
		s.ctl.IEEE = s.ctl.IEEE || in.Op == ir.OpFma && orig.Ctl.IEEE
		s.ctl.Precise = orig.Ctl.Precise
	}
	s.ctl.Fine = in.Imm != 0
	srcs := in.Src
	// The last source of the instruction is a control of the statement:
	// rcp_zeroop(fltmax).
	if how.hasZero() {
		mode := srcs[len(srcs)-1]
		s.ctl.Zero = il.ZeroOp(mode[first(&mode)].V.Bits)
		srcs = srcs[:len(srcs)-1]
	}
	s.src = make([]operand, 0, len(srcs))
	for k := range srcs {
		s.src = append(s.src, b.source(&srcs[k], how.op.SourceShape(k), how.integer()))
	}
	switch {
	// iadd with a negated operand is the difference. The input may have had the negated one first.
	case in.Op == ir.OpISub:
		b.negate(&s.src[1], modIntNeg)
		if same && orig.Src[0].Neg == il.AllLanes && orig.Src[1].Neg != il.AllLanes {
			s.src[0], s.src[1] = s.src[1], s.src[0]
		}
	case how.op == il.OpSub:
		b.negate(&s.src[1], modNeg)
	}
	b.outs(s, in, how)
	if store != nil {
		b.writeElement(s, store)
		s.out, s.sat = noValues, in.Mods&ir.Sat != 0
		b.appendStmt(s)
		return nil
	}
	b.appendStmt(s)
	if in.Mods&ir.Sat == 0 {
		return nil
	}
	// Statements that cannot clamp (comparisons, integers) are followed by a mov_sat.
	if s.sat = how.saturates(); s.sat {
		return nil
	}
	// The statement writes temporaries, which a mov_sat then clamps into the result.
	clamp := b.statement(il.OpMov, nil)
	for i, v := range in.Out {
		if v != nil {
			s.out[i] = b.value(int(b.comp[v.ID]))
			clamp.copies = append(clamp.copies, copied{to: int32(v.ID), from: lane{kind: laneTemp, v: s.out[i]}, sat: true})
		}
	}
	b.appendStmt(clamp)
	return nil
}

// negate changes the sign of an operand.
func (b *emitter) negate(o *operand, mod uint8) {
	for i := range o.lanes {
		if k := o.lanes[i].kind; k != laneNone {
			o.lanes[i].mod ^= mod
		}
	}
}

// outs gives s the written lanes of in. Lanes without a fixed meaning go to their homes, if these are
// different components of one register; otherwise each stays in its component.
func (b *emitter) outs(s *stmt, in *ir.Instr, how spelling) {
	s.pairs = how.pairs()
	s.fixed = in.Op.Info().Shape == ir.Positional
	var places uint8
	together := true
	var home ir.Reg
	for i, v := range in.Out {
		if v == nil {
			continue
		}
		s.out[i] = b.recordHint(v, i)
		places |= 1 << b.comp[v.ID]
		at := b.home[v.ID]
		at.Comp = 0
		together = together && (home == ir.Reg{} || home == at)
		home = at
	}
	mask := in.Mask()
	if !s.fixed && together && il.Lanes(places).Count() == il.Lanes(mask).Count() {
		return
	}
	for i, v := range in.Out {
		if v != nil {
			b.comp[v.ID] = uint8(i)
		}
	}
	// Half a double cannot be written alone: the other half is written to an unused component.
	if s.pairs {
		for i := range 4 {
			if mask>>i&1 == 0 && mask>>(i^1)&1 != 0 {
				s.out[i] = b.value(i)
			}
		}
	}
}

// lanes adds a statement for every lane of in, if no statement writes all of them: a scalar rcp of two
// components.
func (b *emitter) lanes(in *ir.Instr) error {
	mask := in.Mask()
	if mask&(mask-1) == 0 || in.Op.Info().Shape != ir.Lanewise {
		return fmt.Errorf("%v cannot be written in AMD IL", in.Op)
	}
	for i := range 4 {
		if mask>>i&1 == 0 {
			continue
		}
		one := *in
		one.Out = [4]*ir.Value{}
		one.Out[i] = in.Out[i]
		one.Src = make([]ir.Operand, len(in.Src))
		for k := range in.Src {
			one.Src[k][i] = in.Src[k][i]
		}
		if err := b.compute(&one, nil); err != nil {
			return err
		}
	}
	return nil
}

// argsOf returns the block arguments of a construct: the values of vs at the positions in list, for the
// parameters in to.
func (b *emitter) argsOf(vs, to []*ir.Value, list []int) []lane {
	out := make([]lane, len(list))
	for i, k := range list {
		out[i] = b.operandLane(ir.Lane{V: vs[k]})
	}
	return out
}

// paramsOf returns the block parameters or results that receive them, in the same order.
func (b *emitter) paramsOf(vs []*ir.Value, list []int) []int32 {
	out := make([]int32, len(list))
	for i, k := range list {
		out[i] = b.recordHint(vs[k], int(vs[k].Home.Comp))
	}
	return out
}

// registers lists the positions of vs that live in registers and are needed. Memory states are values too,
// but have no register.
func (b *emitter) registers(vs []*ir.Value) (list []int) {
	for k, v := range vs {
		if b.need[v.ID] && !IsState(v.Home) {
			list = append(list, k)
		}
	}
	return list
}

// finish adds the end, which passes the final values to output registers. Each output is a new value with its
// register as home.
func (b *emitter) finish() {
	s := b.statement(il.OpEnd, nil)
	for _, o := range b.f.Outs {
		if IsState(o.Reg) {
			continue
		}
		v := b.value(int(o.Reg.Comp))
		b.home[v] = o.Reg
		s.args, s.params = append(s.args, b.operandLane(ir.Lane{V: o.V})), append(s.params, v)
	}
	s.kind = regalloc.Plain
	b.appendStmt(s)
}

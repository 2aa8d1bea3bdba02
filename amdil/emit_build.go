package amdil

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// region adds the statements of r. What was gathered within it is forgotten at its end,
// since it does not dominate what follows.
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
			return fmt.Errorf("%v: nothing is predicated in AMD IL", in.Op)
		}
		switch {
		case in.Op.Has(ir.Structured):
			if err := b.construct(in); err != nil {
				return err
			}
			continue
		// Contained in operands, or tests of a switch.
		case b.folds.loads[in] || b.folds.negs[in] || b.folds.tests[in]:
			continue
		// Nothing of it is left.
		case in.Mask() == 0 && !in.Op.Has(ir.Effect):
			continue
		}
		if n := b.transpose(r.Code[i:]); n > 0 {
			i += n - 1
			continue
		}
		// A result that is stored at once goes to the array itself, and its store is
		// passed over.
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

// statement begins a statement of in, which may be nil for one that is made here.
func (b *emitter) statement(op il.Op, in *ir.Instr) *stmt {
	s := b.room.stmt()
	*s = stmt{op: op, orig: -1, out: noValues}
	if in != nil {
		s.orig, s.from = in.Orig, in
	}
	return s
}

// original is the statement of the input that in comes from, or nil. Statements are
// spelt like it where they can be.
func (b *emitter) original(in *ir.Instr) *il.Inst {
	if in.Orig < 0 {
		return nil
	}
	return &b.orig.Insts[in.Orig]
}

// instr adds the statement of in, whose result is stored by store if that is not nil.
// Computations are in a table; what is here has operands of its own kind.
func (b *emitter) instr(in *ir.Instr, store *ir.Instr) error {
	var s *stmt
	switch in.Op {
	case ir.OpMov:
		b.move(in)
		return nil
	case ir.OpLoad:
		b.move(in)
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
	b.add(s)
	return nil
}

// results gives s the written lanes of in, each at its own component: those of a fetch
// cannot be permuted by the mask.
func (b *emitter) results(s *stmt, in *ir.Instr) {
	for i, v := range in.Out {
		if v != nil {
			s.out[i] = b.note(v, i)
			b.comp[v.ID] = uint8(i)
		}
	}
	s.fixed = true
}

// compute adds what the table of statements has, in as many statements as it takes.
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
	// iadd with a negated operand is the difference. The input may have had the negated
	// one first.
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
		b.into(s, store)
		s.out, s.sat = noValues, in.Mods&ir.Sat != 0
		b.add(s)
		return nil
	}
	b.add(s)
	if in.Mods&ir.Sat == 0 {
		return nil
	}
	// Statements that cannot clamp (comparisons, integers) have a mov_sat behind.
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
	b.add(clamp)
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

// outs gives s the written lanes of in. Lanes that have no meaning of their own go
// where their homes are, if these are different components of one register; else each
// to its own component.
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
		s.out[i] = b.note(v, i)
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
	// Half a double cannot be written alone: the other half is written to a component
	// of its own.
	if s.pairs {
		for i := range 4 {
			if mask>>i&1 == 0 && mask>>(i^1)&1 != 0 {
				s.out[i] = b.value(i)
			}
		}
	}
}

// lanes adds a statement for every lane of in, where no statement does all of them: a
// scalar rcp of two components.
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

// argsOf are the block arguments of a construct, the values of vs at the positions in list, for the
// parameters in to.
func (b *emitter) argsOf(vs, to []*ir.Value, list []int) []lane {
	out := make([]lane, len(list))
	for i, k := range list {
		out[i] = b.lane(ir.Lane{V: vs[k]})
	}
	return out
}

// paramsOf are the block parameters or results that receive them, in the same order.
func (b *emitter) paramsOf(vs []*ir.Value, list []int) []int32 {
	out := make([]int32, len(list))
	for i, k := range list {
		out[i] = b.note(vs[k], int(vs[k].Home.Comp))
	}
	return out
}

// registers lists the positions of vs that live in registers and are needed. The states
// of memory are values, too, and live nowhere.
func (b *emitter) registers(vs []*ir.Value) (list []int) {
	for k, v := range vs {
		if b.need[v.ID] && !IsState(v.Home) {
			list = append(list, k)
		}
	}
	return list
}

// finish adds the end, which hands output registers what they end with: each output is
// a value of its own, at home in its register.
func (b *emitter) finish() {
	s := b.statement(il.OpEnd, nil)
	for _, o := range b.f.Outs {
		if IsState(o.Reg) {
			continue
		}
		v := b.value(int(o.Reg.Comp))
		b.home[v] = o.Reg
		s.args, s.params = append(s.args, b.lane(ir.Lane{V: o.V})), append(s.params, v)
	}
	s.kind = regalloc.Plain
	b.add(s)
}

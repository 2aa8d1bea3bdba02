package spvs

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// nodes lifts code. It stops at a break that is always taken.
func (l *lifter) nodes(list []node) {
	for i := range list {
		if l.err != nil {
			return
		}
		n := &list[i]
		l.at = n.first
		switch n.kind {
		case nodeRun:
			for l.at = n.first; l.at < n.last && l.err == nil; l.at++ {
				l.instruction(n.fr, &l.x.Insts[l.at])
			}
		case nodePhis:
			l.phis(n)
		case nodeBind:
			for i, id := range n.callee.fn.params {
				l.copyTo(id, spirv.ID(l.x.Insts[n.first].Args[1+i]))
			}
		case nodeReturn:
			l.copyTo(l.x.Insts[n.fr.fn.at].Result, spirv.ID(l.x.Insts[n.first].Args[0]))
		case nodeResult:
			l.result(n)
		case nodeFlag:
			l.setSlot(l.flag(n.to), l.truth(n.set))
		case nodeIf:
			l.liftBranch(n)
		case nodeLoop:
			l.liftLoop(n)
		case nodeBreak:
			l.leave(n)
			if n.cond == nil {
				return
			}
		}
	}
}

// truth returns the word for true or false.
func (l *lifter) truth(b bool) *ir.Value {
	v := l.f.Const(0)
	if b {
		v = l.f.Const(0xffffffff)
	}
	return v
}

// phis writes the phis of a block. It reads all operands first.
func (l *lifter) phis(n *node) {
	to := &n.fr.fn.blocks[n.block]
	var lanes [][]*ir.Value
	for i := to.first; i < to.phis; i++ {
		id, _ := l.incoming(n, i)
		if l.x.typeOf(l.x.Insts[i].Result).isValue() {
			lanes = append(lanes, l.lanes(id))
		} else if l.x.Insts[i].Op == spirv.OpPhi {
			l.at = i
			l.unsupported("its type has no value")
			return
		} else {
			lanes = append(lanes, nil)
		}
	}
	for k, list := range lanes {
		if pl, ok := l.id(l.x.Insts[to.first+k].Result); ok {
			l.setSlots(pl, l.rounded(list, l.isRelaxed(l.x.Insts[to.first+k].Result)))
		}
	}
}

// setSlots writes lanes to slots.
func (l *lifter) setSlots(pl place, lanes []*ir.Value) {
	if len(lanes) != int(pl.count) {
		l.unsupported("a value has the wrong type")
		return
	}
	for k, v := range lanes {
		l.setSlot(pl.first+int32(k), v)
	}
}

// slots returns the values of slots.
func (l *lifter) slots(pl place) []*ir.Value {
	list := make([]*ir.Value, pl.count)
	for k := range list {
		list[k] = l.slot(pl.first + int32(k))
	}
	return list
}

// copyTo writes the lanes of an id to those of another that crosses blocks.
func (l *lifter) copyTo(to, from spirv.ID) {
	if pl, ok := l.id(to); ok {
		l.setSlots(pl, l.rounded(l.lanes(from), l.isRelaxed(to)))
	}
}

// result defines the result of a call.
func (l *lifter) result(n *node) {
	if pl, ok := l.id(l.x.Insts[n.callee.fn.at].Result); ok {
		in := &l.x.Insts[n.first]
		l.define(in, l.rounded(l.slots(pl), l.isRelaxed(in.Result)))
	}
}

// liftSide lifts one side of a branch. It returns the code and the final values of the slots written in it. It then
// restores the old values, so that the other side starts from the same environment.
func (l *lifter) liftSide(list []node) (r *ir.Region, end map[int32]*ir.Value) {
	r = &ir.Region{}
	outer := l.code
	l.code = &r.Code
	l.writes = append(l.writes, map[int32]*ir.Value{})
	l.nodes(list)
	end = l.writes[len(l.writes)-1]
	l.writes = l.writes[:len(l.writes)-1]
	l.code = outer
	for slot, old := range end {
		end[slot], l.env[slot] = l.env[slot], old
	}
	return r, end
}

// liftBranch lifts a conditional. A literal condition leaves one side, which removes most flags of structuring. A slot
// gets a result if the sides leave different values that later code reads.
func (l *lifter) liftBranch(n *node) {
	c := l.lane(n.cond)
	if l.err != nil {
		return
	}
	if c.Kind == ir.Literal {
		if c.Bits != 0 {
			l.nodes(n.a)
		} else {
			l.nodes(n.b)
		}
		return
	}
	in := &ir.Instr{Op: ir.OpIf, Src: []ir.Operand{ir.Splat(ir.Lane{V: c})}, Orig: int32(n.first),
		Pos: l.x.Pos(&l.x.Insts[n.first])}
	a, inA := l.liftSide(n.a)
	b, inB := l.liftSide(n.b)
	in.Sub = []*ir.Region{a, b}
	*l.code = append(*l.code, in)
	for _, slot := range n.carried {
		x, y := l.finalValue(inA, slot), l.finalValue(inB, slot)
		switch {
		case leaves(a) && inB[slot] == nil, leaves(b) && inA[slot] == nil:
			x, y = l.slot(slot), l.slot(slot) // the side that reaches the end did not write it
		case leaves(a):
			x = l.f.Const(0)
		case leaves(b):
			y = l.f.Const(0)
		}
		if x == y {
			l.setSlot(slot, x)
			continue
		}
		v := l.carriedValue(ir.Result, slot)
		v.Def = in
		in.Results = append(in.Results, v)
		a.Results = append(a.Results, x)
		b.Results = append(b.Results, y)
		l.setSlot(slot, v)
	}
}

// leaves reports whether a break ends a region, so that nothing reads its results.
func leaves(r *ir.Region) bool {
	if len(r.Code) == 0 {
		return false
	}
	last := r.Code[len(r.Code)-1]
	return last.Op == ir.OpBreak && len(last.Src) == 0 || last.Op == ir.OpIf && leaves(last.Sub[0]) && leaves(last.Sub[1])
}

// carriedValue returns a new parameter or result for a slot.
func (l *lifter) carriedValue(kind ir.Kind, slot int32) *ir.Value {
	v := l.f.NewValue(kind, l.homes[slot])
	l.note([]*ir.Value{v}, l.slotTypes[slot])
	return v
}

// finalValue returns the value of slot at the end of a side.
func (l *lifter) finalValue(side map[int32]*ir.Value, slot int32) *ir.Value {
	if v := side[slot]; v != nil {
		return v
	}
	return l.slot(slot)
}

// liftLoop lifts a loop.
func (l *lifter) liftLoop(n *node) {
	in := &ir.Instr{Op: ir.OpLoop, Orig: int32(n.first), Pos: l.x.Pos(&l.x.Insts[n.first])}
	body := &ir.Region{}
	in.Sub = []*ir.Region{body}
	l.writes = append(l.writes, map[int32]*ir.Value{})
	for _, slot := range n.carried {
		in.Args = append(in.Args, l.slot(slot))
		body.Params = append(body.Params, l.carriedValue(ir.Param, slot))
		v := l.carriedValue(ir.Result, slot)
		v.Def = in
		in.Results = append(in.Results, v)
	}
	for k, slot := range n.carried {
		l.setSlot(slot, body.Params[k])
	}
	outer := l.code
	l.code = &body.Code
	l.loops = append(l.loops, n)
	// If only breaks end the body, its results are never used.
	l.nodes(n.a)
	for _, slot := range n.carried {
		body.Results = append(body.Results, l.slot(slot))
	}
	l.loops = l.loops[:len(l.loops)-1]
	l.code = outer
	for slot, old := range l.writes[len(l.writes)-1] {
		l.env[slot] = old
	}
	l.writes = l.writes[:len(l.writes)-1]
	*l.code = append(*l.code, in)
	for k, slot := range n.carried {
		l.setSlot(slot, in.Results[k])
	}
}

// leave lifts a break, with the carried slots as arguments. It emits nothing if the condition is known to fail.
func (l *lifter) leave(n *node) {
	in := &ir.Instr{Op: ir.OpBreak, Orig: int32(n.first), Pos: l.x.Pos(&l.x.Insts[n.first])}
	if n.cond != nil {
		c := l.lane(n.cond)
		if l.err != nil || c.Kind == ir.Literal && c.Bits == 0 {
			return
		}
		if c.Kind != ir.Literal {
			in.Src = []ir.Operand{ir.Splat(ir.Lane{V: c})}
		}
	}
	carried := l.loops[len(l.loops)-1].carried
	if l.loopArgs += len(carried); l.loopArgs > maxCarried {
		l.fail("too-large", "the breaks of loops pass on more than %d values", maxCarried)
	}
	for _, slot := range carried {
		in.Args = append(in.Args, l.slot(slot))
	}
	*l.code = append(*l.code, in)
}

// lane computes a condition.
func (l *lifter) lane(c *cond) *ir.Value {
	if c.id != 0 {
		lanes := l.lanes(c.id)
		if len(lanes) != 1 {
			l.unsupported("the condition is not a scalar")
			return l.truth(false)
		}
		if c.cases == nil {
			return lanes[0]
		}
		return l.oneOf(lanes[0], c.cases)
	}
	// Any of several flags: one known to be set decides, and those known to be clear are dropped.
	var pending []*ir.Value
	for _, to := range c.flags {
		v := l.slot(l.flag(to))
		if v.Kind != ir.Literal {
			pending = append(pending, v)
		} else if v.Bits != 0 {
			return v
		}
	}
	return l.anyOf(pending)
}

// oneOf computes whether a word is one of the cases.
func (l *lifter) oneOf(x *ir.Value, cases []uint32) *ir.Value {
	if x.Kind == ir.Literal {
		return l.truth(slices.Contains(cases, x.Bits))
	}
	var tests []*ir.Value
	for _, k := range cases {
		tests = append(tests, l.scalar(Bool, ir.OpIEq, x, l.f.Const(k)))
	}
	return l.anyOf(tests)
}

// anyOf computes the or of booleans.
func (l *lifter) anyOf(list []*ir.Value) *ir.Value {
	if len(list) == 0 {
		return l.truth(false)
	}
	v := list[0]
	for _, w := range list[1:] {
		v = l.scalar(Bool, ir.OpIOr, v, w)
	}
	return v
}

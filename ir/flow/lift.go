package flow

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
)

// Lifter walks over a tree with the current value of every slot. The functions are the dialect's.
type Lifter[T any] struct {
	F    *ir.Func
	Code *[]*ir.Instr // code of the current region, where instructions are appended

	Enter     func(n *Node[T])               // makes n the current position
	Begin     func(op ir.Op) *ir.Instr       // returns a new instruction at the current position
	Statement func(n *Node[T])               // lifts a node of the kind Code
	Condition func(n *Node[T]) ir.Lane       // computes the condition of Item
	Or        func(a, b *ir.Value) *ir.Value // computes the or of booleans
	Unwritten func(slot int32) *ir.Value     // returns the value of a slot before the first write
	FlagSlot  func(l *Label) int32           // returns the slot of a flag
	New       func(ir.Kind, int32) *ir.Value // returns a new parameter or result for a slot
	Fail      func(asm.Code, string, ...any) // reports an error
	Failed    func() bool                    // reports whether to stop

	// env is the current value of each slot, or nil if it was not written.
	env []*ir.Value
	// writes has one journal per enclosing construct, innermost last: the slots written in it and their old values.
	writes   []map[int32]*ir.Value
	loops    []*Node[T] // enclosing loops, innermost last
	loopArgs int
}

// Lift lifts code. It stops at a break that is always taken.
func (l *Lifter[T]) Lift(list []Node[T]) {
	for i := range list {
		if l.Failed() {
			return
		}
		n := &list[i]
		l.Enter(n)
		switch n.Kind {
		case Code:
			l.Statement(n)
		case Flag:
			l.SetSlot(l.FlagSlot(n.To), l.Truth(n.Set))
		case If:
			l.branch(n)
		case Loop:
			l.loop(n)
		case Break:
			l.leave(n)
			if n.Always {
				return
			}
		}
	}
}

// Truth returns the word for true or false.
func (l *Lifter[T]) Truth(b bool) *ir.Value {
	if b {
		return l.F.Const(0xffffffff)
	}
	return l.F.Const(0)
}

// Current returns the value of a slot, or nil if it was not written. Liveness has not seen slots that get their number
// only now: those of accesses that are not supported.
func (l *Lifter[T]) Current(slot int32) *ir.Value {
	if n := int(slot) + 1; n > len(l.env) {
		l.env = append(l.env, make([]*ir.Value, n-len(l.env))...)
	}
	return l.env[slot]
}

// Slot returns the value of a slot.
func (l *Lifter[T]) Slot(slot int32) *ir.Value {
	if v := l.Current(slot); v != nil {
		return v
	}
	return l.Unwritten(slot)
}

// SetSlot writes a slot and journals its old value, in the innermost construct.
func (l *Lifter[T]) SetSlot(slot int32, v *ir.Value) {
	old := l.Current(slot)
	if n := len(l.writes); n > 0 {
		if _, known := l.writes[n-1][slot]; !known {
			l.writes[n-1][slot] = old
		}
	}
	if old != v {
		l.env[slot] = v
	}
}

// Thread makes in read the states in slots and define new ones.
func (l *Lifter[T]) Thread(in *ir.Instr, slots ...int32) {
	for _, slot := range slots {
		in.Args = append(in.Args, l.Slot(slot))
	}
	for _, slot := range slots {
		l.SetSlot(slot, l.result(in, slot))
	}
}

// result adds a result for a slot to in.
func (l *Lifter[T]) result(in *ir.Instr, slot int32) *ir.Value {
	v := l.New(ir.Result, slot)
	v.Def = in
	in.Results = append(in.Results, v)
	return v
}

// side lifts one side of a branch. It returns the code and the final values of the slots written in it. It then
// restores the old values, so that the other side starts from the same environment.
func (l *Lifter[T]) side(list []Node[T]) (r *ir.Region, end map[int32]*ir.Value) {
	r = &ir.Region{}
	outer := l.Code
	l.Code = &r.Code
	l.writes = append(l.writes, map[int32]*ir.Value{})
	l.Lift(list)
	end = l.writes[len(l.writes)-1]
	l.writes = l.writes[:len(l.writes)-1]
	l.Code = outer
	for slot, old := range end {
		end[slot], l.env[slot] = l.env[slot], old
	}
	return r, end
}

// branch lifts a conditional. A literal condition leaves one side, which removes most flags of structuring. A slot
// gets a result if the sides leave different values that later code reads.
func (l *Lifter[T]) branch(n *Node[T]) {
	c, known := l.condition(n)
	if l.Failed() {
		return
	}
	if known {
		if holds(c) {
			l.Lift(n.A)
		} else {
			l.Lift(n.B)
		}
		return
	}
	in := l.Begin(ir.OpIf)
	in.Src = []ir.Operand{ir.Splat(c)}
	a, inA := l.side(n.A)
	b, inB := l.side(n.B)
	in.Sub = []*ir.Region{a, b}
	*l.Code = append(*l.Code, in)
	for _, slot := range n.carried {
		x, y := l.finalValue(inA, slot), l.finalValue(inB, slot)
		switch {
		case leaves(a) && inB[slot] == nil, leaves(b) && inA[slot] == nil:
			x, y = l.Slot(slot), l.Slot(slot) // the side that reaches the end did not write it
		case leaves(a):
			x = l.F.Const(0)
		case leaves(b):
			y = l.F.Const(0)
		}
		if x == y {
			l.SetSlot(slot, x)
			continue
		}
		a.Results = append(a.Results, x)
		b.Results = append(b.Results, y)
		l.SetSlot(slot, l.result(in, slot))
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

// finalValue returns the value of slot at the end of a side.
func (l *Lifter[T]) finalValue(side map[int32]*ir.Value, slot int32) *ir.Value {
	if v := side[slot]; v != nil {
		return v
	}
	return l.Slot(slot)
}

// loop lifts a loop. It carries the slots that the body writes and that a later trip or later code reads.
func (l *Lifter[T]) loop(n *Node[T]) {
	in := l.Begin(ir.OpLoop)
	body := &ir.Region{}
	in.Sub = []*ir.Region{body}
	for _, slot := range n.carried {
		in.Args = append(in.Args, l.Slot(slot))
		body.Params = append(body.Params, l.New(ir.Param, slot))
		l.result(in, slot)
	}
	l.writes = append(l.writes, map[int32]*ir.Value{})
	for k, slot := range n.carried {
		l.SetSlot(slot, body.Params[k])
	}
	outer := l.Code
	l.Code = &body.Code
	l.loops = append(l.loops, n)
	// If only breaks end the body, its results are never used.
	l.Lift(n.A)
	for _, slot := range n.carried {
		body.Results = append(body.Results, l.Slot(slot))
	}
	l.loops = l.loops[:len(l.loops)-1]
	l.Code = outer
	for slot, old := range l.writes[len(l.writes)-1] {
		l.env[slot] = old
	}
	l.writes = l.writes[:len(l.writes)-1]
	*l.Code = append(*l.Code, in)
	for k, slot := range n.carried {
		l.SetSlot(slot, in.Results[k])
	}
}

// leave lifts a break, with the carried slots as arguments. It emits nothing if the condition is known to fail.
func (l *Lifter[T]) leave(n *Node[T]) {
	in := l.Begin(ir.OpBreak)
	if !n.Always {
		c, known := l.condition(n)
		if l.Failed() || known && !holds(c) {
			return
		}
		if !known {
			in.Src = []ir.Operand{ir.Splat(c)}
		}
	}
	carried := l.loops[len(l.loops)-1].carried
	if l.loopArgs += len(carried); l.loopArgs > maxCarried {
		l.Fail("too-large", "the breaks of loops pass on more than %d values", maxCarried)
	}
	for _, slot := range carried {
		in.Args = append(in.Args, l.Slot(slot))
	}
	*l.Code = append(*l.Code, in)
}

// condition computes the condition of a node as a word whose bits decide. known reports that it is a literal.
func (l *Lifter[T]) condition(n *Node[T]) (lane ir.Lane, known bool) {
	if n.Flags == nil {
		lane = l.Condition(n)
		return lane, lane.V.Kind == ir.Literal
	}
	// Any of several flags: one known to be set decides, and those known to be clear are dropped.
	var pending []*ir.Value
	for _, to := range n.Flags {
		v := l.Slot(l.FlagSlot(to))
		if v.Kind != ir.Literal {
			pending = append(pending, v)
		} else if v.Bits != 0 {
			return ir.Lane{V: v}, true
		}
	}
	if len(pending) == 0 {
		return ir.Lane{V: l.Truth(false)}, true
	}
	return ir.Lane{V: l.AnyOf(pending)}, false
}

// AnyOf computes the or of booleans, of which there is at least one.
func (l *Lifter[T]) AnyOf(list []*ir.Value) *ir.Value {
	v := list[0]
	for _, w := range list[1:] {
		v = l.Or(v, w)
	}
	return v
}

// holds reports whether a literal condition holds.
func holds(c ir.Lane) bool { return (c.V.Bits != 0) == (c.Mod&ir.Not == 0) }

package amdil

import (
	"slices"

	"golang.org/x/tools/container/intsets"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/ir"
)

// maxDiags bounds how many reasons for not supporting a kernel are reported.
const maxDiags = 8

// Lift converts k, which il.Check must accept, to a function. The error lists diagnostics for unsupported
// code.
//
// The final walk is like that of package vsps: it knows the current value of every slot, so it emits SSA form
// directly. Unlike there, liveness is computed first, so branches and loops carry only values that are read
// later. Kernels keep hundreds of registers alive through loops that write few of them. Without liveness, the
// parameters would be the product of both.
func Lift(k *il.Kernel) (*ir.Func, error) {
	room := unused.Get().(*room)
	defer unused.Put(room)
	room.begin()
	main, err := tree(k, room)
	if err != nil {
		return nil, err
	}
	if deepest([]node{main}, 0) > maxDeep {
		return nil, tooDeep(k)
	}
	list := structured(main, room)
	if deepest(list, 0) > maxDeep {
		return nil, tooDeep(k)
	}
	live := newLiveness(list, room)
	l := &lifter{k: k, f: ir.NewFunc("il_"+k.Stage.String()+"_2_0", &Dialect{}), live: live,
		env:      make([]*ir.Value, len(live.regs)),
		literals: map[uint16][4]uint32{}, resources: map[uint16]ir.Resource{}}
	l.instrs.Again(16)
	l.operands.Again(32)
	l.declarations()
	l.code = &l.f.Body.Code
	l.liftNodes(list)
	if len(l.diags) > 0 {
		return nil, l.diags
	}
	l.outputs()
	return l.f, nil
}

// tooDeep returns the error for a kernel with too many nested cases or exits.
func tooDeep(k *il.Kernel) error {
	return asm.Diags{asm.Errorf(k.Insts[0].Pos, "too-large", "cases and early exits nest more than %d branches deep",
		maxDeep)}
}

// lifter walks the tree with the current value of every slot.
type lifter struct {
	k    *il.Kernel
	f    *ir.Func
	live *liveness
	// env is the current value of each slot (register component, flag, memory), or nil if it was not written.
	env []*ir.Value
	// writes has one journal per enclosing construct, innermost last: the slots written in it and their old
	// values. The writes are undone at the end of a side.
	writes []map[int]*ir.Value
	// loops are the enclosing loops, innermost last.
	loops []*loop
	// code is the code of the current region, where instructions are appended.
	code *[]*ir.Instr
	// Memory for instructions and their operands, which the function keeps.
	instrs   container.Slab[ir.Instr]
	operands container.Slab[ir.Operand]

	literals  map[uint16][4]uint32
	resources map[uint16]ir.Resource
	// at is the statement being lifted.
	at    int32
	pos   asm.Pos
	diags asm.Diags
}

// loop is a loop being lifted.
type loop struct {
	in *ir.Instr
	// carried are the slots that the loop carries, in the order of its parameters.
	carried []int
}

// declarations collects literals, and the shapes of resources.
func (l *lifter) declarations() {
	for i := range l.k.Insts {
		switch in := &l.k.Insts[i]; in.Op {
		case il.OpDclLiteral:
			l.literals[in.Dst.Num] = in.Imm
		case il.OpDclNumThreadPerGroup:
			l.f.Threads = [3]uint32{1, 1, 1}
			copy(l.f.Threads[:], in.Immediates())
		case il.OpDclResource:
			l.resources[in.Ctl.ID] = ir.Resource{Unit: uint8(in.Ctl.ID), Dim: dimOf(in.Ctl.Tex), Unnorm: in.Ctl.Unnorm}
		}
	}
}

// dimOf returns the shape of a resource. For an unknown type all coordinates count.
func dimOf(t il.TexType) ir.Dim {
	switch t {
	case il.Tex1D:
		return ir.Dim1D
	case il.Tex2D:
		return ir.Dim2D
	case il.Tex3D:
		return ir.DimVolume
	case il.TexCube:
		return ir.DimCube
	case il.TexBuffer:
		return ir.DimBuffer
	case il.Tex1DArray:
		return ir.Dim1DArray
	case il.Tex2DArray:
		return ir.Dim2DArray
	}
	return ir.DimCubeArray
}

// fail records why the kernel is not supported. Lifting continues, to report several reasons at once.
func (l *lifter) fail(code asm.Code, format string, args ...any) {
	if len(l.diags) < maxDiags {
		l.diags = append(l.diags, asm.Errorf(l.pos, code, format, args...))
	}
}

func (l *lifter) unsupported(in *il.Inst) {
	l.fail("not-supported", "%s is not supported", in.Name())
}

// readSlot returns the value of a slot. An unwritten slot is an input if others can write it (memories), else
// undefined.
func (l *lifter) readSlot(slot int) *ir.Value {
	if v := l.env[slot]; v != nil {
		return v
	}
	r := l.live.regs[slot]
	kind := ir.Undef
	if shared(r) {
		kind = ir.Input // a value from the host or another invocation
	}
	return l.f.Leaf(kind, r)
}

// writeSlot writes a slot and journals its old value, in the innermost construct.
func (l *lifter) writeSlot(slot int, v *ir.Value) {
	if n := len(l.writes); n > 0 {
		if _, known := l.writes[n-1][slot]; !known {
			l.writes[n-1][slot] = l.env[slot]
		}
	}
	l.env[slot] = v
}

// instr appends an instruction of the current statement.
func (l *lifter) instr(op ir.Op, src ...ir.Operand) *ir.Instr {
	in := l.begin(op, len(src))
	in.Src = append(in.Src, src...)
	*l.code = append(*l.code, in)
	return in
}

// begin returns a new instruction of the current statement with room for n operands.
func (l *lifter) begin(op ir.Op, n int) *ir.Instr {
	in := &l.instrs.Alloc(1)[0]
	in.Op, in.Src, in.Orig, in.Pos = op, l.operands.Alloc(n)[:0], l.at, l.pos
	return in
}

// liftNodes lifts code. It stops at a break that is always taken.
func (l *lifter) liftNodes(list []node) {
	for i := range list {
		n := &list[i]
		if n.inst != nil { // the flag of the main program has none
			l.at, l.pos = n.at, n.inst.Pos
		}
		switch n.kind {
		case nodeInst:
			l.statement(n.inst)
		case nodeFlag:
			l.writeSlot(l.live.slotNumber(flagOf(n.to)), l.truth(n.set))
		case nodeIf:
			l.branch(n)
		case nodeLoop:
			l.liftLoop(n)
		case nodeBreak:
			l.leave(n)
			if n.cond == nil {
				return
			}
		}
		if len(l.diags) >= maxDiags {
			return
		}
	}
}

// truth returns the word for true or false.
func (l *lifter) truth(b bool) *ir.Value {
	if b {
		return l.f.Const(0xffffffff)
	}
	return l.f.Const(0)
}

// liftSide lifts one side of a branch. It returns the code and the final values of the slots written in it. It
// then restores the old values, so that the other side starts from the same environment.
func (l *lifter) liftSide(list []node) (r *ir.Region, end map[int]*ir.Value) {
	r = &ir.Region{}
	outer := l.code
	l.code = &r.Code
	l.writes = append(l.writes, map[int]*ir.Value{})
	l.liftNodes(list)
	end = l.writes[len(l.writes)-1]
	l.writes = l.writes[:len(l.writes)-1]
	l.code = outer
	// Exchange: end gets the final values of the side, env the values from before.
	for slot, old := range end {
		end[slot], l.env[slot] = l.env[slot], old
	}
	return r, end
}

// branch lifts a conditional. A literal condition (a flag known on this path) leaves one side, which removes
// most flags of structuring. A slot gets a result if either side wrote it and later code reads it.
func (l *lifter) branch(n *node) {
	c, known := l.condition(n.cond)
	if known {
		if c.V.Bits != 0 == (c.Mod&ir.Not == 0) {
			l.liftNodes(n.a)
		} else {
			l.liftNodes(n.b)
		}
		return
	}
	// Both sides start from the same environment. If the final values of a slot differ, its value after the
	// branch is a result.
	in := &ir.Instr{Op: ir.OpIf, Src: []ir.Operand{ir.Splat(c)}, Orig: l.at, Pos: l.pos}
	a, inA := l.liftSide(n.a)
	b, inB := l.liftSide(n.b)
	in.Sub = []*ir.Region{a, b}
	*l.code = append(*l.code, in)

	// Sorted by slot, so that the output does not depend on map order.
	written := make([]int, 0, len(inA)+len(inB))
	for slot := range inA {
		written = append(written, slot)
	}
	for slot := range inB {
		if _, both := inA[slot]; !both {
			written = append(written, slot)
		}
	}
	slices.Sort(written)
	after := l.live.after[n]
	for _, slot := range written {
		if !after.Has(slot) {
			continue
		}
		x, y := l.finalValue(inA, slot), l.finalValue(inB, slot)
		// Both sides leave the same value.
		if x == y {
			l.writeSlot(slot, x)
			continue
		}
		v := l.f.NewValue(ir.Result, l.live.regs[slot])
		v.Def = in
		in.Results = append(in.Results, v)
		a.Results = append(a.Results, x)
		b.Results = append(b.Results, y)
		l.writeSlot(slot, v)
	}
}

// finalValue returns the value of slot at the end of a side.
func (l *lifter) finalValue(side map[int]*ir.Value, slot int) *ir.Value {
	if v := side[slot]; v != nil {
		return v
	}
	return l.readSlot(slot)
}

// liftLoop lifts a loop. It carries the slots that the body writes and that a later trip or later code reads.
func (l *lifter) liftLoop(n *node) {
	in := &ir.Instr{Op: ir.OpLoop, Orig: l.at, Pos: l.pos}
	body := &ir.Region{}
	in.Sub = []*ir.Region{body}
	// Carry slots that the body writes and that are live at its head (a later trip reads them) or after the
	// loop. A slot that is only read is the same in every trip.
	var needed intsets.Sparse
	needed.Union(l.live.header[n], l.live.after[n])
	needed.IntersectionWith(l.live.written[n])
	lp := &loop{in: in, carried: needed.AppendTo(nil)}
	for _, slot := range lp.carried {
		home := l.live.regs[slot]
		in.Args = append(in.Args, l.readSlot(slot))
		body.Params = append(body.Params, l.f.NewValue(ir.Param, home))
		v := l.f.NewValue(ir.Result, home)
		v.Def = in
		in.Results = append(in.Results, v)
	}
	l.writes = append(l.writes, map[int]*ir.Value{})
	for k, slot := range lp.carried {
		l.writeSlot(slot, body.Params[k])
	}
	outer := l.code
	l.code = &body.Code
	l.loops = append(l.loops, lp)
	// If only breaks end the body, its results are never used.
	l.liftNodes(n.a)
	for _, slot := range lp.carried {
		body.Results = append(body.Results, l.readSlot(slot))
	}
	l.loops = l.loops[:len(l.loops)-1]
	l.code = outer
	// Restore; the loop's results follow.
	for slot, old := range l.writes[len(l.writes)-1] {
		l.env[slot] = old
	}
	l.writes = l.writes[:len(l.writes)-1]
	*l.code = append(*l.code, in)
	for k, slot := range lp.carried {
		l.writeSlot(slot, in.Results[k])
	}
}

// leave lifts a break, with the carried slots as arguments. It emits nothing if the condition is known to
// fail.
func (l *lifter) leave(n *node) {
	in := &ir.Instr{Op: ir.OpBreak, Orig: l.at, Pos: l.pos}
	if n.cond != nil {
		c, known := l.condition(n.cond)
		if known && (c.V.Bits != 0) == (c.Mod&ir.Not != 0) {
			return
		}
		if !known {
			in.Src = []ir.Operand{ir.Splat(c)}
		}
	}
	for _, slot := range l.loops[len(l.loops)-1].carried {
		in.Args = append(in.Args, l.readSlot(slot))
	}
	*l.code = append(*l.code, in)
}

// condition computes the condition of a branch as a word whose bits decide. known reports that it is a
// literal.
func (l *lifter) condition(c *cond) (lane ir.Lane, known bool) {
	switch c.kind {
	case condWord:
		lane = l.scalarLane(c.src)
	case condRel:
		// Relations are floating-point. There are ops for >=, <, == and !=; > and <= swap the operands.
		a, b := l.scalarLane(&c.rel.Src[0]), l.scalarLane(&c.rel.Src[1])
		op := ir.OpFNe
		switch c.rel.Ctl.Rel {
		case il.RelEQ:
			op = ir.OpFEq
		case il.RelGE:
			op = ir.OpFGe
		case il.RelLT:
			op = ir.OpFLt
		case il.RelGT:
			op, a, b = ir.OpFLt, b, a
		case il.RelLE:
			op, a, b = ir.OpFGe, b, a
		}
		lane = ir.Lane{V: l.scalar(op, a, b)}
	case condCase:
		// The word is one of the cases: an or of tests, which folds if the word is known.
		x := l.scalarLane(c.src)
		for _, k := range c.cases {
			equal := l.scalar(ir.OpIEq, x, ir.Lane{V: l.f.Const(k)})
			if lane.V != nil {
				equal = l.scalar(ir.OpIOr, lane, ir.Lane{V: equal})
			}
			lane = ir.Lane{V: equal}
		}
	// Any of several flags: one known to be set decides, and those known to be clear are dropped.
	case condFlags:
		var any []*ir.Value
		for _, to := range c.flags {
			v := l.readSlot(l.live.slotNumber(flagOf(to)))
			if v.Kind == ir.Literal {
				if v.Bits != 0 {
					return ir.Lane{V: v}, true
				}
				continue
			}
			any = append(any, v)
		}
		if len(any) == 0 {
			return ir.Lane{V: l.truth(false)}, true
		}
		lane.V = any[0]
		for _, v := range any[1:] {
			lane.V = l.scalar(ir.OpIOr, lane, ir.Lane{V: v})
		}
	}
	if lane.Mod != 0 { // the bits decide, so the sign bit counts
		lane = ir.Lane{V: l.scalar(ir.OpMov, lane)}
	}
	if c.negate {
		lane.Mod = ir.Not
	}
	return lane, lane.V.Kind == ir.Literal
}

// scalarLane returns the first component that an operand selects, as for scalar operands.
func (l *lifter) scalarLane(src *il.Src) ir.Lane {
	sel := src.Swz.Vector()
	neg := ir.LaneMod(0)
	if src.Neg.Has(0) {
		neg = ir.Neg
	}
	return l.selected(src, [4]il.Sel{sel[0], il.SelNone, il.SelNone, il.SelNone}, [4]ir.LaneMod{neg})[0]
}

// scalar appends an instruction that computes one word.
func (l *lifter) scalar(op ir.Op, args ...ir.Lane) *ir.Value {
	in := l.begin(op, len(args))
	for _, a := range args {
		in.Src = append(in.Src, ir.Splat(a))
	}
	*l.code = append(*l.code, in)
	return l.f.Define(in, 0, ir.Reg{})
}

// outputs collects the outputs of the kernel: output registers and memories.
func (l *lifter) outputs() {
	for slot, r := range l.live.regs {
		if isOutput(r) || shared(r) {
			l.f.Outs = append(l.f.Outs, ir.Output{Reg: r, V: l.readSlot(slot)})
		}
	}
	slices.SortFunc(l.f.Outs, func(a, b ir.Output) int { return a.Reg.Compare(b.Reg) })
}

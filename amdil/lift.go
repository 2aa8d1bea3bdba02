package amdil

import (
	"slices"

	"golang.org/x/tools/container/intsets"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/slab"
	"github.com/shaderlift/shaderlift/ir"
)

// maxDiags bounds how many reasons for not understanding a kernel are told.
const maxDiags = 8

// Lift makes a function of k, which must be one that il.Check accepts. The error is
// diagnostics of what is not understood.
//
// The walk at the end is the one of package vsps: with the value of every slot at hand,
// SSA form comes out directly. Other than there, liveness is known beforehand, so
// branches and loops hand over only what is read later. Kernels keep hundreds of
// registers alive through loops that write few of them; without it parameters would be
// the product of both.
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
	l := &lifter{k: k, f: ir.NewFunc("il_"+k.Stage.String()+"_2_0", NewDialect(k)), live: live, env: make([]*ir.Value, len(live.regs)),
		literals: map[uint16][4]uint32{}, resources: map[uint16]ir.Resource{}}
	l.instrs.Again(16)
	l.operands.Again(32)
	l.declarations()
	l.code = &l.f.Body.Code
	l.list(list)
	if len(l.diags) > 0 {
		return nil, l.diags
	}
	l.outputs()
	return l.f, nil
}

// tooDeep reports that a kernel has too many cases or exits one behind the other.
func tooDeep(k *il.Kernel) error {
	return asm.Diags{asm.Errorf(k.Insts[0].Pos, "too-large", "cases and early exits come to more than %d branches within each other", maxDeep)}
}

// lifter walks the tree with the value of every slot at hand.
type lifter struct {
	k    *il.Kernel
	f    *ir.Func
	live *liveness
	// env is the current value of each slot (register component, flag, memory); nil if nothing was
	// written.
	env []*ir.Value
	// writes is a journal per construct around the code at hand, innermost last: the slots written
	// in it and what they held before it. At the end of a side they are undone.
	writes []map[int]*ir.Value
	// loops are those around, innermost last.
	loops []*loop
	// code is where instructions go: the code of the region at hand.
	code *[]*ir.Instr
	// Memory for instructions and their operands, which the function keeps.
	instrs   slab.Slab[ir.Instr]
	operands slab.Slab[ir.Operand]

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
	// carried are the slots that the loop hands on, in the order of its parameters.
	carried []int
}

// declarations collects literals, and the shapes of resources.
func (l *lifter) declarations() {
	for i := range l.k.Insts {
		switch in := &l.k.Insts[i]; in.Op {
		case il.OpDclLiteral:
			l.literals[in.Dst.Num] = in.Imm
		case il.OpDclResource:
			l.resources[in.Ctl.ID] = ir.Resource{Unit: uint8(in.Ctl.ID), Dim: dimOf(in.Ctl.Tex), Unnorm: in.Ctl.Unnorm}
		}
	}
}

// dimOf is the shape of a resource. Of a kind not known here all coordinates count.
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

// fail notes why the kernel is not understood. Lifting goes on, so that several reasons
// are told at once.
func (l *lifter) fail(code asm.Code, format string, args ...any) {
	if len(l.diags) < maxDiags {
		l.diags = append(l.diags, asm.Errorf(l.pos, code, format, args...))
	}
}

func (l *lifter) unsupported(in *il.Inst) {
	l.fail("not-supported", "what %s computes is not known here", in.Name())
}

// read is what a slot holds. What nobody has written is an input if others can have
// (memories), else undefined.
func (l *lifter) read(slot int) *ir.Value {
	if v := l.env[slot]; v != nil {
		return v
	}
	r := l.live.regs[slot]
	kind := ir.Undef
	if shared(r) {
		kind = ir.Input // what the host or another invocation put there
	}
	return l.f.Leaf(kind, r)
}

// set writes a slot and journals what it held, in the innermost construct.
func (l *lifter) set(slot int, v *ir.Value) {
	if n := len(l.writes); n > 0 {
		if _, known := l.writes[n-1][slot]; !known {
			l.writes[n-1][slot] = l.env[slot]
		}
	}
	l.env[slot] = v
}

// instr appends an instruction of the statement at hand.
func (l *lifter) instr(op ir.Op, src ...ir.Operand) *ir.Instr {
	in := l.begin(op, len(src))
	in.Src = append(in.Src, src...)
	*l.code = append(*l.code, in)
	return in
}

// begin makes an instruction of the statement at hand with room for n operands.
func (l *lifter) begin(op ir.Op, n int) *ir.Instr {
	in := &l.instrs.Take(1)[0]
	in.Op, in.Src, in.Orig, in.Pos = op, l.operands.Take(n)[:0], l.at, l.pos
	return in
}

// list lifts code. Behind a break that is always taken there is nothing to lift.
func (l *lifter) list(list []node) {
	for i := range list {
		n := &list[i]
		if n.inst != nil { // the flag of the main program has none
			l.at, l.pos = n.at, n.inst.Pos
		}
		switch n.kind {
		case nodeInst:
			l.statement(n.inst)
		case nodeFlag:
			l.set(l.live.slot(flagOf(n.to)), l.truth(n.set))
		case nodeIf:
			l.branch(n)
		case nodeLoop:
			l.loop(n)
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

// truth is a word that is true or false.
func (l *lifter) truth(b bool) *ir.Value {
	if b {
		return l.f.Const(0xffffffff)
	}
	return l.f.Const(0)
}

// side lifts one side of a branch and returns its code, and what the slots written in
// it hold in the end; then they hold again what they did, so that the other side begins
// alike.
func (l *lifter) side(list []node) (r *ir.Region, end map[int]*ir.Value) {
	r = &ir.Region{}
	outer := l.code
	l.code = &r.Code
	l.writes = append(l.writes, map[int]*ir.Value{})
	l.list(list)
	end = l.writes[len(l.writes)-1]
	l.writes = l.writes[:len(l.writes)-1]
	l.code = outer
	// Exchange: end holds what the side left, env what was there before.
	for slot, old := range end {
		end[slot], l.env[slot] = l.env[slot], old
	}
	return r, end
}

// branch lifts a conditional. A condition that is a literal (a flag known on this path)
// leaves one side, which is how most flags of structuring vanish. Results are made for
// slots that either side wrote and that something reads behind it.
func (l *lifter) branch(n *node) {
	c, known := l.condition(n.cond)
	if known {
		if c.V.Bits != 0 == (c.Mod&ir.Not == 0) {
			l.list(n.a)
		} else {
			l.list(n.b)
		}
		return
	}
	// Both sides start from the same environment; the value of a slot behind the branch is a result
	// if they differ.
	in := &ir.Instr{Op: ir.OpIf, Src: []ir.Operand{ir.Splat(c)}, Orig: l.at, Pos: l.pos}
	a, inA := l.side(n.a)
	b, inB := l.side(n.b)
	in.Sub = []*ir.Region{a, b}
	*l.code = append(*l.code, in)

	// In the order of slots, so that results do not depend on the order of a map.
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
		x, y := l.end(inA, slot), l.end(inB, slot)
		// Both sides leave the same value.
		if x == y {
			l.set(slot, x)
			continue
		}
		v := l.f.NewValue(ir.Result, l.live.regs[slot])
		v.Def = in
		in.Results = append(in.Results, v)
		a.Results = append(a.Results, x)
		b.Results = append(b.Results, y)
		l.set(slot, v)
	}
}

// end is what slot holds at the end of a side.
func (l *lifter) end(side map[int]*ir.Value, slot int) *ir.Value {
	if v := side[slot]; v != nil {
		return v
	}
	return l.read(slot)
}

// loop lifts a loop. It carries what the body writes and a later trip or the code
// behind the loop reads.
func (l *lifter) loop(n *node) {
	in := &ir.Instr{Op: ir.OpLoop, Orig: l.at, Pos: l.pos}
	body := &ir.Region{}
	in.Sub = []*ir.Region{body}
	// Carry what is written in the body and live at its head (a later trip reads it) or behind the
	// loop. What is only read is the same in every trip.
	var needed intsets.Sparse
	needed.Union(l.live.header[n], l.live.after[n])
	needed.IntersectionWith(l.live.written[n])
	lp := &loop{in: in, carried: needed.AppendTo(nil)}
	for _, slot := range lp.carried {
		home := l.live.regs[slot]
		in.Args = append(in.Args, l.read(slot))
		body.Params = append(body.Params, l.f.NewValue(ir.Param, home))
		v := l.f.NewValue(ir.Result, home)
		v.Def = in
		in.Results = append(in.Results, v)
	}
	l.writes = append(l.writes, map[int]*ir.Value{})
	for k, slot := range lp.carried {
		l.set(slot, body.Params[k])
	}
	outer := l.code
	l.code = &body.Code
	l.loops = append(l.loops, lp)
	// The body may end by breaks alone; what it hands on then is never used.
	l.list(n.a)
	for _, slot := range lp.carried {
		body.Results = append(body.Results, l.read(slot))
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
		l.set(slot, in.Results[k])
	}
}

// leave lifts a break, which hands over what the carried slots hold. One whose
// condition is known to fail is none.
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
		in.Args = append(in.Args, l.read(slot))
	}
	*l.code = append(*l.code, in)
}

// condition computes what a branch depends on, as a word whose bits decide. Known tells
// that it is a literal.
func (l *lifter) condition(c *cond) (lane ir.Lane, known bool) {
	switch c.kind {
	case condWord:
		lane = l.word(c.src)
	case condRel:
		// Relations are floating-point. There are ops for >=, <, == and !=; > and <= exchange the
		// operands.
		a, b := l.word(&c.rel.Src[0]), l.word(&c.rel.Src[1])
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
		// The word is one of the cases: or of tests, which folds where the word is known.
		x := l.word(c.src)
		for _, k := range c.cases {
			equal := l.scalar(ir.OpIEq, x, ir.Lane{V: l.f.Const(k)})
			if lane.V != nil {
				equal = l.scalar(ir.OpIOr, lane, ir.Lane{V: equal})
			}
			lane = ir.Lane{V: equal}
		}
	// Any of several flags: one known to be set decides, those known not to be are left
	// out.
	case condFlags:
		var any []*ir.Value
		for _, to := range c.flags {
			v := l.read(l.live.slot(flagOf(to)))
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
	if lane.Mod != 0 { // the bits decide, so a sign counts
		lane = ir.Lane{V: l.scalar(ir.OpMov, lane)}
	}
	if c.negate {
		lane.Mod = ir.Not
	}
	return lane, lane.V.Kind == ir.Literal
}

// word is the first component that an operand selects, as scalar operands are read.
func (l *lifter) word(src *il.Src) ir.Lane {
	sel := src.Swz.Vector()
	neg := ir.LaneMod(0)
	if src.Neg.Has(0) {
		neg = ir.Neg
	}
	return l.selected(src, [4]il.Sel{sel[0], il.SelNone, il.SelNone, il.SelNone}, [4]ir.LaneMod{neg})[0]
}

// scalar computes a word.
func (l *lifter) scalar(op ir.Op, args ...ir.Lane) *ir.Value {
	in := l.begin(op, len(args))
	for _, a := range args {
		in.Src = append(in.Src, ir.Splat(a))
	}
	*l.code = append(*l.code, in)
	return l.f.Define(in, 0, ir.Reg{})
}

// outputs collects what the kernel leaves: output registers and memories.
func (l *lifter) outputs() {
	for slot, r := range l.live.regs {
		if isOutput(r) || shared(r) {
			l.f.Outs = append(l.f.Outs, ir.Output{Reg: r, V: l.read(slot)})
		}
	}
	slices.SortFunc(l.f.Outs, func(a, b ir.Output) int { return a.Reg.Compare(b.Reg) })
}

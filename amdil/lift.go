package amdil

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/ir/flow"
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
	if flow.IsTooDeep([]node{main}) {
		return nil, tooDeep(k)
	}
	list, ok := flow.Structure(main, &room.nodes)
	if !ok {
		return nil, tooDeep(k)
	}
	live, limit := newLiveness(list)
	if limit != nil {
		return nil, asm.Diags{asm.Errorf(k.Insts[0].Pos, "too-large", "%s", limit.Text)}
	}
	l := &lifter{k: k, f: ir.NewFunc("il_"+k.Stage.String()+"_2_0", &Dialect{}), live: live,
		literals: map[uint16][4]uint32{}, resources: map[uint16]ir.Resource{}}
	l.instrs.Again(16)
	l.operands.Again(32)
	l.declarations()
	l.Lifter = l.newFlow()
	l.Lift(list)
	if len(l.diags) > 0 {
		return nil, l.diags
	}
	l.outputs()
	return l.f, nil
}

// tooDeep returns the error for a kernel with too many nested cases or exits.
func tooDeep(k *il.Kernel) error {
	return asm.Diags{asm.Errorf(k.Insts[0].Pos, "too-large", "cases and early exits nest more than %d branches deep",
		flow.MaxDeep)}
}

// lifter walks the tree with the current value of every slot.
type lifter struct {
	*flow.Lifter[statement]
	k    *il.Kernel
	f    *ir.Func
	live *liveness
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

// newFlow returns the part of the lifter that handles control flow.
func (l *lifter) newFlow() *flow.Lifter[statement] {
	return &flow.Lifter[statement]{F: l.f, Code: &l.f.Body.Code, FlagSlot: l.live.flag, Unwritten: l.unwritten, Fail: l.fail,
		Enter: func(n *node) {
			if n.Item.inst != nil { // the flag of the main program has none
				l.at, l.pos = n.Item.at, n.Item.inst.Pos
			}
		},
		Statement: func(n *node) { l.statement(n.Item.inst) },
		Condition: func(n *node) ir.Lane { return l.condition(n.Item.cond) },
		Begin:     func(op ir.Op) *ir.Instr { return l.begin(op, 0) },
		Or:        func(a, b *ir.Value) *ir.Value { return l.scalar(ir.OpIOr, ir.Lane{V: a}, ir.Lane{V: b}) },
		New:       func(kind ir.Kind, slot int32) *ir.Value { return l.f.NewValue(kind, l.live.regs[slot]) },
		Failed:    func() bool { return len(l.diags) >= maxDiags }}
}

// unwritten returns the value of an unwritten slot: an input if others can write it (memories), else undefined.
func (l *lifter) unwritten(slot int32) *ir.Value {
	r := l.live.regs[slot]
	if shared(r) {
		return l.f.Leaf(ir.Input, r) // a value from the host or another invocation
	}
	return l.f.Leaf(ir.Undef, r)
}

// instr appends an instruction of the current statement.
func (l *lifter) instr(op ir.Op, src ...ir.Operand) *ir.Instr {
	in := l.begin(op, len(src))
	in.Src = append(in.Src, src...)
	*l.Code = append(*l.Code, in)
	return in
}

// begin returns a new instruction of the current statement with room for n operands.
func (l *lifter) begin(op ir.Op, n int) *ir.Instr {
	in := &l.instrs.Alloc(1)[0]
	in.Op, in.Src, in.Orig, in.Pos = op, l.operands.Alloc(n)[:0], l.at, l.pos
	return in
}

// condition computes the condition of a branch as a word whose bits decide.
func (l *lifter) condition(c *cond) (lane ir.Lane) {
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
	}
	if lane.Mod != 0 { // the bits decide, so the sign bit counts
		lane = ir.Lane{V: l.scalar(ir.OpMov, lane)}
	}
	if c.negate {
		lane.Mod = ir.Not
	}
	return lane
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
	*l.Code = append(*l.Code, in)
	return l.f.Define(in, 0, ir.Reg{})
}

// outputs collects the outputs of the kernel: output registers and memories.
func (l *lifter) outputs() {
	for slot, r := range l.live.regs {
		if isOutput(r) || shared(r) {
			l.f.Outs = append(l.f.Outs, ir.Output{Reg: r, V: l.Slot(int32(slot))})
		}
	}
	slices.SortFunc(l.f.Outs, func(a, b ir.Output) int { return a.Reg.Compare(b.Reg) })
}

package spvs

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// places numbers the slots that hold values between blocks: lanes of variables and of ids, flags, states of memories.
type places struct {
	x     *index
	entry EntryPoint
	names *Names

	variables map[spirv.ID]*variable
	used      []*variable // in the order of first use
	// crossing are the ids that code outside of their block reads, phis, parameters, and functions for their results.
	crossing map[spirv.ID]bool
	ids      map[spirv.ID]place
	flags    map[int]int32
	states   map[ir.Reg]int32
	shared   []int32 // states that others may see
	arrays   []*variable
	// workgroup is the number of variables that work groups share.
	workgroup int
	// homes and slotTypes are by slot.
	homes     []ir.Reg
	slotTypes []Scalar
}

// place is a range of slots.
type place struct{ first, count int32 }

// maxSlots bounds the slots of a program.
const maxSlots = 1 << 20

// lanes returns new slots for the lanes of s.
func (p *places) lanes(s *shape) int32 {
	first := int32(len(p.homes))
	for i, t := range s.scalars(nil) {
		p.homes = append(p.homes, ir.Reg{File: Temp, Index: uint16(int(first) + i)})
		p.slotTypes = append(p.slotTypes, t)
	}
	eachRegister(s, 0, 0, func(_, lane, n int) {
		for i := range n {
			p.homes[int(first)+lane+i] = ir.Reg{File: Temp, Index: uint16(int(first) + lane), Comp: uint8(i)}
		}
	})
	return first
}

// tooMany reports whether the program has too many slots.
func (p *places) tooMany() bool { return len(p.homes) > maxSlots }

// flag returns the slot of the flag of a label.
func (p *places) flag(l *label) int32 {
	slot, ok := p.flags[l.Index]
	if !ok {
		slot = p.lanes(&shape{kind: scalarType, scalar: Bool, lanes: 1})
		p.flags[l.Index] = slot
	}
	return slot
}

// state returns the slot of the state with a home. Others may see it, unless it is an array of the program.
func (p *places) state(home ir.Reg) int32 {
	slot, ok := p.states[home]
	if !ok {
		slot = int32(len(p.homes))
		p.homes, p.slotTypes = append(p.homes, home), append(p.slotTypes, NoScalar)
		p.states[home] = slot
		if home.File != Array {
			p.shared = append(p.shared, slot)
		}
	}
	return slot
}

// id returns the slots of an id that crosses blocks.
func (p *places) id(id spirv.ID) (pl place, ok bool) {
	if !p.crossing[id] {
		return pl, false
	}
	pl, ok = p.ids[id]
	if !ok {
		if s := p.x.typeOf(id); s.isValue() {
			pl = place{p.lanes(s), int32(s.lanes)}
		}
		p.ids[id] = pl
	}
	return pl, pl.count > 0
}

// typeOf returns the type of the result of an id, or of the result of a function. It may be nil.
func (x *index) typeOf(id spirv.ID) *shape {
	if _, in := x.definition(id); in != nil {
		return x.types[in.Type]
	}
	return nil
}

// variable returns the variable of an id, or nil.
func (p *places) variable(id spirv.ID) *variable {
	if v, ok := p.variables[id]; ok {
		return v
	}
	var v *variable
	if at, in := p.x.definition(id); in != nil && in.Op == spirv.OpVariable {
		v = p.x.newVariable(at)
	}
	p.variables[id] = v
	if v != nil && v.class == spirv.StorageClassWorkgroup && len(p.x.Insts[v.at].Args) == 1 &&
		!has(p.x.decorations[v.shape.id], spirv.DecorationBlock) { // without initial values and aliases
		v.memory, v.array = true, p.workgroup
		p.workgroup++
	}
	if v != nil {
		p.used = append(p.used, v)
	}
	return v
}

// pointer returns the target of a pointer in a frame, or nil.
func (p *places) pointer(fr *frame, id spirv.ID) *pointer {
	if q := fr.pointers[id]; q != nil {
		return q
	}
	v := p.variable(id)
	if v == nil {
		return nil
	}
	q := &pointer{v: v, shape: v.shape}
	fr.pointers[id] = q
	return q
}

// use records that a block reads an id.
func (p *places) use(blk *block, id spirv.ID) {
	at, in := p.x.definition(id)
	if in == nil || at >= blk.first && at <= blk.last || in.Type == 0 || p.crossing[id] {
		return
	}
	if s := p.x.types[in.Type]; s.isValue() && !p.x.isConstant(in.Op) {
		p.crossing[id] = true
	}
}

// isConstant reports whether an instruction with a result stands outside of functions, or is an undefined value.
func (x *index) isConstant(op spirv.Op) bool {
	return op >= spirv.OpConstantTrue && op <= spirv.OpSpecConstantOp || op == spirv.OpUndef
}

// link gives a callee the pointers and the handles of its arguments.
func (p *places) link(caller, callee *frame, call int) *asm.Diag {
	in := &p.x.Insts[call]
	for i, id := range callee.fn.params {
		arg := spirv.ID(in.Args[1+i])
		switch s := p.x.typeOf(id); {
		case s.isValue():
			p.crossing[id] = true
		case s != nil && s.kind == pointerType:
			q := p.pointer(caller, arg)
			if q == nil {
				return p.x.errorAt(call, "not-supported", "the target of the pointer %%%d is not known", arg)
			}
			callee.pointers[id] = q
		case caller.handles[arg] != nil:
			callee.handles[id] = caller.handles[arg]
		default:
			return p.x.errorAt(call, "not-supported", "the type of argument %%%d is not supported", arg)
		}
	}
	if s := p.x.types[callee.fn.result]; s.isValue() {
		p.crossing[p.x.Insts[callee.fn.at].Result] = true
	}
	return nil
}

// run finds the pointers and handles that a part of a block defines, and the ids that it reads from other blocks.
func (p *places) run(fr *frame, blk *block, first, last int) *asm.Diag {
	for i := first; i < last; i++ {
		in := &p.x.Insts[i]
		operands(in, func(_ int, id spirv.ID) { p.use(blk, id) })
		if err := p.define(fr, i, in); err != nil {
			return err
		}
		if p.tooMany() {
			return p.x.errorAt(i, "too-large", "the program has more than %d values between blocks", maxSlots)
		}
	}
	return nil
}

// define finds the pointer or the handle that an instruction defines.
func (p *places) define(fr *frame, at int, in *spirv.Inst) *asm.Diag {
	switch in.Op {
	case spirv.OpVariable:
		if p.variable(in.Result) == nil {
			return p.x.errorAt(at, "not-supported", "the variable has no type")
		}
	case spirv.OpAccessChain, spirv.OpInBoundsAccessChain:
		q, err := p.pointerArg(fr, at, in.Args[0])
		if err != nil {
			return err
		}
		if q, err = p.x.access(q, at, in.Args[1:]); err != nil {
			return err
		}
		fr.pointers[in.Result] = q
		p.dynamic(q)
	case spirv.OpCopyObject:
		if s := p.x.types[in.Type]; s != nil && s.kind == pointerType {
			q, err := p.pointerArg(fr, at, in.Args[0])
			fr.pointers[in.Result] = q
			return err
		}
		if h := fr.handles[spirv.ID(in.Args[0])]; h != nil {
			fr.handles[in.Result] = h
		}
	case spirv.OpImageTexelPointer:
		q, err := p.pointerArg(fr, at, in.Args[0])
		if err != nil {
			return err
		}
		texel := *q
		texel.texel = at
		texel.shape = p.x.types[in.Type].target()
		fr.pointers[in.Result] = &texel
		p.markDynamic(spirv.ID(in.Args[1]))
	case spirv.OpLoad, spirv.OpSampledImage, spirv.OpImage:
		return p.handle(fr, at, in)
	}
	return p.stateOf(fr, in)
}

// target returns the type that a pointer points to, or nil.
func (s *shape) target() *shape {
	if s == nil || s.kind != pointerType {
		return nil
	}
	return s.elem
}

// pointerArg returns the target of an operand.
func (p *places) pointerArg(fr *frame, at int, id uint32) (*pointer, *asm.Diag) {
	q := p.pointer(fr, spirv.ID(id))
	if q == nil {
		return nil, p.x.errorAt(at, "not-supported", "the target of the pointer %%%d is not known", id)
	}
	return q, nil
}

// dynamic records the dynamic indices of a pointer. A variable of the program that is indexed so lives in memory.
func (p *places) dynamic(q *pointer) {
	for _, s := range q.steps {
		p.markDynamic(s.index)
	}
	p.markDynamic(q.component)
	p.markDynamic(q.elementID)
	if v := q.v; len(q.steps) > 0 && !v.memory && !v.isBlock() && v.class != spirv.StorageClassUniformConstant {
		v.memory, v.array = true, len(p.arrays)
		p.arrays = append(p.arrays, v)
	}
}

// markDynamic makes an index readable in any block.
func (p *places) markDynamic(id spirv.ID) {
	_, in := p.x.definition(id)
	if in != nil && !p.x.isConstant(in.Op) && p.x.types[in.Type].isValue() {
		p.crossing[id] = true
	}
}

// operands calls visit for the ids that an instruction other than a phi reads, with the numbers of their words. Literals and types are left out.
func operands(in *spirv.Inst, visit func(word int, id spirv.ID)) {
	args, first := in.Args, 0
	switch in.Op {
	case spirv.OpCompositeExtract, spirv.OpLoad, spirv.OpArrayLength, spirv.OpReturnValue, spirv.OpBranchConditional,
		spirv.OpSwitch:
		args = args[:1]
	case spirv.OpCompositeInsert, spirv.OpVectorShuffle, spirv.OpStore, spirv.OpCopyMemory:
		args = args[:2]
	case spirv.OpExtInst:
		args, first = args[2:], 2
	case spirv.OpVariable, spirv.OpBranch, spirv.OpLine, spirv.OpNoLine, spirv.OpUndef:
		return
	case spirv.OpFunctionCall:
		args, first = args[1:], 1
	}
	mask := maskAt(in.Op)
	for i, id := range args {
		if i != mask {
			visit(first+i, spirv.ID(id))
		}
	}
}

// maskAt returns the position of the image operands among the operands of op, or -1.
func maskAt(op spirv.Op) int {
	switch op {
	case spirv.OpImageSampleImplicitLod, spirv.OpImageSampleExplicitLod, spirv.OpImageSampleProjImplicitLod,
		spirv.OpImageSampleProjExplicitLod, spirv.OpImageFetch, spirv.OpImageRead:
		return 2
	case spirv.OpImageSampleDrefImplicitLod, spirv.OpImageSampleDrefExplicitLod,
		spirv.OpImageSampleProjDrefImplicitLod, spirv.OpImageSampleProjDrefExplicitLod, spirv.OpImageGather,
		spirv.OpImageDrefGather, spirv.OpImageWrite:
		return 3
	}
	return -1
}

package spvs

import (
	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// instruction lifts an instruction of a block.
func (l *lifter) instruction(fr *frame, in *spirv.Inst) {
	switch in.Op {
	case spirv.OpNop, spirv.OpLine, spirv.OpNoLine, spirv.OpUndef, spirv.OpAccessChain, spirv.OpInBoundsAccessChain,
		spirv.OpSampledImage, spirv.OpImage, spirv.OpImageTexelPointer:
		return
	case spirv.OpVariable:
		l.begins(l.variable(in.Result))
	case spirv.OpLoad:
		if fr.handles[in.Result] == nil {
			if q := l.target(fr, in.Args[0]); q != nil && !l.volatile(q, in.Args[1:]) {
				l.define(in, l.rounded(l.load(q), q.relaxed || l.isRelaxed(q.v.id) || l.isRelaxed(in.Result)))
				l.accessed(q)
			}
		}
	case spirv.OpStore:
		if q := l.target(fr, in.Args[0]); q != nil && !l.volatile(q, in.Args[2:]) {
			first := len(*l.Code)
			l.store(q, l.rounded(l.lanes(spirv.ID(in.Args[1])), q.relaxed || l.isRelaxed(q.v.id)))
			l.recordStores(l.at, first, l.operandLanes(in), q)
		}
	case spirv.OpCopyMemory:
		to, from := l.target(fr, in.Args[0]), l.target(fr, in.Args[1])
		if to != nil && from != nil {
			l.store(to, l.load(from))
		}
	case spirv.OpCopyObject:
		if fr.handles[in.Result] == nil && fr.pointers[in.Result] == nil {
			l.define(in, l.rounded(l.lanes(spirv.ID(in.Args[0])), l.isRelaxed(in.Result)))
		}
	case spirv.OpKill, spirv.OpTerminateInvocation, spirv.OpDemoteToHelperInvocation:
		x := l.begin(ir.OpDiscard, ir.Splat(ir.Lane{V: l.Truth(true)}))
		if in.Op == spirv.OpDemoteToHelperInvocation {
			x.Imm = 1
		}
		l.Thread(x, l.shared...)
		*l.Code = append(*l.Code, x)
	case spirv.OpUnreachable:
		l.unreachable()
	case spirv.OpExtInst:
		if !l.x.ignored[spirv.ID(in.Args[0])] { // NonSemantic instructions compute nothing
			l.define(in, l.compute(in))
		}
	default:
		first, count := len(*l.Code), len(l.definitions)
		if !l.imageInstruction(fr, in) {
			l.define(in, l.rounded(l.compute(in), composes(in.Op) && l.isRelaxed(in.Result)))
			return
		}
		l.recordImage(fr, in, first, count)
	}
}

// composes reports whether the result of an instruction has lanes of its operands.
func composes(op spirv.Op) bool {
	return op >= spirv.OpVectorExtractDynamic && op <= spirv.OpCompositeInsert || op == spirv.OpTranspose
}

func (l *lifter) isRelaxed(id spirv.ID) bool {
	return l.relaxed && has(l.x.decorations[id], spirv.DecorationRelaxedPrecision)
}

// rounded returns lanes in relaxed precision, if they are relaxed and that is visible.
func (l *lifter) rounded(lanes []*ir.Value, relaxed bool) (list []*ir.Value) {
	if !relaxed || !l.relaxed {
		return lanes
	}
	for _, v := range lanes {
		t := NoScalar
		if int(v.ID) < len(l.types) {
			t = l.types[v.ID]
		}
		x := l.begin(ir.OpMov, splat(v))
		x.Mods |= ir.Half
		list = append(list, l.finish(x, t, 1)...)
	}
	return list
}

// volatile refuses accesses to volatile memory: two of them must not become one. operands are the memory operands.
func (l *lifter) volatile(q *pointer, operands []uint32) bool {
	found := q.volatile || has(l.x.decorations[q.v.id], spirv.DecorationVolatile) ||
		len(operands) > 0 && operands[0]&uint32(spirv.MemoryAccessVolatile) != 0
	if found {
		l.unsupported("accesses to volatile memory are not supported")
	}
	return found
}

// target returns the target of a pointer operand, or nil after an error.
func (l *lifter) target(fr *frame, id uint32) *pointer {
	q := l.pointer(fr, spirv.ID(id))
	if q == nil {
		l.unsupported("the target of a pointer is not known")
	}
	return q
}

// unreachable makes all outputs undefined: reaching OpUnreachable is undefined behaviour. A program that cannot reach
// it is then different from one that can.
func (l *lifter) unreachable() {
	for _, v := range l.used {
		if v.class != spirv.StorageClassOutput || v.memory {
			continue
		}
		pl := l.place(v)
		for k := range pl.count {
			l.SetSlot(pl.first+k, l.undef())
		}
	}
}

// compute lifts an instruction that computes lanes, and returns them.
func (l *lifter) compute(in *spirv.Inst) []*ir.Value {
	s := l.x.types[in.Type]
	if !s.isValue() {
		l.unsupported("its type is not a value of numbers with 32 bits")
		return nil
	}
	if in.Op == spirv.OpExtInst {
		if spirv.ID(in.Args[0]) == l.x.glsl {
			return l.extended(in, s)
		}
		l.unsupported("the set of extended instructions is unknown")
		return nil
	}
	if row := &lanewise[in.Op&511]; row.op != ir.OpInvalid && in.Op < 512 {
		return l.lanewise(in, s, row)
	}
	if f := others[in.Op]; f != nil {
		return f(l, in, s)
	}
	l.unsupported("the lift has no rule for it")
	return nil
}

// lanewise lifts an instruction of the table.
func (l *lifter) lanewise(in *spirv.Inst, s *shape, row *lanewiseRow) []*ir.Value {
	if s.lanes > 4 || len(in.Args) < row.operands {
		l.unsupported("it has the wrong type")
		return nil
	}
	src := make([]ir.Operand, row.operands, 4)
	for k := range src {
		src[k] = l.vector(spirv.ID(in.Args[k]))
	}
	if row.swap {
		src[0], src[1] = src[1], src[0]
	}
	if row.negate >= 0 {
		src[row.negate] = negated(src[row.negate])
	}
	if row.mode {
		src = append(src, splat(l.f.Const(domainMode)))
	}
	x := l.begin(row.op, src...)
	x.Imm = row.imm
	l.arithmetic(x, in.Result)
	list := l.finish(x, s.scalar, s.lanes)
	if row.not {
		list = l.compose(Bool, ir.OpINot, s.lanes, operand(list))
	}
	return list
}

// arithmetic applies the decorations of a result to an instruction.
func (l *lifter) arithmetic(x *ir.Instr, id spirv.ID) {
	list := l.x.decorations[id]
	if has(list, spirv.DecorationRelaxedPrecision) {
		x.Mods |= ir.Half
	}
	if has(list, spirv.DecorationNoContraction) {
		x.Precise = true
	}
}

package spvs

import (
	"fmt"
	mathbits "math/bits"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// fetchParts reads the operands of a fetch. ok is false for operands that are not supported.
func (l *lifter) fetchParts(in *spirv.Inst, h *handle) (p *fetchParts, ok bool) {
	p = &fetchParts{}
	switch in.Op {
	case spirv.OpImageQuerySize, spirv.OpImageQueryLevels, spirv.OpImageQuerySamples:
		return p, true
	case spirv.OpImageQuerySizeLod:
		p.lod = l.index(spirv.ID(in.Args[1]))
		return p, true
	}
	p.coord = l.arg(in, 1)
	switch in.Op {
	case spirv.OpImageSampleDrefImplicitLod, spirv.OpImageSampleDrefExplicitLod,
		spirv.OpImageSampleProjDrefImplicitLod, spirv.OpImageSampleProjDrefExplicitLod, spirv.OpImageDrefGather:
		p.depth = l.index(spirv.ID(in.Args[2]))
	case spirv.OpImageGather:
		p.sample = l.index(spirv.ID(in.Args[2]))
	case spirv.OpImageQueryLod:
		return p, true
	}
	at := maskAt(in.Op)
	if at < 0 || len(p.coord) > 4 {
		return p, false
	}
	return p, l.imageOperands(in, at, p)
}

// imageOperands reads the operands that a mask announces, from the lowest bit on.
func (l *lifter) imageOperands(in *spirv.Inst, at int, p *fetchParts) bool {
	if at >= len(in.Args) {
		return true
	}
	p.mask = in.Args[at]
	rest := in.Args[at+1:]
	next := func() spirv.ID {
		if len(rest) == 0 {
			l.unsupported("image operands are missing")
			return 0
		}
		id := spirv.ID(rest[0])
		rest = rest[1:]
		return id
	}
	for mask := p.mask; mask != 0 && l.err == nil; mask &= mask - 1 {
		switch bit := spirv.ImageOperands(1) << mathbits.TrailingZeros32(mask); bit {
		case spirv.ImageOperandsBias, spirv.ImageOperandsLod:
			p.lod = l.index(next())
		case spirv.ImageOperandsGrad:
			p.dx, p.dy = l.lanes(next()), l.lanes(next())
			if len(p.dx) > 3 || len(p.dy) > 3 {
				return false
			}
		case spirv.ImageOperandsConstOffset, spirv.ImageOperandsConstOffsets:
			for _, v := range l.lanes(next()) {
				if v.Kind != ir.Literal {
					return false
				}
				p.constant = append(p.constant, int32(v.Bits))
			}
		case spirv.ImageOperandsOffset:
			if p.offset = l.lanes(next()); p.dx != nil || len(p.offset) > 3 {
				return false
			}
		case spirv.ImageOperandsSample:
			p.sample = l.index(next())
		case spirv.ImageOperandsMinLod:
			p.least = l.index(next())
		case spirv.ImageOperandsMakeTexelAvailable, spirv.ImageOperandsMakeTexelVisible:
			next() // a scope, which is a constant
		case spirv.ImageOperandsNonPrivateTexel, spirv.ImageOperandsVolatileTexel, spirv.ImageOperandsSignExtend,
			spirv.ImageOperandsZeroExtend:
		default:
			return false
		}
	}
	return true
}

// texelOffset returns a constant offset in half texels. ok is false if it is too large.
func texelOffset(offset []int32) (half [3]int8, ok bool) {
	if len(offset) > 3 {
		return half, false
	}
	for k, n := range offset {
		if n < -64 || n > 63 {
			return half, false
		}
		half[k] = int8(2 * n)
	}
	return half, true
}

// imageMemory lifts a read or a write of a texel. The coordinates are the address, and the last lane has the sample.
func (l *lifter) imageMemory(in *spirv.Inst, h *handle) {
	p := &fetchParts{coord: l.arg(in, 1)}
	if l.volatile(h.image, nil) || len(p.coord) > 3 || h.image.elementID != 0 || !l.imageOperands(in, maskAt(in.Op), p) {
		l.unsupported("its image operands are not supported")
		return
	}
	home := l.home(h.image.v)
	address := operand(p.coord)
	address[3].V = p.sample
	kind := l.access(in, fmt.Sprint(p.mask, h.shape.dim, h.shape.arrayed, h.image.element, p.constant))
	if in.Op == spirv.OpImageWrite {
		x := l.begin(ir.OpMemStore, address, l.vector(spirv.ID(in.Args[2])))
		x.Base, x.Imm = home, kind
		l.Thread(x, l.state(home))
		*l.Code = append(*l.Code, x)
		return
	}
	s := l.x.types[in.Type]
	if !s.isValue() || s.lanes > 4 {
		l.unsupported("its type is not a value of numbers with 32 bits")
		return
	}
	x := l.begin(ir.OpMemLoad, address)
	x.Base, x.Imm = home, kind
	x.Args = []*ir.Value{l.Slot(l.state(home))}
	l.define(in, l.finish(x, s.scalar, s.lanes))
}

// atomic lifts an atomic access to a buffer or a texel.
func (l *lifter) atomic(fr *frame, in *spirv.Inst) {
	q := l.target(fr, in.Args[0])
	if q == nil {
		return
	}
	var address ir.Operand
	switch {
	case q.texel > 0 && q.elementID == 0:
		coord := l.lanes(spirv.ID(l.x.Insts[q.texel].Args[1]))
		if len(coord) > 3 {
			coord = nil
		}
		address = operand(coord)
	case q.v.isBlock() && !l.x.readOnly(q.v) && q.shape.isValue():
		l.block(q.v, q.element, false)
		address = l.bytes(q, l.blockAddress(q), q.byte)
	case q.v.class == spirv.StorageClassWorkgroup && q.v.memory && q.component == 0:
		address = ir.Operand{{V: l.plus(l.arrayAddress(q), q.register)}, {V: l.f.Const(uint32(q.offset))}}
	default:
		l.unsupported("its memory is not supported")
		return
	}
	// Scopes and semantics are constants. They stand before the values.
	values := in.Args[1:]
	fixed := min(2, len(values))
	if in.Op == spirv.OpAtomicCompareExchange {
		fixed = min(3, len(values))
	}
	l.relaxedOrder(values[min(1, fixed):fixed])
	x := l.begin(ir.OpMemAtomic, address)
	key := fmt.Sprint(q.element, l.fixed(values[:fixed]))
	for _, id := range values[fixed:] {
		x.Src = append(x.Src, ir.Splat(ir.Lane{V: l.index(spirv.ID(id))}))
	}
	home := l.home(q.v)
	x.Base, x.Imm = home, l.access(in, key)
	l.Thread(x, l.state(home))
	if in.Result == 0 {
		*l.Code = append(*l.Code, x)
		return
	}
	if s := l.x.types[in.Type]; s.isValue() && s.kind == scalarType {
		l.define(in, l.finish(x, s.scalar, 1))
		return
	}
	l.unsupported("its type is not a number with 32 bits")
}

// relaxedOrder refuses atomics whose semantics order accesses to other memories: the IR would let those pass (SPIR-V
// specification, 3.25: Acquire, Release, AcquireRelease and SequentiallyConsistent).
func (l *lifter) relaxedOrder(semantics []uint32) {
	for _, id := range semantics {
		if n, ok := l.x.constant(spirv.ID(id)); ok && n&0x1e != 0 {
			l.unsupported("its semantics order accesses to other memories")
		}
	}
}

// fixed describes operands that are constants: scopes and memory semantics.
func (l *lifter) fixed(ids []uint32) (key string) {
	for _, id := range ids {
		n, ok := l.x.constant(spirv.ID(id))
		if !ok {
			l.unsupported("its scope or its semantics are not constant")
		}
		key += fmt.Sprint(" ", n)
	}
	return key
}

// arrayLength lifts OpArrayLength: a constant of the descriptor.
func (l *lifter) arrayLength(fr *frame, in *spirv.Inst) {
	q := l.target(fr, in.Args[0])
	if q == nil || q.elementID != 0 {
		l.unsupported("its buffer is not known")
		return
	}
	x := l.begin(ir.OpFetchX)
	x.Imm = l.access(in, fmt.Sprint(l.x.elementKey(q.v, q.element), in.Args[1]))
	l.block(q.v, q.element, false)
	l.define(in, l.finish(x, Uint, 1))
}

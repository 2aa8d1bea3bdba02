package spvs

import (
	"fmt"
	"math"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// handle is an image, a sampler, or both.
type handle struct {
	image, sampler *pointer
	shape          *imageShape
}

// handle finds the image or the sampler that an instruction loads or combines.
func (p *places) handle(fr *frame, at int, in *spirv.Inst) *asm.Diag {
	t := p.x.types[in.Type]
	if in.Op != spirv.OpLoad {
		image := fr.handles[spirv.ID(in.Args[0])]
		if image == nil || image.image == nil {
			return p.x.errorAt(at, "not-supported", "the image %%%d is not known", in.Args[0])
		}
		h := &handle{image: p.marked(image.image, in.Result), shape: image.shape}
		if in.Op == spirv.OpSampledImage {
			sampler := fr.handles[spirv.ID(in.Args[1])]
			if sampler == nil || sampler.sampler == nil {
				return p.x.errorAt(at, "not-supported", "the sampler %%%d is not known", in.Args[1])
			}
			h.sampler = p.marked(sampler.sampler, in.Result)
		}
		fr.handles[in.Result] = h
		return nil
	}
	q, err := p.pointerArg(fr, at, in.Args[0])
	if err != nil || t == nil {
		return err
	}
	q = p.marked(q, in.Result)
	switch t.kind {
	case imageType:
		fr.handles[in.Result] = &handle{image: q, shape: t.image}
	case samplerType:
		fr.handles[in.Result] = &handle{sampler: q}
	case sampledImageType:
		fr.handles[in.Result] = &handle{image: q, sampler: q, shape: t.elem.image}
	default:
		return p.stateOf(fr, in)
	}
	p.dynamic(q)
	return nil
}

// marked returns q for the result of an instruction. A descriptor is divergent only if the result says so, too.
func (p *places) marked(q *pointer, result spirv.ID) *pointer {
	if !q.divergent || has(p.x.decorations[result], spirv.DecorationNonUniform) {
		return q
	}
	uniform := *q
	uniform.divergent = false
	return &uniform
}

// stateOf numbers the states of the memories that an instruction accesses, before code that ends the invocation is
// lifted.
func (p *places) stateOf(fr *frame, in *spirv.Inst) *asm.Diag {
	if q, _ := p.memoryAccess(fr, in); q != nil {
		p.accessed(q)
	}
	return nil
}

// memoryAccess returns the memory of a buffer or an image that an instruction accesses, and whether it may write it.
func (p *places) memoryAccess(fr *frame, in *spirv.Inst) (q *pointer, write bool) {
	switch in.Op {
	case spirv.OpLoad, spirv.OpStore:
		if q = p.pointer(fr, spirv.ID(in.Args[0])); q != nil && q.v.isBlock() {
			return q, in.Op == spirv.OpStore
		}
	case spirv.OpImageRead, spirv.OpImageWrite:
		h := fr.handles[spirv.ID(in.Args[0])]
		if h == nil || h.image == nil || h.shape.dim == spirv.DimSubpassData {
			return nil, false
		}
		texel := *h.image
		texel.texel = -1
		return &texel, in.Op == spirv.OpImageWrite
	}
	if isAtomic(in.Op) {
		return p.pointer(fr, spirv.ID(in.Args[0])), true
	}
	return nil, false
}

// isAtomic reports whether op is an atomic access through a pointer.
func isAtomic(op spirv.Op) bool {
	return op >= spirv.OpAtomicLoad && op <= spirv.OpAtomicXor && op != spirv.OpAtomicCompareExchangeWeak
}

// isFence reports whether op orders the accesses to all memories.
func isFence(op spirv.Op) bool {
	switch op {
	case spirv.OpControlBarrier, spirv.OpMemoryBarrier, spirv.OpBeginInvocationInterlockEXT, spirv.OpEndInvocationInterlockEXT:
		return true
	}
	return false
}

// image finds the accesses of instructions to images, and of atomics.
func (l *liveness) image(fr *frame, in *spirv.Inst) {
	if isFence(in.Op) {
		l.everything()
		return
	}
	q, write := l.memoryAccess(fr, in)
	if q == nil {
		if h := l.handleOf(fr, in); h != nil {
			l.handleIndices(h)
		}
		return
	}
	l.indices(q)
	if p, ok := l.accessed(q); ok {
		l.read(p)
		if write {
			l.write(p)
		}
	}
}

// everything reads and writes all memories that others see.
func (l *liveness) everything() {
	for _, slot := range l.shared {
		l.read(place{slot, 1})
	}
	for _, slot := range l.shared {
		l.write(place{slot, 1})
	}
}

// handleOf returns the image that an instruction reads, or nil.
func (p *places) handleOf(fr *frame, in *spirv.Inst) *handle {
	if len(in.Args) == 0 || in.Op < spirv.OpImageSampleImplicitLod || in.Op > spirv.OpImageQuerySamples {
		return nil
	}
	return fr.handles[spirv.ID(in.Args[0])]
}

// handleIndices reads the dynamic indices of descriptors.
func (l *liveness) handleIndices(h *handle) {
	for _, q := range []*pointer{h.image, h.sampler} {
		if q != nil {
			l.indices(q)
		}
	}
}

// makeDims returns the table dims, which are the shapes of images that ir.Dim has.
func makeDims() map[spirv.Dim][2]ir.Dim {
	return map[spirv.Dim][2]ir.Dim{ // single, arrayed
		spirv.Dim1D: {ir.Dim1D, ir.Dim1DArray}, spirv.Dim2D: {ir.Dim2D, ir.Dim2DArray}, spirv.Dim3D: {ir.DimVolume},
		spirv.DimCube: {ir.DimCube, ir.DimCubeArray}, spirv.DimBuffer: {ir.DimBuffer}, spirv.DimRect: {ir.Dim2D},
	}
}

func (s *imageShape) dimension() ir.Dim {
	if s.arrayed {
		return dims[s.dim][1]
	}
	return dims[s.dim][0]
}

// imageInstruction lifts an instruction on images, an atomic or a fence. It reports false for others.
func (l *lifter) imageInstruction(fr *frame, in *spirv.Inst) bool {
	switch {
	case isAtomic(in.Op):
		l.atomic(fr, in)
		return true
	case isFence(in.Op):
		if in.Op == spirv.OpControlBarrier && l.entry.Model != spirv.ExecutionModelGLCompute {
			l.unsupported("only work groups wait")
		}
		x := l.begin(ir.OpFence)
		x.Imm = l.access(in, l.fixed(in.Args))
		l.Thread(x, l.shared...)
		*l.Code = append(*l.Code, x)
		return true
	case in.Op == spirv.OpArrayLength:
		l.arrayLength(fr, in)
		return true
	}
	if in.Op < spirv.OpImageSampleImplicitLod || in.Op > spirv.OpImageQuerySamples {
		return false
	}
	h := fr.handles[spirv.ID(in.Args[0])]
	if h == nil || h.image == nil {
		l.unsupported("its image is not known")
		return true
	}
	if in.Op == spirv.OpImageRead && h.shape.dim != spirv.DimSubpassData || in.Op == spirv.OpImageWrite {
		l.imageMemory(in, h)
		return true
	}
	l.fetch(in, h)
	return true
}

// fetchParts are the operands of a fetch.
type fetchParts struct {
	mask  uint32
	coord []*ir.Value
	// depth is the reference of a comparison. lod is the bias or the level. sample is the sample of a texel, or the
	// component of a gather. least is the least level.
	depth, lod, sample, least *ir.Value
	dx, dy, offset            []*ir.Value
	constant                  []int32 // the constant offset, or several
}

// fetch lifts a read of an image. The kinds that Direct3D 9 has too have an op each. The others are ir.OpFetchX: Imm is
// the number of a description, and the lanes of sources are
//
//	0: the coordinates
//	1: the depth to compare with; bias or level; sample, or component of a gather; the least level
//	2: the derivatives along x, or the dynamic offset; then the index of the image in an array
//	3: the derivatives along y; then the index of the sampler in an array
func (l *lifter) fetch(in *spirv.Inst, h *handle) {
	s := l.x.types[in.Type]
	if !s.isValue() || s.lanes > 4 {
		l.unsupported("its type is not a value of numbers with 32 bits")
		return
	}
	p, ok := l.fetchParts(in, h)
	if !ok {
		l.unsupported("its image operands are not supported")
		return
	}
	unit := l.names.number(nameTexture, l.textureKey(h))
	if unit > math.MaxUint8 {
		l.fail("too-large", "the programs use more than %d textures", math.MaxUint8+1)
		return
	}
	x := l.begin(ir.OpFetchX)
	x.Res = ir.Resource{Unit: uint8(unit), Dim: h.shape.dimension()}
	if !l.commonFetch(x, in, h, p) {
		x.Op, x.Res.Offset = ir.OpFetchX, [3]int8{}
		x.Imm = l.access(in, fmt.Sprint(p.mask, h.shape.dim, h.shape.arrayed, h.shape.multi, p.constant))
		src := [4]ir.Operand{operand(p.coord), {{V: p.depth}, {V: p.lod}, {V: p.sample}, {V: p.least}}, operand(p.dx),
			operand(p.dy)}
		if p.offset != nil {
			src[2] = operand(p.offset)
		}
		if h.image.elementID != 0 {
			src[2][3].V = l.index(h.image.elementID)
		}
		if h.sampler != nil && h.sampler.elementID != 0 {
			src[3][3].V = l.index(h.sampler.elementID)
		}
		x.Src = append(x.Src, src[:]...)
	}
	l.arithmetic(x, in.Result)
	l.define(in, l.finish(x, s.scalar, s.lanes))
}

// textureKey returns the identity of an image and its sampler.
func (l *lifter) textureKey(h *handle) string {
	key := l.descriptorKey(h.image) + "/"
	if h.sampler != nil && h.sampler != h.image {
		key += l.descriptorKey(h.sampler)
	}
	return key
}

// descriptorKey returns the identity of a descriptor. Dynamic elements are operands.
func (l *lifter) descriptorKey(q *pointer) string {
	if q.elementID != 0 {
		return fmt.Sprint(l.x.resourceKey(q.v), "[]", q.divergent)
	}
	return l.x.elementKey(q.v, q.element)
}

// access returns the number of the description of an access.
func (l *lifter) access(in *spirv.Inst, more string) uint32 {
	return uint32(l.names.number(nameAccess, in.Op.String()+" "+more)) + 1
}

// commonFetch makes x one of the common kinds of fetches. It reports false if the fetch is of another kind.
func (l *lifter) commonFetch(x *ir.Instr, in *spirv.Inst, h *handle, p *fetchParts) bool {
	n := x.Res.Dim.Coords()
	if h.image.elementID != 0 || h.sampler != nil && h.sampler.elementID != 0 || h.shape.multi || len(p.coord) < n ||
		x.Res.Dim == ir.DimNone || p.offset != nil || p.least != nil {
		return false
	}
	offset, ok := texelOffset(p.constant)
	if !ok {
		return false
	}
	x.Res.Offset = offset
	coord := operand(p.coord[:n])
	switch in.Op {
	case spirv.OpImageSampleImplicitLod:
		x.Op = ir.OpFetch
		if p.lod != nil {
			x.Op = ir.OpFetchBias
		}
	case spirv.OpImageSampleExplicitLod:
		if x.Op = ir.OpFetchLod; p.dx != nil {
			x.Op = ir.OpFetchGrad
		}
	case spirv.OpImageFetch:
		x.Op = ir.OpTexelLoad
	default:
		return false
	}
	switch {
	case x.Op == ir.OpFetchGrad:
		if len(p.dx) != n || len(p.dy) != n {
			return false
		}
		x.Src = append(x.Src, coord, operand(p.dx), operand(p.dy))
	case p.lod != nil && n > 3:
		return false
	default:
		if p.lod != nil {
			coord[3].V = p.lod
		}
		x.Src = append(x.Src, coord)
	}
	return true
}

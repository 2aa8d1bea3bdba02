package spvs

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// variable is a variable of the module that the entry point uses.
type variable struct {
	id    spirv.ID
	at    int // number of OpVariable
	class spirv.StorageClass
	shape *shape // of the memory that the variable names
	// elements is the number of descriptors of an array of blocks or images, 1 for a single one, and 0 for an unknown
	// number. shape is the type of an element then.
	elements int
	arrayed  bool // a descriptor has to be selected
	// first is the first slot of its lanes. Variables in memory, and images and buffers that the program writes, have
	// one slot for their state.
	first int
	// memory is set for a variable that is accessed with a dynamic index. array is its number in Program.Arrays.
	memory bool
	array  int
	regs   []ir.Reg // of inputs and outputs, by lane
}

// pointer is the target of a pointer: a part of a variable. Offsets count lanes and registers of the variable, or bytes
// of a block.
type pointer struct {
	v     *variable
	shape *shape
	// element selects a descriptor of an array, dynamically by elementID if that is set.
	selected  bool
	element   int
	elementID spirv.ID
	lane      int
	register  int
	byte      int
	steps     []step
	path      []spirv.ID // the indices behind the variable
	// vector is the number of components of a vector that the pointer selects one from, or 0. offset is its number,
	// unless it is the dynamic index component.
	vector, offset int
	component      spirv.ID
	// columnStride and rowStride are the bytes between columns and components of a matrix in a block.
	columnStride, rowStride int
	// volatile is set for memory that other invocations may change at any time.
	volatile bool
	// relaxed is set for a member with relaxed precision, and divergent for a descriptor with the decoration NonUniform.
	relaxed, divergent bool
	// texel is the number of the OpImageTexelPointer that made the pointer, -1 for another texel, or 0.
	texel int
}

// step adds a dynamic index times a stride.
type step struct {
	index     spirv.ID
	registers int
	bytes     int
}

// isBlock reports whether a variable is a buffer or push constants.
func (v *variable) isBlock() bool {
	switch v.class {
	case spirv.StorageClassUniform, spirv.StorageClassPushConstant, spirv.StorageClassStorageBuffer:
		return true
	}
	return false
}

// readOnly reports whether the program cannot write the block.
func (x *index) readOnly(v *variable) bool {
	return v.class == spirv.StorageClassPushConstant ||
		v.class == spirv.StorageClassUniform && !has(x.decorations[v.shape.id], spirv.DecorationBufferBlock)
}

// newVariable reads OpVariable. It returns nil for a variable without a type.
func (x *index) newVariable(at int) *variable {
	in := &x.Insts[at]
	t := x.types[in.Type]
	if t == nil || t.kind != pointerType || t.elem == nil {
		return nil
	}
	v := &variable{id: in.Result, at: at, class: t.class, shape: t.elem, elements: 1, first: -1}
	if opaque := v.class == spirv.StorageClassUniformConstant; (opaque || v.isBlock()) && v.shape.kind == arrayType {
		v.arrayed, v.elements, v.shape = true, v.shape.count, v.shape.elem
	}
	return v
}

// pointerTo returns the pointer to a whole variable.
func pointerTo(v *variable) *pointer { return &pointer{v: v, shape: v.shape} }

// access follows an access chain from p.
func (x *index) access(p *pointer, at int, indices []uint32) (*pointer, *asm.Diag) {
	q := *p
	q.divergent = has(x.decorations[x.Insts[at].Result], spirv.DecorationNonUniform)
	q.steps = q.steps[:len(q.steps):len(q.steps)]
	for _, id := range indices {
		q.path = append(q.path[:len(q.path):len(q.path)], spirv.ID(id))
	}
	if q.v.arrayed && !q.selected && len(indices) > 0 {
		if n, ok := x.constant(spirv.ID(indices[0])); ok {
			q.element = int(n)
		} else {
			q.elementID = spirv.ID(indices[0])
		}
		q.selected = true
		indices = indices[1:]
	}
	for _, id := range indices {
		if !x.index(&q, spirv.ID(id)) {
			return nil, x.errorAt(at, "not-supported", "index %%%d does not fit the type that it selects from", id)
		}
	}
	return &q, nil
}

// maxBytes bounds offsets in blocks.
const maxBytes = 1 << 30

// index adds one index to p. It reports false if the index does not fit the type.
func (x *index) index(p *pointer, id spirv.ID) bool {
	n, known := x.constant(id)
	s := p.shape
	stride := p.columnStride
	switch s.kind {
	case structType:
		part, lane, ok := s.part(n)
		if !ok || !known {
			return false
		}
		p.lane += lane
		p.register += s.registerAt[n]
		p.shape = part
		return x.memberLayout(p, x.members[member{s.id, n}])
	case vectorType:
		p.vector, p.shape, stride = s.count, s.elem, p.componentStride()
		if !known {
			p.component = id
			return true
		}
		p.offset = int(n)
		p.lane += int(n)
		p.byte += int(n) * stride
		return int64(n) < int64(s.count)
	case arrayType:
		bytes, _ := number(x.decorations[s.id], spirv.DecorationArrayStride)
		stride = int(bytes)
	case matrixType:
	default:
		return false
	}
	p.shape = s.elem
	if !known {
		p.steps = append(p.steps, step{id, s.elem.registers, stride})
		return true
	}
	if int64(n) >= int64(s.count) && s.count > 0 || stride > maxBytes || int(n)*stride > maxBytes-p.byte {
		return false
	}
	p.lane += limited(int(n) * s.elem.lanes)
	p.register += limited(int(n) * s.elem.registers)
	p.byte += int(n) * stride
	return true
}

// memberLayout adds the offset of a member of a block, and reads how it stores matrices.
func (x *index) memberLayout(p *pointer, list []decoration) bool {
	offset, _ := number(list, spirv.DecorationOffset)
	p.columnStride, p.rowStride = 0, 0
	p.volatile = p.volatile || has(list, spirv.DecorationVolatile)
	p.relaxed = p.relaxed || has(list, spirv.DecorationRelaxedPrecision)
	if stride, ok := number(list, spirv.DecorationMatrixStride); ok {
		p.columnStride, p.rowStride = int(min(stride, maxBytes)), 4
		if has(list, spirv.DecorationRowMajor) {
			p.columnStride, p.rowStride = 4, p.columnStride
		}
	}
	p.byte += int(offset)
	return p.byte <= maxBytes
}

// componentStride returns the bytes between the components of a vector in a block.
func (p *pointer) componentStride() int {
	if p.rowStride > 0 {
		return p.rowStride
	}
	return 4
}

// constant returns the value of an integer constant of 32 bits that is known.
func (x *index) constant(id spirv.ID) (uint32, bool) {
	_, in := x.definition(id)
	if in == nil {
		return 0, false
	}
	switch in.Op {
	case spirv.OpConstant:
		return in.Args[0], len(in.Args) == 1
	case spirv.OpConstantNull:
		t := x.types[in.Type]
		return 0, t != nil && t.kind == scalarType
	}
	return 0, false
}

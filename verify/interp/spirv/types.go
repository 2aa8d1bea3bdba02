package spirv

// kind is the kind of a type.
type kind uint8

const (
	kindUnsupported kind = iota
	kindVoid
	kindBool
	kindInt
	kindFloat
	kindVector
	kindMatrix
	kindArray
	kindRuntimeArray
	kindStruct
	kindPointer
	kindImage
	kindSampler
	kindSampledImage
	kindFunction
)

// typ is a type. A value of it is a list of 32-bit words, its slots: the scalars in order, one word for an image or a
// sampler, two for a sampled image or a pointer.
type typ struct {
	kind    kind
	signed  bool
	elem    *typ   // of vectors (the scalar), matrices (the column), arrays and pointers
	count   int    // of components, columns or elements
	slots   int    // 0 for types without values
	depth   int    // of nesting
	class   uint32 // of pointers
	members []*typ
	starts  []int // first slot of each member
	image   *imageType

	// The layout in buffers: bytes between elements, byte offsets of members, and the layout of matrices in them.
	stride  uint32
	offsets []uint32
	layouts []matrixLayout
	bytes   uint32 // extent of a struct
	storage bool   // BufferBlock: a storage buffer in the class Uniform
	id      uint32
	cache   map[matrixLayout][]int32 // see leaves
}

// matrixLayout is the layout of a matrix in a buffer.
type matrixLayout struct {
	stride   uint32
	rowMajor bool
}

// imageType describes an image type.
type imageType struct {
	dim     uint32 // 0 1D, 1 2D, 2 3D, 3 cube, 4 rectangle, 5 buffer, 6 subpass
	arrayed bool
	multi   bool
	storage bool
	integer bool // the texels are integers
}

// maxSlots bounds the words of a value, and maxDepth the nesting of types (a universal limit, 2.17).
const (
	maxSlots = 1 << 16
	maxDepth = 255
)

// scalar reports whether t is one number or boolean.
func (t *typ) scalar() bool { return t.kind == kindBool || t.kind == kindInt || t.kind == kindFloat }

// base returns the scalar type of a scalar, vector or matrix, and t itself for others.
func (t *typ) base() *typ {
	for t.kind == kindVector || t.kind == kindMatrix {
		t = t.elem
	}
	return t
}

// unsupported stands for all types that the interpreter cannot execute.
var unsupported = &typ{kind: kindUnsupported}

// addType records the type that an instruction declares. Types that cannot be executed are an error only where they
// are used.
func (c *compiler) addType(in *inst) {
	t := c.newType(in)
	if t == nil || t.slots > maxSlots || t.depth > maxDepth {
		t = unsupported
	}
	c.types[in.result] = t
}

// newType returns the type of a declaration, or nil.
func (c *compiler) newType(in *inst) *typ {
	a := in.args
	elem := unsupported
	if len(a) > 0 {
		elem = c.typeOf(a[0])
	}
	switch in.op {
	case opTypeVoid:
		return &typ{kind: kindVoid}
	case opTypeBool:
		return &typ{kind: kindBool, slots: 1}
	case opTypeInt:
		if len(a) == 2 && a[0] == 32 {
			return &typ{kind: kindInt, slots: 1, signed: a[1] == 1}
		}
	case opTypeFloat:
		if len(a) == 1 && a[0] == 32 {
			return &typ{kind: kindFloat, slots: 1}
		}
	case opTypeVector:
		if len(a) == 2 && elem.scalar() && a[1] >= 2 && a[1] <= 4 {
			return &typ{kind: kindVector, elem: elem, count: int(a[1]), slots: int(a[1])}
		}
	case opTypeMatrix:
		if len(a) == 2 && elem.kind == kindVector && elem.elem.kind == kindFloat && a[1] >= 2 && a[1] <= 4 {
			return &typ{kind: kindMatrix, elem: elem, count: int(a[1]), slots: int(a[1]) * elem.count}
		}
	case opTypeArray, opTypeRuntimeArray:
		return c.newArray(in, elem)
	case opTypeStruct:
		return c.newStruct(in)
	case opTypePointer:
		if len(a) == 2 {
			return &typ{kind: kindPointer, class: a[0], elem: c.typeOf(a[1]), slots: 2}
		}
	case opTypeImage:
		if len(a) >= 7 && elem.scalar() && a[1] <= 6 {
			return &typ{kind: kindImage, slots: 1, image: &imageType{dim: a[1], arrayed: a[3] == 1, multi: a[4] == 1,
				storage: a[5] == 2, integer: elem.kind == kindInt}}
		}
	case opTypeSampler:
		return &typ{kind: kindSampler, slots: 1}
	case opTypeSampledImage:
		if elem.kind == kindImage {
			return &typ{kind: kindSampledImage, slots: 2, image: elem.image}
		}
	case opTypeFunction:
		return &typ{kind: kindFunction}
	}
	return nil
}

// newArray returns an array type. A runtime array has no slots of its own.
func (c *compiler) newArray(in *inst, elem *typ) *typ {
	t := &typ{kind: kindRuntimeArray, elem: elem, depth: elem.depth + 1}
	t.stride, _ = find(c.m.decorations[in.result], decorationArrayStride)
	if elem.kind == kindUnsupported {
		return nil
	}
	if in.op == opTypeRuntimeArray {
		return t
	}
	if len(in.args) != 2 {
		return nil
	}
	n, ok := c.constantWord(in.args[1])
	if !ok || n > maxSlots {
		return nil
	}
	t.kind, t.count, t.slots = kindArray, int(n), int(n)*elem.slots
	return t
}

// newStruct returns a struct type.
func (c *compiler) newStruct(in *inst) *typ {
	t := &typ{kind: kindStruct, id: in.result}
	_, t.storage = find(c.m.decorations[in.result], decorationBufferBlock)
	for i, id := range in.args {
		e := c.typeOf(id)
		if e.kind == kindUnsupported || t.slots > maxSlots {
			return nil
		}
		list := c.m.members[member{in.result, uint32(i)}]
		offset, _ := find(list, decorationOffset)
		layout := matrixLayout{}
		layout.stride, _ = find(list, decorationMatrixStride)
		_, layout.rowMajor = find(list, decorationRowMajor)
		t.members, t.starts = append(t.members, e), append(t.starts, t.slots)
		t.offsets, t.layouts = append(t.offsets, offset), append(t.layouts, layout)
		t.slots += e.slots
		t.bytes = max(t.bytes, offset+e.extent(layout))
		t.depth = max(t.depth, e.depth+1)
	}
	return t
}

// typeOf returns the type with an id.
func (c *compiler) typeOf(id uint32) *typ {
	if t := c.types[id]; t != nil {
		return t
	}
	return unsupported
}

// leaves returns the byte offset of each slot of a value in a buffer. A matrix, or a column of one, has the given
// layout. All instructions share the list, which must not change.
func (t *typ) leaves(mat matrixLayout) []int32 {
	if list, ok := t.cache[mat]; ok {
		return list
	}
	list := t.appendLeaves(make([]int32, 0, t.slots), 0, mat)
	if t.cache == nil {
		t.cache = map[matrixLayout][]int32{}
	}
	t.cache[mat] = list
	return list
}

// appendLeaves appends the leaves of a value at a byte offset to list.
func (t *typ) appendLeaves(list []int32, at uint32, mat matrixLayout) []int32 {
	if t.slots == 0 {
		return list
	}
	switch t.kind {
	case kindVector, kindMatrix, kindArray:
		for i := range t.count {
			list = t.elem.appendLeaves(list, at+uint32(i)*t.elementStride(mat), mat)
		}
	case kindStruct:
		for i, e := range t.members {
			list = e.appendLeaves(list, at+t.offsets[i], t.layouts[i])
		}
	default:
		for range t.slots {
			list = append(list, int32(at))
		}
	}
	return list
}

// elementStride returns the bytes between elements of a vector, matrix or array in a buffer.
func (t *typ) elementStride(mat matrixLayout) uint32 {
	switch t.kind {
	case kindVector:
		return mat.componentStride()
	case kindMatrix:
		return mat.columnStride()
	}
	return t.stride
}

// extent returns the number of bytes of a value in a buffer. Elements lie in order.
func (t *typ) extent(mat matrixLayout) uint32 {
	switch {
	case t.slots == 0:
		return 0
	case t.kind == kindVector || t.kind == kindMatrix || t.kind == kindArray:
		return uint32(t.count-1)*t.elementStride(mat) + t.elem.extent(mat)
	case t.kind == kindStruct:
		return t.bytes
	}
	return 4
}

// componentStride returns the bytes between components of a column.
func (l matrixLayout) componentStride() uint32 {
	if l.rowMajor {
		return l.stride
	}
	return 4
}

// columnStride returns the bytes between columns.
func (l matrixLayout) columnStride() uint32 {
	if l.rowMajor {
		return 4
	}
	return l.stride
}

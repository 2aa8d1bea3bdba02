package spvs

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/spirv"
)

// Scalar is the type of a lane.
type Scalar uint8

// The types of lanes.
const (
	NoScalar Scalar = iota
	Float
	Int
	Uint
	Bool // all ones or zero
)

// typeKind is the kind of a type.
type typeKind uint8

const (
	otherType typeKind = iota // without lanes: void, functions, ray queries
	scalarType
	vectorType
	matrixType
	arrayType
	structType
	pointerType
	imageType
	samplerType
	sampledImageType
)

// maxLanes bounds the lanes of a type: larger types cannot be values.
const maxLanes = 1 << 16

// shape is a type. Lanes are in order of declaration: a matrix by columns, an array by elements. In memory, scalars,
// vectors and columns of matrices take a register of four lanes each.
type shape struct {
	id     spirv.ID
	kind   typeKind
	scalar Scalar // of a scalar, and of the components of a vector or a matrix
	// wide is set for types with scalars of other widths than 32 bits, which have no lanes.
	wide bool
	// elem is the component of a vector, the column of a matrix, the element of an array, the target of a pointer, and
	// the image of a sampled image. It is nil for a forward pointer.
	elem  *shape
	count int // of components, columns or elements; 0 for a runtime array
	// sized is set if a specialization constant gives the length of an array.
	sized bool
	class spirv.StorageClass
	// members and the offsets of their first lanes and registers, of a struct.
	members            []*shape
	laneAt, registerAt []int
	lanes, registers   int
	numbers            bool // it consists of scalars alone
	image              *imageShape
}

// imageShape is the type of an image.
type imageShape struct {
	dim     spirv.Dim
	arrayed bool
	multi   bool
	sampled Scalar
}

// readTypes reads all types in order: a type refers only to types before it, except for forward pointers.
func (x *index) readTypes() error {
	for i := range x.Insts {
		in := &x.Insts[i]
		if in.Op == spirv.OpFunction {
			break
		}
		if in.Op < spirv.OpTypeVoid || in.Op > spirv.OpTypePipe {
			if in.Op != spirv.OpTypeAccelerationStructureKHR && in.Op != spirv.OpTypeRayQueryKHR {
				continue
			}
		}
		s, ok := x.readType(in)
		if !ok {
			return asm.Diags{x.errorAt(i, "not-supported", "%v has operands that are not supported", in.Op)}
		}
		s.id = in.Result
		x.types[in.Result] = s
	}
	return nil
}

// readType reads one type. ok is false if it refers to a wrong type.
func (x *index) readType(in *spirv.Inst) (s *shape, ok bool) {
	s = &shape{}
	switch in.Op {
	case spirv.OpTypeBool:
		s.oneLane(Bool, 32)
	case spirv.OpTypeInt:
		s.oneLane(Int, in.Args[0])
		if in.Args[1] == 0 {
			s.oneLane(Uint, in.Args[0])
		}
	case spirv.OpTypeFloat:
		s.oneLane(Float, in.Args[0])
	case spirv.OpTypeVector, spirv.OpTypeMatrix:
		return s, s.vector(in.Op, x.types[spirv.ID(in.Args[0])], in.Args[1])
	case spirv.OpTypeArray:
		return s, x.array(s, in)
	case spirv.OpTypeRuntimeArray:
		s.kind, s.elem = arrayType, x.declared(in.Args[0])
	case spirv.OpTypeStruct:
		return s, x.structure(s, in)
	case spirv.OpTypePointer:
		s.kind, s.class, s.elem = pointerType, spirv.StorageClass(in.Args[0]), x.types[spirv.ID(in.Args[1])]
	case spirv.OpTypeImage:
		t := x.types[spirv.ID(in.Args[0])]
		s.kind = imageType
		s.image = &imageShape{dim: spirv.Dim(in.Args[1]), arrayed: in.Args[3] == 1, multi: in.Args[4] == 1}
		if t != nil && !t.wide {
			s.image.sampled = t.scalar
		}
	case spirv.OpTypeSampler:
		s.kind = samplerType
	case spirv.OpTypeSampledImage:
		s.kind, s.elem = sampledImageType, x.types[spirv.ID(in.Args[0])]
		return s, s.elem != nil && s.elem.kind == imageType
	}
	return s, true
}

// oneLane makes s a scalar.
func (s *shape) oneLane(t Scalar, width uint32) {
	s.kind, s.scalar, s.wide, s.lanes, s.registers, s.numbers = scalarType, t, width != 32, 1, 1, true
}

// vector makes s a vector or a matrix of count components or columns.
func (s *shape) vector(op spirv.Op, elem *shape, count uint32) bool {
	s.kind = vectorType
	want := scalarType
	if op == spirv.OpTypeMatrix {
		s.kind, want = matrixType, vectorType
	}
	if elem == nil || elem.kind != want || count < 2 {
		return false
	}
	s.elem, s.count, s.scalar, s.numbers = elem, int(min(count, 4)), elem.scalar, true
	s.wide = elem.wide || count > 4
	s.lanes, s.registers = elem.lanes*s.count, 1
	if op == spirv.OpTypeMatrix {
		s.registers = s.count
	}
	return true
}

// declared returns a type, or a pointer that is declared later.
func (x *index) declared(id uint32) *shape {
	if s := x.types[spirv.ID(id)]; s != nil {
		return s
	}
	return &shape{kind: pointerType}
}

// array makes s an array with a constant length.
func (x *index) array(s *shape, in *spirv.Inst) bool {
	s.kind, s.elem = arrayType, x.declared(in.Args[0])
	_, c := x.definition(spirv.ID(in.Args[1]))
	if c == nil {
		return false
	}
	if c.Op != spirv.OpConstant { // a specialization constant
		s.sized, s.wide = true, s.elem.wide
		return true
	}
	s.count, s.wide, s.numbers = int(c.Args[0]), s.elem.wide, s.elem.numbers
	s.lanes, s.registers = limited(s.count*s.elem.lanes), limited(s.count*s.elem.registers)
	return s.count > 0
}

// structure makes s a struct.
func (x *index) structure(s *shape, in *spirv.Inst) bool {
	s.kind, s.numbers = structType, true
	for _, id := range in.Args {
		m := x.declared(id)
		s.members = append(s.members, m)
		s.laneAt = append(s.laneAt, s.lanes)
		s.registerAt = append(s.registerAt, s.registers)
		s.lanes, s.registers = limited(s.lanes+m.lanes), limited(s.registers+m.registers)
		s.wide, s.numbers = s.wide || m.wide, s.numbers && m.numbers
	}
	return true
}

// limited bounds a number of lanes, so that sums and products cannot overflow.
func limited(n int) int { return min(n, 4*maxLanes) }

// isValue reports whether s is a type of numbers that can be held in lanes.
func (s *shape) isValue() bool { return s != nil && s.numbers && !s.wide && s.lanes <= maxLanes }

// rows returns the number of lanes of a register of s, a scalar, a vector or a matrix.
func (s *shape) rows() int {
	if s.kind == matrixType {
		return s.elem.count
	}
	return s.lanes
}

// part returns a part of s by a constant index, and the offset of its first lane. ok is false if there is none.
func (s *shape) part(n uint32) (part *shape, lane int, ok bool) {
	if s.kind == structType {
		if int64(n) >= int64(len(s.members)) {
			return nil, 0, false
		}
		return s.members[n], s.laneAt[n], true
	}
	if s.elem == nil || s.kind == pointerType || int64(n) >= int64(s.count) {
		return nil, 0, false
	}
	return s.elem, int(n) * s.elem.lanes, true
}

// scalars appends the types of the lanes of s.
func (s *shape) scalars(list []Scalar) []Scalar {
	switch s.kind {
	case scalarType, vectorType, matrixType:
		for range s.lanes {
			list = append(list, s.scalar)
		}
	case arrayType:
		for range s.count {
			list = s.elem.scalars(list)
		}
	case structType:
		for _, m := range s.members {
			list = m.scalars(list)
		}
	}
	return list
}

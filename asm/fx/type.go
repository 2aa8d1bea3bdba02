package fx

import "fmt"

// Class is the kind of a type, numbered as D3DXPARAMETER_CLASS.
type Class uint32

// The classes.
const (
	Scalar Class = iota
	Vector
	MatrixRows
	MatrixColumns
	ObjectClass
	structClass
	numClasses
)

// BaseType is the type of a value's components, numbered as D3DXPARAMETER_TYPE.
type BaseType uint32

// The base types that this project tells apart. baseTypeNames has all of them.
const (
	Int          BaseType = 2
	Float        BaseType = 3
	StringType   BaseType = 4
	Texture2D    BaseType = 7
	samplerType  BaseType = 10
	Sampler2D    BaseType = 12
	samplerCube  BaseType = 14
	PixelShader  BaseType = 15
	VertexShader BaseType = 16
)

var baseTypeNames = [...]string{
	"void", "bool", "int", "float", "string", "texture", "texture1D", "texture2D", "texture3D", "textureCUBE",
	"sampler", "sampler1D", "sampler2D", "sampler3D", "samplerCUBE", "pixelshader", "vertexshader",
}

func (t BaseType) String() string {
	if int(t) < len(baseTypeNames) {
		return baseTypeNames[t]
	}
	return fmt.Sprintf("type%d", uint32(t))
}

// isShader reports whether values are programs.
func (t BaseType) isShader() bool { return t == PixelShader || t == VertexShader }

// isSampler reports whether values are samplers, which have states.
func (t BaseType) isSampler() bool { return samplerType <= t && t <= samplerCube }

// Type is the type of a variable or of a member of a structure, with its name.
// Structures form a tree of at most maxDepth levels.
type Type struct {
	Class          Class
	Type           BaseType
	Name, Semantic String
	Elements       uint32 // 0 if it is not an array
	Rows, Columns  uint32 // of scalars, vectors and matrices
	Members        []Type // of a structure
}

// count returns the number of values of t: 1 if it is not an array.
func (t *Type) count() int { return int(max(t.Elements, 1)) }

// isSamplers reports whether a value of t consists of states rather than words.
func (t *Type) isSamplers() bool { return t.Class == ObjectClass && t.Type.isSampler() }

// maxSize bounds values, in bytes. Products are checked after each factor, so that nothing
// overflows.
const maxSize = 1 << 26

// size returns the size of a value of t in bytes. ok is false for sizes beyond any pool, and for
// samplers, which have no fixed size. Every component takes a word, an object its id; values have
// no gaps.
func (t *Type) size() (n int, ok bool) {
	one := uint64(4)
	switch t.Class {
	case ObjectClass:
		if t.Type.isSampler() {
			return 0, false
		}
	case structClass:
		one = 0
		for i := range t.Members {
			m, ok := t.Members[i].size()
			if one += uint64(m); !ok || one > maxSize {
				return 0, false
			}
		}
	default:
		if one *= uint64(t.Rows); one > maxSize {
			return 0, false
		}
		if one *= uint64(t.Columns); one > maxSize {
			return 0, false
		}
	}
	all := one * max(uint64(t.Elements), 1)
	return int(all), all <= maxSize
}

// String returns the type as HLSL declares it, without the name.
func (t *Type) String() string {
	s := t.Type.String()
	switch t.Class {
	case Vector:
		s += fmt.Sprint(t.Columns)
	case MatrixRows, MatrixColumns:
		s += fmt.Sprintf("%dx%d", t.Rows, t.Columns)
	case structClass:
		s = "struct"
	}
	return s
}

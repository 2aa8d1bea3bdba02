package fx

import (
	"encoding/binary"
	"slices"
)

// Effect is a compiled effect. Records refer to others by number; the package documentation states
// which parts may be changed.
type Effect struct {
	// Wrapper is the header that XNA puts before an effect, or nil.
	Wrapper []byte
	// Pool holds types, values and strings, as in the file. Encode appends data without a place.
	Pool []byte

	Parameters []Parameter
	Techniques []Technique
	// Objects are the objects of parameters, by id; Assignments are the values of states.
	Objects     []Object
	Assignments []Assignment

	// ShaderSlots equals CountShaderSlots in effects of fxc. No known reader uses it.
	ShaderSlots uint32
	// ObjectCount exceeds all object ids. Encode raises it if needed.
	ObjectCount uint32
	// Rest holds the bytes after the last record.
	Rest []byte
}

// Place is the location of data in the pool. The zero value means that the data is not there yet.
// Several values may share a place, as equal strings do.
type Place struct {
	Offset uint32
	Kept   bool
}

// String is a name or a semantic. Effects distinguish a missing string from an empty one.
type String struct {
	Text    string
	Present bool
	Place   Place
}

// NewString returns a new string.
func NewString(s string) String { return String{Text: s, Present: true} }

// Variable is a type with a value, the common part of parameters, annotations and states. The type
// includes the name and the semantic.
type Variable struct {
	Type      Type
	TypePlace Place
	// Data is the value, except for samplers: words, least significant byte first. A structure has
	// the words of its members in order, an object its id. Decoded data shares memory with the
	// pool, so replace it instead of writing to it.
	Data []byte
	// Samplers are the states of each element of a value of samplers.
	Samplers [][]State
	// ValuePlace is the place of Data or Samplers, including nested values.
	ValuePlace Place
}

// Words returns a copy of the words of Data.
func (v *Variable) Words() []uint32 { return wordsOf(v.Data) }

// wordsOf returns the whole words of data.
func wordsOf(data []byte) []uint32 {
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return words
}

// SetWords replaces the value and clears its place.
func (v *Variable) SetWords(words ...uint32) {
	v.Data, v.ValuePlace = nil, Place{}
	for _, w := range words {
		v.Data = binary.LittleEndian.AppendUint32(v.Data, w)
	}
}

// Parameter is a variable that the application sets, under the name in its type.
type Parameter struct {
	Variable
	Flags       uint32
	Annotations []Variable
}

// Technique is one way to draw: a sequence of passes, each of which draws everything
// once.
type Technique struct {
	Name        String
	Annotations []Variable
	Passes      []Pass
}

// Pass is a set of states for one draw.
type Pass struct {
	Name        String
	Annotations []Variable
	States      []State
}

// State is one state of a pass or a sampler with its value, unless an Assignment overrides the
// value. Index distinguishes states that exist several times, such as those of texture stages.
type State struct {
	Operation Operation
	Index     uint32
	Variable
}

// Object is a parameter's object: a shader of an array, a string, or a texture, which has no bytes.
type Object struct {
	ID   uint32
	Data []byte
	pad  []byte // padding to a multiple of four, as read
}

// None means no technique or no element.
const None = 0xffffffff

// Assignment is the value of a state that is not a plain value. The value of the state is the id of
// the object.
type Assignment struct {
	// The state: of a pass, by technique, pass (Index) and number; or, if Technique is
	// None, of a sampler, by parameter (Index), element and number.
	Technique, Index, Element, State uint32
	Usage                            Usage
	Data                             []byte
	pad                              []byte
}

// Usage is the kind of data in an assignment.
type Usage uint32

const (
	// literal is bytecode, or an expression if the state is a number.
	literal Usage = iota
	// Reference is the name of a parameter that provides the value, with a NUL.
	Reference
	// Selection is the name of an array, and an expression for the element index. See selector.
	Selection
)

// target returns the state of a, or nil if it does not exist. A sampler outside an array has the
// element None.
func (e *Effect) target(a *Assignment) *State {
	if a.Technique == None {
		if a.Index >= uint32(len(e.Parameters)) {
			return nil
		}
		samplers, k := e.Parameters[a.Index].Samplers, a.Element
		if k == None {
			k = 0
		}
		if k >= uint32(len(samplers)) || a.State >= uint32(len(samplers[k])) {
			return nil
		}
		return &samplers[k][a.State]
	}
	if a.Technique >= uint32(len(e.Techniques)) {
		return nil
	}
	passes := e.Techniques[a.Technique].Passes
	if a.Index >= uint32(len(passes)) || a.State >= uint32(len(passes[a.Index].States)) {
		return nil
	}
	return &passes[a.Index].States[a.State]
}

// SetsState reports whether a pass sets a state with one of some operations to a nonzero value or to an
// expression. It ignores states of samplers.
func (e *Effect) SetsState(some func(Operation) bool) bool {
	computed := map[*State]bool{}
	for i := range e.Assignments {
		computed[e.target(&e.Assignments[i])] = true
	}
	for i := range e.Techniques {
		for j := range e.Techniques[i].Passes {
			states := e.Techniques[i].Passes[j].States
			for k := range states {
				s := &states[k]
				if some(s.Operation) && (computed[s] || slices.ContainsFunc(s.Words(), func(w uint32) bool { return w != 0 })) {
					return true
				}
			}
		}
	}
	return false
}

// CountShaderSlots counts like fxc: passes, shaders in states, elements of parameters that are
// shaders, and samplers.
func (e *Effect) CountShaderSlots() uint32 {
	n := 0
	for i := range e.Techniques {
		for j := range e.Techniques[i].Passes {
			n++
			for _, s := range e.Techniques[i].Passes[j].States {
				if s.Type.Type.isShader() {
					n++
				}
			}
		}
	}
	for i := range e.Parameters {
		if p := &e.Parameters[i]; p.Type.Type.isShader() {
			n += p.Type.count()
		} else {
			n += len(p.Samplers)
		}
	}
	return uint32(n)
}

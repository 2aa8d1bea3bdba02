package fx

import (
	"encoding/binary"
	"slices"
)

// Effect is a compiled effect. Records hold numbers of others, not pointers; see the
// package's documentation for what may be changed.
type Effect struct {
	// Wrapper is the header that XNA puts before an effect, nil where there is none.
	Wrapper []byte
	// Pool holds types, values and strings. It is that of the file; Encode appends what has
	// no place in it yet.
	Pool []byte

	Parameters []Parameter
	Techniques []Technique
	// Objects are what parameters own, by id; Assignments what states are set to.
	Objects     []Object
	Assignments []Assignment

	// ShaderSlots is what CountShaderSlots says in effects of fxc. No known reader uses it.
	ShaderSlots uint32
	// ObjectCount is more than the largest object id, all ids being below it. Encode raises
	// it where that is needed.
	ObjectCount uint32
	// Rest is what follows the last record.
	Rest []byte
}

// Place is where in the pool something is, if it is there already: the zero value is
// that of something new. Several things may share a place, as equal strings do.
type Place struct {
	Offset uint32
	Kept   bool
}

// String is a name or a semantic. Effects tell no string from an empty one.
type String struct {
	Text    string
	Present bool
	Place   Place
}

// Str is a new string.
func Str(s string) String { return String{Text: s, Present: true} }

// Variable is a type and a value of it, which is what parameters, annotations and states
// have in common. The name and the semantic are part of the type.
type Variable struct {
	Type      Type
	TypePlace Place
	// Data is the value of anything but samplers: words, least significant byte first, of a
	// structure those of its members in order, of objects their ids. As read it shares its
	// memory with the pool: it is replaced, not written to.
	Data []byte
	// Samplers are the states of each element of a value of samplers.
	Samplers [][]State
	// ValuePlace is where Data or Samplers are, with all that is in them.
	ValuePlace Place
}

// Words are the words of Data, a copy.
func (v *Variable) Words() []uint32 { return wordsOf(v.Data) }

// wordsOf is the whole words of data.
func wordsOf(data []byte) []uint32 {
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return words
}

// SetWords replaces the value, which gets a new place.
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

// Pass is the states that one draw is made with.
type Pass struct {
	Name        String
	Annotations []Variable
	States      []State
}

// State is one state of a pass or a sampler, and what it is set to: the value, unless
// an Assignment says more. Index tells apart states that there are several of, such as
// textures of stages.
type State struct {
	Operation Operation
	Index     uint32
	Variable
}

// Object is something that a parameter owns: the shader of an array, a string, or a
// texture, which has no bytes.
type Object struct {
	ID   uint32
	Data []byte
	pad  []byte // up to a multiple of four, as read
}

// None is the number of no technique, and of no element.
const None = 0xffffffff

// Assignment is what a state is set to where that is no plain value. The id of the object
// is the value of the state.
type Assignment struct {
	// The state: of a pass, by technique, pass (Index) and number; or, if Technique is
	// None, of a sampler, by parameter (Index), element and number.
	Technique, Index, Element, State uint32
	Usage                            Usage
	Data                             []byte
	pad                              []byte
}

// Usage is what the bytes of an assignment are.
type Usage uint32

const (
	// Literal is bytecode, or an expression where the state is a number.
	Literal Usage = iota
	// Reference is the name of a parameter that the state is set to, with a NUL.
	Reference
	// Selection is the name of an array, and an expression for the element. See Selector.
	Selection
)

// target is the state that a belongs to, nil if there is none. A sampler that is no
// array's has the element None.
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

// Sets reports whether a pass sets a state with one of some operations to anything but
// zero, or to what an expression gives. Of samplers nothing is said.
func (e *Effect) Sets(some func(Operation) bool) bool {
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

// CountShaderSlots counts as fxc does: passes, shaders that states set, elements of
// parameters that are shaders, and samplers.
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

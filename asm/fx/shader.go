package fx

import "github.com/shaderlift/shaderlift/asm/d3d9"

// Source is the origin of a pass's program for a stage.
type Source uint8

const (
	Inherited Source = iota // no state: the previous program stays
	noProgram
	owned      // bytecode of the pass
	Selected   // an element of an array that an expression selects
	Referenced // a parameter
	unclear    // other forms, or an object with several owners
)

// Shader is bytecode in an effect, from a state of a pass or an element of a parameter.
type Shader struct {
	Stage d3d9.Stage
	// The pass and its state; or Technique is None, and Parameter and Element are set.
	Technique, Pass, State int
	Parameter, Element     int
	// Data points to the bytecode in the effect; assign to *Data to replace it.
	Data *[]byte
}

// InPass reports whether a state of a pass owns s.
func (s *Shader) InPass() bool { return s.Technique >= 0 }

// Shaders lists the bytecode in e: the programs that passes own, pass by pass, then the elements of
// parameters. If several values refer to one program, it is listed once, for the first. Shaders
// omits objects that several records write, and shaders of passes with several owners.
func (e *Effect) Shaders() []Shader {
	x := e.index()
	var all []Shader
	for t := range e.Techniques {
		for p := range e.Techniques[t].Passes {
			for _, stage := range [...]d3d9.Stage{d3d9.Vertex, d3d9.Pixel} {
				source, state, a := x.source(t, p, stage)
				if source == owned {
					all = append(all, Shader{Stage: stage, Technique: t, Pass: p, State: state, Data: &a.Data})
				}
			}
		}
	}
	seen := map[uint32]bool{}
	for i := range e.Parameters {
		v := &e.Parameters[i].Variable
		if !v.Type.Type.isShader() || v.Type.Class != ObjectClass {
			continue
		}
		for k, id := range v.Words() {
			if o := x.objects[id]; o != nil && x.writers[id] == 1 && len(o.Data) > 0 && !seen[id] {
				seen[id] = true
				all = append(all, Shader{Stage: stageOf(v.Type.Type), Technique: -1, Parameter: i, Element: k, Data: &o.Data})
			}
		}
	}
	return all
}

// Sources returns the origins of the passes' programs, by technique, pass and stage.
func (e *Effect) Sources() [][][2]Source {
	x := e.index()
	all := make([][][2]Source, len(e.Techniques))
	for t := range e.Techniques {
		all[t] = make([][2]Source, len(e.Techniques[t].Passes))
		for p := range all[t] {
			for _, stage := range [...]d3d9.Stage{d3d9.Vertex, d3d9.Pixel} {
				all[t][p][stage], _, _ = x.source(t, p, stage)
			}
		}
	}
	return all
}

// stageOf returns the stage of a shader type.
func stageOf(t BaseType) d3d9.Stage {
	if t == VertexShader {
		return d3d9.Vertex
	}
	return d3d9.Pixel
}

// index finds records. Each function that needs it builds it again, because records may have
// changed.
type index struct {
	e           *Effect
	objects     map[uint32]*Object
	assignments map[[4]uint32]*Assignment
	writers     map[uint32]int // number of records that write an object
	values      map[uint32]int // number of values that refer to it
}

// index returns a new index of e.
func (e *Effect) index() *index {
	x := &index{e: e, objects: map[uint32]*Object{}, assignments: map[[4]uint32]*Assignment{}, writers: map[uint32]int{},
		values: map[uint32]int{}}
	for i := range e.Parameters {
		x.count(&e.Parameters[i].Variable)
	}
	for i := range e.Techniques {
		for j := range e.Techniques[i].Passes {
			for k := range e.Techniques[i].Passes[j].States {
				x.count(&e.Techniques[i].Passes[j].States[k].Variable)
			}
		}
	}
	for i := range e.Objects {
		o := &e.Objects[i]
		x.objects[o.ID] = o
		x.writers[o.ID]++
	}
	for i := range e.Assignments {
		a := &e.Assignments[i]
		x.assignments[[...]uint32{a.Technique, a.Index, a.Element, a.State}] = a
		if s := e.target(a); s != nil && s.Type.Class == ObjectClass && len(s.Data) == 4 {
			x.writers[s.Words()[0]]++
		}
	}
	return x
}

// count records the references of a variable to objects.
func (x *index) count(v *Variable) {
	if v.Type.Class == ObjectClass {
		for _, id := range v.Words() {
			x.values[id]++
		}
	}
	for _, states := range v.Samplers {
		for i := range states {
			x.count(&states[i].Variable)
		}
	}
}

// source returns the origin of a pass's program for a stage, the state that sets it, and the
// assignment if that is a program or a name. A program is owned only if the pass can change it
// alone: one record writes the object, and one value refers to it.
func (x *index) source(technique, pass int, stage d3d9.Stage) (Source, int, *Assignment) {
	operation, shader := SetVertexShader, VertexShader
	if stage == d3d9.Pixel {
		operation, shader = SetPixelShader, PixelShader
	}
	source, at, own := Inherited, -1, (*Assignment)(nil)
	for i := range x.e.Techniques[technique].Passes[pass].States {
		s := &x.e.Techniques[technique].Passes[pass].States[i]
		if s.Operation != operation {
			continue
		}
		if source != Inherited { // set twice
			return unclear, at, nil
		}
		source, at = unclear, i
		a := x.assignments[[...]uint32{uint32(technique), uint32(pass), None, uint32(i)}]
		switch {
		// VertexShader = NULL is encoded as a number 0.
		case s.Type.Class != ObjectClass:
			if words := s.Words(); a == nil && len(words) == 1 && words[0] == 0 {
				source = noProgram
			}
		case a == nil || s.Type.Type != shader || s.Type.count() != 1:
		case a.Usage == Selection:
			source, own = Selected, a
		case a.Usage == Reference:
			source, own = Referenced, a
		case a.Usage == literal:
			if id := s.Words()[0]; x.writers[id] == 1 && x.values[id] == 1 {
				source, own = owned, a
			}
		}
	}
	return source, at, own
}

package fx

import (
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
)

// Draw is a combination of programs that a pass may draw with. A change of the interface between a
// vertex and a pixel program has to consider all such pairs.
type Draw struct {
	// Shaders are indices into Shaders for each stage, or NoShader if the stage has no program.
	Shaders [2]int
}

// NoShader is the index of a missing shader.
const NoShader = -1

// maxDraws bounds the draws of a pass, and maxLooks bounds the work of the search. Both only
// protect against malformed files; effects of games have tens of draws.
const (
	maxDraws = 1 << 14
	maxLooks = 1 << 23
)

// Draws lists the program pairs that the passes of e may draw with, each pair once. shaders is the
// result of Shaders. ok is false if Draws cannot determine the programs of some pass. It omits
// passes that have no program of their own.
//
// An expression of parameters may select a program from an array. Draws then considers every
// element that an index selects within its tables, in D3DX or in MojoShader, where an index without
// a table always selects the first program. It assumes that tables keep the values of the file,
// while applications set indices to any value.
func (e *Effect) Draws(shaders []Shader) (draws []Draw, ok bool) {
	known := true
	e.EachPass(shaders, func(_, _ int, of []Draw, ok bool) bool {
		if known = ok; ok {
			draws = append(draws, of...)
		}
		return ok
	})
	if !known {
		return nil, false
	}
	return draws, true
}

// EachPass calls visit with the draws of each pass as Draws lists them, until visit returns false.
func (e *Effect) EachPass(shaders []Shader, visit func(technique, pass int, draws []Draw, ok bool) bool) {
	d := &drawer{e: e, x: e.index(), own: map[[3]int]int{}, objects: map[*[]byte]int{}}
	for i := range shaders {
		s := &shaders[i]
		if s.InPass() {
			d.own[[...]int{s.Technique, s.Pass, int(s.Stage)}] = i
		}
		d.objects[s.Data] = i
	}
	for t := range e.Techniques {
		for p := range e.Techniques[t].Passes {
			of, ok := d.passDraws(t, p)
			d.looks += len(e.Techniques[t].Passes[p].States) + len(of)
			if !visit(t, p, of, ok && d.looks <= maxLooks) {
				return
			}
		}
	}
}

// drawer finds the draws of one effect.
type drawer struct {
	e       *Effect
	x       *index
	own     map[[3]int]int  // indices of shaders by technique, pass and stage
	objects map[*[]byte]int // indices of elements by their bytecode
	// work so far, against maxLooks
	looks int
}

// passDraws lists the draws of a pass. If the same parameter selects both stages, only programs of equal
// indices are paired; otherwise every vertex program may meet every pixel program.
//
//	VertexShader = vsArray[vsIndices[ShaderIndex]];
//	PixelShader  = psArray[psIndices[ShaderIndex]];
func (d *drawer) passDraws(t, p int) (draws []Draw, ok bool) {
	var from [2]choice
	for _, stage := range [...]d3d9.Stage{d3d9.Vertex, d3d9.Pixel} {
		source, _, a := d.x.source(t, p, stage)
		switch source {
		case noProgram:
			from[stage] = choice{elements: []int{NoShader}}
		case owned:
			i, ok := d.own[[...]int{t, p, int(stage)}]
			if !ok {
				return nil, false
			}
			from[stage] = choice{elements: []int{i}}
		case Selected:
			if from[stage], ok = d.choice(a, stage); !ok {
				return nil, false
			}
		// A pass that sets only one stage keeps the previous program of the other, which is
		// unknown.
		case Inherited:
			other, _, _ := d.x.source(t, p, 1-stage)
			return nil, other == Inherited
		default:
			return nil, false
		}
	}
	seen := map[[2]int]bool{}
	add := func(v, p2 int) {
		if pair := [...]int{v, p2}; !seen[pair] && (v != NoShader || p2 != NoShader) {
			seen[pair] = true
			draws = append(draws, Draw{pair})
		}
	}
	vs, ps := &from[d3d9.Vertex], &from[d3d9.Pixel]
	if vs.index == "" || vs.index != ps.index { // independent stages
		vertex, pixel := vs.allElements(), ps.allElements()
		if len(vertex)*len(pixel) > maxDraws {
			return nil, false
		}
		for _, v := range vertex {
			for _, p := range pixel {
				add(v, p)
			}
		}
		return draws, true
	}
	// The clients differ in the indices that are valid, so each has its own draws.
	for _, client := range [...]preshader.Client{preshader.D3DX, preshader.MojoShader} {
		for i := range values(client, vs, ps) {
			v, inV := vs.shaderAt(client, i)
			p, inP := ps.shaderAt(client, i)
			if inV && inP {
				add(v, p)
			}
		}
	}
	return draws, len(draws) <= maxDraws
}

// choice is the set of programs from which a pass selects one for a stage. Elements has one entry
// if there is no selection.
type choice struct {
	elements []int    // shaders of the array
	index    string   // the parameter that selects, or empty if any element is possible
	table    []uint32 // elements by index, or nil if the index is the element number
}

// allElements returns the elements that any index selects.
func (c *choice) allElements() []int {
	if c.index == "" {
		return c.elements
	}
	var list []int
	seen := map[int]bool{}
	for _, client := range [...]preshader.Client{preshader.D3DX, preshader.MojoShader} {
		for i := range values(client, c) {
			if s, ok := c.shaderAt(client, i); ok && !seen[s] {
				seen[s] = true
				list = append(list, s)
			}
		}
	}
	return list
}

// values returns the number of index values, from 0 on, that are valid for all choices: the
// smallest of their table sizes. MojoShader ignores an index without a table, so such choices do
// not limit it; if no choice does, one value represents all.
func values(client preshader.Client, choices ...*choice) int {
	n := -1
	for _, c := range choices {
		size := len(c.table)
		if c.table == nil && client == preshader.MojoShader {
			continue // MojoShader ignores it
		} else if c.table == nil {
			size = len(c.elements)
		}
		if n < 0 || size < n {
			n = size
		}
	}
	if n < 0 {
		return 1
	}
	return n
}

// shaderAt returns the shader that index i selects. ok is false if there is no such element.
func (c *choice) shaderAt(client preshader.Client, i int) (shader int, ok bool) {
	switch {
	case c.table != nil:
		i = int(int32(c.table[i]))
	case client == preshader.MojoShader:
		i = 0
	}
	if i == -1 { // D3DX takes the first one
		i = 0
	}
	if i < 0 || i >= len(c.elements) {
		return 0, false
	}
	return c.elements[i], true
}

// choice reads a Selection. If its expression has none of the known forms, any element is possible,
// and index is empty. ok is false if the array or one of its programs is unknown.
func (d *drawer) choice(a *Assignment, stage d3d9.Stage) (c choice, ok bool) {
	name, code, ok := selector(a.Data)
	if !ok {
		return c, false
	}
	v := d.parameter(name)
	if v == nil || v.Flags&sharedFlag != 0 || d.looks > maxLooks || v.Type.Class != ObjectClass ||
		!v.Type.Type.isShader() || stageOf(v.Type.Type) != stage {
		return c, false
	}
	for _, id := range v.Words() {
		o := d.x.objects[id]
		if o == nil {
			return c, false
		}
		i, ok := d.objects[&o.Data]
		if !ok {
			return c, false
		}
		c.elements = append(c.elements, i)
	}
	c.index, c.table = d.expression(code)
	d.looks += len(d.e.Parameters) + len(c.elements) + len(c.table)
	return c, len(c.elements) > 0 && len(c.elements) <= maxDraws
}

// sharedFlag marks parameters that an effect shares with others of its pool
// (D3DX_PARAMETER_SHARED), so that values may come from there.
const sharedFlag = 1

// parameter returns the first parameter with the given name, or nil.
func (d *drawer) parameter(name string) *Parameter {
	for i := range d.e.Parameters {
		if p := &d.e.Parameters[i]; p.Type.Name.Text == name {
			return p
		}
	}
	return nil
}

// expression reads the two forms that compilers write: the value of an integer parameter, and the
// element of a table of integers at such an index:
//
//	mov c0.x, in0.x            // Index
//	mov c0.x, in[in4.x + 0].x  // Table[Index]
//
// For other expressions both results are empty.
func (d *drawer) expression(code []byte) (index string, table []uint32) {
	p, err := preshader.Decode("", wordsOf(code))
	if err != nil || len(p.Insts) != 1 {
		return "", nil
	}
	t, ok := d3d9.ReadConstantTable(p.Table)
	in := &p.Insts[0]
	if !ok || in.Op != preshader.Mov || len(in.Inputs) != 1 || in.Output.Table != preshader.Output ||
		in.Output.Offset != 0 || in.Output.Relative {
		return "", nil
	}
	// input returns the integer parameter at an operand's offset, if there is one.
	input := func(table preshader.Table, offset uint32) (*Parameter, *d3d9.Constant) {
		for i := range t.Constants {
			c := &t.Constants[i]
			v := d.parameter(c.Name)
			if table == preshader.Input && uint64(c.Index)*4 == uint64(offset) && v != nil && v.Type.Class == Scalar &&
				v.Type.Type == Int {
				return v, c
			}
		}
		return nil, nil
	}
	o := &in.Inputs[0]
	if !o.Relative {
		if v, c := input(o.Table, o.Offset); v != nil && v.Type.Elements == 0 {
			return c.Name, nil
		}
		return "", nil
	}
	of, c := input(o.Table, o.Offset)
	v, by := input(o.Index.Table, o.Index.Offset)
	if of == nil || v == nil || of.Flags&sharedFlag != 0 || v.Type.Elements > 0 || of.Type.Elements == 0 ||
		o.Offset != 0 || c.Count != of.Type.count() {
		return "", nil
	}
	return by.Name, of.Words()
}

package fx

import (
	"bytes"
	"reflect"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
)

// Chosen is how passes choose both of their programs by one parameter: from an array
// for each stage, at the place that a table for it says. Both known readers choose
// alike then, so that arrays may have more programs, and tables name others: a pair of
// programs that fit each other only can be added for the indices that use it, while
// other indices keep theirs.
type Chosen struct {
	// Arrays and Tables are parameters, by stage.
	Arrays, Tables [2]int
	// the tables' values, by stage
	elements [2][]uint32
}

// Chosen is how the passes of e choose. It is not ok where an effect has no such
// passes, or passes that choose in another way, or where something else may read the
// arrays or the tables.
func (e *Effect) Chosen() (c Chosen, ok bool) {
	d := drawer{e: e, x: e.index(), own: map[[3]int]int{}, objects: map[*[]byte]int{}}
	for i, s := range e.Shaders() {
		d.objects[s.Data] = i
	}
	selections := map[*Assignment]bool{}
	for t := range e.Techniques {
		for p := range e.Techniques[t].Passes {
			one, some, fits := d.chosen(t, p, selections)
			if !fits || some && ok && (one.Arrays != c.Arrays || one.Tables != c.Tables) {
				return c, false
			}
			if some {
				c, ok = one, true
			}
		}
	}
	// Both tables in one parameter could not differ.
	if !ok || c.Tables[0] == c.Tables[1] {
		return c, false
	}
	ids := map[uint32]bool{}
	for stage := range c.Arrays {
		array, table := &e.Parameters[c.Arrays[stage]], &e.Parameters[c.Tables[stage]]
		if array.Type.Elements == 0 {
			return c, false
		}
		// Each program belongs to one element and to nothing else.
		for _, id := range array.Words() {
			if o := d.x.objects[id]; ids[id] || o == nil || d.x.values[id] != 1 || d.x.writers[id] != 1 {
				return c, false
			}
			ids[id] = true
		}
		// Nothing but the selections may read array or table: no shader's constant
		// table, expression or reference names them.
		if c.elements[stage] = table.Words(); e.names(array.Type.Name.Text, selections) || e.names(table.Type.Name.Text, selections) {
			return c, false
		}
	}
	return c, true
}

// chosen is how one pass chooses, if it chooses at all (some); it does not fit if that
// is otherwise. The selections that it has seen go to selections.
func (d *drawer) chosen(t, p int, selections map[*Assignment]bool) (c Chosen, some, fits bool) {
	var from [2]Source
	var by [2]*Assignment
	for stage := range from {
		from[stage], _, by[stage] = d.x.source(t, p, d3d9.Stage(stage))
	}
	if from[0] != Selected || from[1] != Selected {
		return c, false, from[0] != Selected && from[1] != Selected
	}
	index := ""
	for stage, a := range by {
		name, code, _ := selector(a.Data)
		chosen, ok := d.choice(a, d3d9.Stage(stage))
		table := d.table(code)
		if !ok || chosen.table == nil || table < 0 || stage > 0 && chosen.index != index {
			return c, false, false
		}
		index = chosen.index
		selections[a] = true
		c.Arrays[stage], c.Tables[stage] = d.number(name), table
	}
	return c, true, true
}

// number is that of the first parameter of a name, -1 if there is none.
func (d *drawer) number(name string) int {
	for i := range d.e.Parameters {
		if d.e.Parameters[i].Type.Name.Text == name {
			return i
		}
	}
	return -1
}

// table is the parameter that is the table of an expression: the array that its
// constant table has at register 0, as in Table[Index]; -1 if there is none.
func (d *drawer) table(code []byte) int {
	p, err := preshader.Decode("", wordsOf(code))
	if err != nil {
		return -1
	}
	t, ok := d3d9.ReadConstantTable(p.Table)
	if !ok {
		return -1
	}
	for i := range t.Constants {
		if n := d.number(t.Constants[i].Name); t.Constants[i].Index == 0 && n >= 0 && d.e.Parameters[n].Type.Elements > 0 {
			return n
		}
	}
	return -1
}

// names reports whether anything but these selections may name a parameter.
func (e *Effect) names(parameter string, but map[*Assignment]bool) bool {
	for i := range e.Objects {
		if mentions(e.Objects[i].Data, parameter) {
			return true
		}
	}
	for i := range e.Assignments {
		a := &e.Assignments[i]
		switch {
		case but[a]:
		case a.Usage == Selection:
			array, expression, ok := selector(a.Data)
			if !ok || array == parameter || mentions(expression, parameter) {
				return true
			}
		case a.Usage == Reference:
			if name, _, _ := bytes.Cut(a.Data, []byte{0}); string(name) == parameter {
				return true
			}
		case mentions(a.Data, parameter):
			return true
		}
	}
	return false
}

// mentions reports whether the table of bytecode, of its preshader or of an expression
// may name a parameter. In what cannot be read any string that ends so may be the name.
// The bytes are looked through first, as most name nothing of it.
func mentions(data []byte, parameter string) bool {
	if !bytes.Contains(data, append([]byte(parameter), 0)) {
		return false
	}
	var read []d3d9.Constant
	expression, err := preshader.Decode("", wordsOf(data))
	if err != nil {
		p, wrong := d3d9.Decode("", data)
		if wrong != nil {
			return true
		}
		t, wrong := p.ConstantTable()
		if expression, err = preshader.Of(p); wrong != nil || err != nil {
			return true
		}
		if t != nil {
			read = t.Constants
		}
	}
	if expression != nil {
		inputs, err := expression.Inputs()
		if err != nil {
			return true
		}
		read = append(read, inputs...)
	}
	return slices.ContainsFunc(read, func(c d3d9.Constant) bool { return c.Name == parameter })
}

// Indices is how many values the parameter has that are inside both tables.
func (c *Chosen) Indices() int { return min(len(c.elements[0]), len(c.elements[1])) }

// Elements are those that index i chooses, by stage. It is not ok if there is none.
func (c *Chosen) Elements(e *Effect, i int) (list [2]int, ok bool) {
	for stage := range list {
		n := int(int32(c.elements[stage][i]))
		if n == -1 { // the first one, in D3DX
			n = 0
		}
		if n < 0 || n >= e.Parameters[c.Arrays[stage]].Type.count() {
			return list, false
		}
		list[stage] = n
	}
	return list, true
}

// Programs are where e has the bytecode of the elements of a stage.
func (c *Chosen) Programs(e *Effect, stage int) (list []*[]byte) {
	objects := map[uint32]*[]byte{}
	for i := range e.Objects {
		objects[e.Objects[i].ID] = &e.Objects[i].Data
	}
	for _, id := range e.Parameters[c.Arrays[stage]].Words() {
		list = append(list, objects[id])
	}
	return list
}

// Grow gives the array of a stage more programs, and its table other elements, which
// count from 0 to the last of the new programs. Ids of objects go on from the largest;
// 0 is none.
func (c *Chosen) Grow(e *Effect, stage int, programs [][]byte, elements []uint32) {
	array, table := &e.Parameters[c.Arrays[stage]], &e.Parameters[c.Tables[stage]]
	if len(programs) > 0 {
		ids := array.Words()
		for _, data := range programs {
			id := max(e.ObjectCount, 1)
			e.ObjectCount = id + 1
			e.Objects = append(e.Objects, Object{ID: id, Data: data})
			ids = append(ids, id)
		}
		array.Type.Elements = uint32(len(ids))
		array.TypePlace = Place{}
		array.SetWords(ids...)
		e.ShaderSlots += uint32(len(programs))
	}
	table.SetWords(elements...)
	c.elements[stage] = elements
}

// PassPair is a pass with the programs that it draws with, by stage: its own or those
// of parameters, which other passes may share.
type PassPair struct {
	Technique, Pass int
	Programs        [2]*[]byte
	Shared          [2]bool
}

// PassPairs lists the passes with such programs in both stages, one of which is shared.
// A pass of two own programs can be changed as it is; one with a shared program needs
// its own first (see Own).
func (e *Effect) PassPairs() (list []PassPair) {
	x := e.index()
	parameters := map[string]*Parameter{}
	for i := range e.Parameters {
		p := &e.Parameters[i]
		if parameters[p.Type.Name.Text] == nil {
			parameters[p.Type.Name.Text] = p
		}
	}
	for t := range e.Techniques {
		for n := range e.Techniques[t].Passes {
			p, ok := PassPair{Technique: t, Pass: n}, true
			for stage := range p.Programs {
				source, at, a := x.source(t, n, d3d9.Stage(stage))
				switch source {
				case Owned:
					p.Programs[stage] = &a.Data
				case Referenced:
					name, _, _ := bytes.Cut(a.Data, []byte{0})
					id := e.Techniques[t].Passes[n].States[at].Words()[0]
					p.Programs[stage] = x.program(parameters[string(name)], d3d9.Stage(stage))
					p.Shared[stage] = x.values[id] == 1 && x.writers[id] == 1
				}
				ok = ok && p.Programs[stage] != nil && (source == Owned || p.Shared[stage])
			}
			if ok && (p.Shared[0] || p.Shared[1]) {
				list = append(list, p)
			}
		}
	}
	return list
}

// program is that of a parameter, nil if it has none or others: an array, a shared one,
// or one whose object other values name.
func (x *index) program(p *Parameter, stage d3d9.Stage) *[]byte {
	if p == nil || p.Type.Class != ObjectClass || !p.Type.Type.isShader() || stageOf(p.Type.Type) != stage || p.Type.Elements > 0 || p.Flags&sharedFlag != 0 {
		return nil
	}
	id := p.Words()[0]
	if o := x.objects[id]; o != nil && x.writers[id] == 1 && x.values[id] == 1 && len(o.Data) > 0 {
		return &o.Data
	}
	return nil
}

// Own gives a pass a program of its own, in the place of that of a parameter.
func (e *Effect) Own(technique, pass int, stage d3d9.Stage, program []byte) {
	if source, _, a := e.index().source(technique, pass, stage); source == Referenced || source == Owned {
		a.Usage, a.Data, a.pad = Literal, program, nil
	}
}

// Same reports whether e, which was read from a file, differs from another one in
// nothing but the bytecode of shaders, passes that have their own instead of those of
// parameters, what the arrays of c have more, and what its tables say. There is no c
// where arrays stay. It is the check that a rewritten effect is the old one for all
// else that reads it.
func Same(e, old *Effect, c *Chosen) bool {
	if !bytes.Equal(e.Wrapper, old.Wrapper) || !bytes.Equal(e.Rest, old.Rest) || !bytes.HasPrefix(e.Pool, old.Pool) ||
		len(e.Parameters) != len(old.Parameters) || len(e.Assignments) != len(old.Assignments) || len(e.Objects) < len(old.Objects) ||
		!reflect.DeepEqual(e.Techniques, old.Techniques) { // places in the pool are equal
		return false
	}
	// What may differ: the bytes of shaders that were found.
	free := map[*[]byte]bool{}
	for _, s := range e.Shaders() {
		free[s.Data] = true
	}
	// And these parameters, in their values and the lengths of arrays.
	apart := map[int]bool{}
	if c != nil {
		apart = map[int]bool{c.Arrays[0]: true, c.Arrays[1]: true, c.Tables[0]: true, c.Tables[1]: true}
	}
	for i := range e.Parameters {
		p, q := e.Parameters[i], old.Parameters[i]
		if apart[i] {
			a, b := p.Type, q.Type
			a.Elements, b.Elements = 0, 0
			if !reflect.DeepEqual(a, b) || p.Type.Elements < q.Type.Elements {
				return false
			}
			p.Variable, q.Variable = Variable{}, Variable{}
		}
		if !reflect.DeepEqual(p, q) {
			return false
		}
	}
	for i := range e.Assignments {
		a, b := e.Assignments[i], old.Assignments[i]
		if free[&e.Assignments[i].Data] {
			a.Data, b.Data, a.pad, b.pad = nil, nil, nil, nil
			if b.Usage == Reference {
				b.Usage = Literal
			}
		}
		if !reflect.DeepEqual(a, b) {
			return false
		}
	}
	for i := range old.Objects {
		a, b := &e.Objects[i], &old.Objects[i]
		if a.ID != b.ID || !free[&a.Data] && !bytes.Equal(a.Data, b.Data) {
			return false
		}
	}
	for i := range e.Objects[len(old.Objects):] {
		if !free[&e.Objects[len(old.Objects)+i].Data] {
			return false
		}
	}
	return true
}

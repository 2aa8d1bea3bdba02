package spvs

import (
	"maps"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// varying is a variable of the interface that emission makes in place of old ones: a scalar or a vector at a location.
type varying struct {
	location    uint16
	lanes       int
	kind        Scalar
	decorations []decoration
	name        string
}

// relinking is a change of the interface of a program: old variables that go, and new ones.
type relinking struct {
	gone map[spirv.ID]bool
	made []varying
}

// Rewritten returns the programs of the pair with new functions, whose interface may have changed. Locations that they no
// longer use as declared, and that nothing else observes, get new variables on both sides, with equal numbers of
// components: Vulkan before 1.3 demands that (interfaces-iointerfaces-matching). relinked reports whether there are such
// locations. The interface of a fragment program of [Declare] stays.
func (p *Pair) Rewritten(vertex, fragment *ir.Func) (v, f *Program, relinked bool) {
	v, f = p.Vertex.With(vertex), p.Fragment.With(fragment)
	outs, ins := p.Vertex.ports(Output), p.Fragment.ports(Input)
	widths := map[uint16]int{}
	widen := func(r ir.Reg) { widths[r.Index] = max(widths[r.Index], int(r.Comp)+1) }
	for _, o := range vertex.Outs {
		if o.Reg.File == Output {
			widen(o.Reg)
		}
	}
	for r := range f.reads() {
		widen(r)
	}
	for at := range widths {
		if outs[at] == nil && ins[at] == nil {
			outs[at] = &port{kind: Float, alone: true}
			ins[at] = outs[at]
		}
	}
	changed := map[uint16]bool{}
	for _, at := range locations(outs, ins) {
		if q := outs[at]; q != nil && q.observed {
			continue
		}
		full := uint8(1)<<widths[at] - 1
		ports := []*port{outs[at], ins[at]}
		if f.declared {
			ports = ports[:1]
		}
		for _, q := range ports {
			changed[at] = changed[at] || q != nil && q.lanes != full && q.alone
		}
	}
	for _, c := range changed {
		relinked = relinked || c
	}
	v.relink(outs, ins, changed, widths)
	if !f.declared {
		f.relink(ins, outs, changed, widths)
	}
	return v, f, relinked
}

// With returns a copy of p with another function.
func (p *Program) With(f *ir.Func) *Program {
	q := *p
	q.Func = f
	return &q
}

// relink replaces the variables at changed locations, with all locations of these variables. own are the ports of p, and
// others those of the other program.
func (p *Program) relink(own, others map[uint16]*port, changed map[uint16]bool, widths map[uint16]int) {
	p.relinking = &relinking{gone: map[spirv.ID]bool{}}
	for at, q := range own {
		if changed[at] && q.variable.ID != 0 {
			p.relinking.gone[q.variable.ID] = true
		}
	}
	for _, at := range locations(own, others) {
		q, other := own[at], others[at]
		if q != nil && q.variable.ID != 0 && !p.relinking.gone[q.variable.ID] || q == nil && !changed[at] || widths[at] == 0 {
			continue
		}
		m := varying{location: at, lanes: widths[at]}
		if q != nil {
			m.kind, m.decorations, m.name = q.kind, q.decorations, p.name(q.variable.ID)
		} else {
			m.kind, m.decorations = other.kind, other.decorations
		}
		p.relinking.made = append(p.relinking.made, m)
	}
}

// name returns the name of an id in the module, or "".
func (p *Program) name(id spirv.ID) string {
	for i := range p.Module.Insts {
		if in := &p.Module.Insts[i]; in.Op == spirv.OpName && spirv.ID(in.Args[0]) == id {
			name, _ := spirv.String(in.Args[1:])
			return name
		}
	}
	return ""
}

// makeVaryings adds the new variables of the interface to the module, and removes the old ones.
func (w *writer) makeVaryings() {
	r := w.p.relinking
	if r == nil {
		return
	}
	maps.Copy(w.e.gone, r.gone)
	class, file := spirv.StorageClassInput, Input
	if w.p.IsVertex() {
		class, file = spirv.StorageClassOutput, Output
	}
	for _, m := range r.made {
		typ := w.e.vector(m.kind, m.lanes)
		pointerType := w.e.pointer(class, typ)
		id := w.e.add(spirv.OpVariable, pointerType, uint32(class))
		w.e.listed[w.p.Entry.Function] = append(w.e.listed[w.p.Entry.Function], id)
		w.e.note(spirv.OpDecorate, id, uint32(spirv.DecorationLocation), uint32(m.location))
		for _, d := range m.decorations {
			w.e.note(spirv.OpDecorate, id, append([]uint32{uint32(d.kind)}, d.args...)...)
		}
		if m.name != "" {
			w.e.names = append(w.e.names, spirv.Inst{Op: spirv.OpName, Args: spirv.AppendString([]uint32{uint32(id)}, m.name)})
		}
		v := &variable{id: id, class: class, shape: vectorShape(typ, m.kind, m.lanes), elements: 1, first: -1}
		for k := range m.lanes {
			reg := ir.Reg{File: file, Index: m.location, Comp: uint8(k)}
			v.regs = append(v.regs, reg)
			if file == Input {
				w.places[reg] = pointer{v: v, lane: k}
			}
		}
		if file == Output {
			w.outputs = append(w.outputs, v)
		}
	}
}

// note adds an annotation of an id.
func (e *editor) note(op spirv.Op, id spirv.ID, args ...uint32) {
	e.notes = append(e.notes, spirv.Inst{Op: op, Args: append([]uint32{uint32(id)}, args...)})
}

// vectorShape returns the shape of a scalar or a vector.
func vectorShape(id spirv.ID, k Scalar, n int) *shape {
	s := &shape{id: id, kind: scalarType, scalar: k, lanes: 1, registers: 1}
	if n > 1 {
		elem := *s
		elem.id = 0
		s.kind, s.elem, s.count, s.lanes = vectorType, &elem, n, n
	}
	return s
}

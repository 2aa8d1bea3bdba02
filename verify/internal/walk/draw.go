package walk

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/iface"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/words"
)

// execute runs a version in a domain: a kernel, or the vertex program, then the pixel program for one fragment. The
// domain chooses the number of vertices per interpolated value: one for terms, three for the field, which uses a
// random triangle. A lone vertex program runs for one.
func execute[T any](dom symbolic.Domain[T], o *Observation, opt Options, b *Beliefs[T]) (*View[T], error) {
	budget.Walks.Add(1)
	if o.Kernel != nil {
		return launch(dom.(*words.Words[T]), o, opt, b)
	}
	d := &drawing[T]{dom: dom, o: o, opt: opt, b: b, view: &View[T]{Name: o.dialect().RegName,
		undefined: map[uint64]Component{}, leaves: map[uint64]Reading{}}}
	if o.Vertex != nil {
		if err := d.vertices(); err != nil {
			return nil, err
		}
	}
	if o.Pixel != nil {
		if err := d.fragment(); err != nil {
			return nil, err
		}
	}
	v := d.view
	slices.SortStableFunc(v.Outs, func(a, b observed[T]) int { return cmp.Compare(a.Key, b.Key) })
	return v, nil
}

// drawing executes the stages of a version.
type drawing[T any] struct {
	dom  symbolic.Domain[T]
	o    *Observation
	opt  Options
	b    *Beliefs[T]
	view *View[T]
	// values are those of the outputs in o.vertexOuts, one for each vertex.
	values [][]T
}

// run executes a stage for vertex i of a triangle, or for a fragment, and records its effects. Inputs have the values
// that input returns.
func (d *drawing[T]) run(s Stage, stage d3d9.Stage, i int, memo map[*preshader.Value]T, input func(ir.Reg) T) (*walker[T],
	error) {
	leaf := func(kind ir.Kind, r ir.Reg) T {
		switch {
		case kind == ir.Uniform:
			return uniform(d.dom, s, r, memo)
		case isState(s, r): // the same memory for all vertices
			return d.dom.Opaque(symbolic.TagInput, s.RegisterKey(r), nil)
		}
		return input(r)
	}
	w := newWalker(d.dom, s, d.o.lives()[stage], d.opt, d.b, leaf)
	w.context, w.work = uint64(i), d.o.Work
	w.unwritten = func(r ir.Reg) T {
		return d.dom.Opaque(symbolic.TagUndef, s.Undefined(r)|uint64(i)<<56, nil)
	}
	if w.words, _ = d.dom.(*words.Words[T]); w.words != nil {
		w.leaf = func(kind ir.Kind, r ir.Reg) T {
			x := leaf(kind, r)
			d.view.leaves[d.dom.ID(x)] = Reading{kind: kind, at: Component{stage, r}}
			return x
		}
		w.unwritten = func(r ir.Reg) T { return unwritten(d.dom, d.o, d.view, w.leaf, s, Component{stage, r}, i) }
	}
	if err := w.executeFunction(); err != nil {
		return nil, err
	}
	d.view.Kills = append(d.view.Kills, w.kills...)
	if w.words != nil { // registers count the loops of Direct3D
		d.view.endings = append(d.view.endings, w.endings...)
	}
	return w, nil
}

// vertices executes the vertex program for each vertex.
func (d *drawing[T]) vertices() error {
	o, vs := d.o, d.o.Vertex
	// memo caches preshader results, which are the same for all vertices.
	memo := map[*preshader.Value]T{}
	n := d.dom.Vertices()
	if o.Pixel == nil {
		n = 1
	}
	d.values = make([][]T, len(o.vertexOuts))
	for i := range n {
		w, err := d.run(vs, d3d9.Vertex, i, memo, func(r ir.Reg) T {
			return d.dom.Opaque(symbolic.TagInput, vs.SemanticKey(r)|uint64(i)<<56, nil)
		})
		if err != nil {
			return err
		}
		for k, out := range o.vertexOuts {
			d.values[k] = append(d.values[k], w.value(out.V))
		}
	}
	for k, out := range o.vertexOuts {
		if o.Pixel == nil || vs.Observed(out.Reg) {
			d.view.Outs = append(d.view.Outs, observed[T]{Key: vs.SemanticKey(out.Reg), Reg: out.Reg,
				exact: vs.Exact(out.Reg), Val: d.dom.Opaque(symbolic.TagVertex, 0, d.values[k])})
		}
	}
	return nil
}

// fragment runs the pixel program on the interpolated outputs of the vertex program. Without a vertex program, its
// inputs are unknowns, identified by semantic and kind of interpolation. A varying that the vertex program does not
// write is an unknown of its own, by semantic.
func (d *drawing[T]) fragment() error {
	o, ps := d.o, d.o.Pixel
	varyings := make(map[uint64][]T, len(d.values)) // by semantic
	for k, out := range o.vertexOuts {
		if o.Vertex.Varies(out.Reg) {
			varyings[o.Vertex.SemanticKey(out.Reg)] = d.values[k]
		}
	}
	w, err := d.run(ps, d3d9.Pixel, 0, map[*preshader.Value]T{}, func(r ir.Reg) T {
		way, fed := ps.Interpolated(r)
		at, ok := varyings[ps.SemanticKey(r)]
		switch key := ps.SemanticKey(r) | way.Name(); {
		case o.Vertex == nil || !fed:
			at = []T{d.dom.Opaque(symbolic.TagInput, key, nil)}
		case !ok:
			at = []T{d.dom.Opaque(symbolic.TagUnwritten, key, nil)}
		}
		return d.interpolated(way, at)
	})
	if err != nil {
		return err
	}
	for _, out := range ps.Function().Outs {
		if o.decides {
			break
		}
		x := w.value(out.V)
		if isState(ps, out.Reg) && w.keeps(out.Reg, x) {
			continue
		}
		d.view.Outs = append(d.view.Outs, observed[T]{Key: ps.SemanticKey(out.Reg), Reg: out.Reg, stage: d3d9.Pixel,
			exact: ps.Exact(out.Reg), Val: x})
	}
	return nil
}

// interpolated returns a varying between vertices.
func (d *drawing[T]) interpolated(way symbolic.Interpolation, at []T) T {
	if way&symbolic.InterpClamp != 0 {
		at = slices.Clone(at)
		for k := range at {
			at[k] = d.dom.Saturate(at[k])
		}
	}
	x := at[0]
	if way&symbolic.InterpFlat == 0 {
		x = d.dom.Interpolate(way&^symbolic.InterpClamp, at)
	}
	if way&symbolic.InterpHalf != 0 {
		x = d.dom.Computed(x, halfInput)
	}
	return x
}

// halfInput represents the interpolation of an input declared in partial precision.
var halfInput = &ir.Instr{Op: ir.OpInvalid, Mods: ir.Half}

// uniform returns the value of a constant component: an expression of parameters where the framework of an
// effect sets it, a repeated constant of the other stage, or an unknown of its own.
func uniform[T any](dom symbolic.Domain[T], s Stage, r ir.Reg, memo map[*preshader.Value]T) T {
	p, ok := s.(*Program)
	if !ok {
		return dom.Opaque(symbolic.TagUniform, s.RegisterKey(r), nil)
	}
	if x, ok := iface.HostValue(dom, p.Host, p.After, r, p.RegisterKey(r), memo); ok {
		return x
	}
	if r.File == ir.File(d3d9.Const) {
		if from, ok := p.Shared[r.Index]; ok {
			k := uint64(p.Stage.Other())<<40 | uint64(r.File)<<32 | uint64(from)<<8 | uint64(r.Comp)
			return dom.Opaque(symbolic.TagUniform, k, nil)
		}
	}
	return dom.Opaque(symbolic.TagUniform, p.RegisterKey(r), nil)
}

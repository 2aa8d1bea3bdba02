package verify

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/words"
)

// side is one side of a comparison: a pair, a lone program or a kernel.
type side struct {
	vertex, pixel *program   // either may be nil
	kernel        standalone // likewise
}

// observed is one component of what a side shows to the outside: an output of the pixel program, or
// of the vertex program if fixed function or nobody reads it, or the last state of a memory.
type observed[T any] struct {
	key   uint64 // equal for the components to compare
	reg   ir.Reg
	stage d3d9.Stage
	exact bool // feeds fixed function: must stay the same term
	val   T
}

// view is everything that a side shows in a domain. Two sides are equal if their views are.
type view[T any] struct {
	outs  []observed[T] // in key order
	kills []T
	// endings are what has to come to an end, of kernels.
	endings []ending[T]
	name    func(r ir.Reg) string // of an output component
	// undefined are the undefined components of the side before that are taken to be
	// nothing in particular, by the id of their values; leaves what a side reads that it does
	// not compute.
	undefined map[uint64]ir.Reg
	leaves    map[uint64]reading
	// inducted tells that loops were executed without knowing how often they run.
	inducted bool
	steps    int // instructions executed
}

// observation is a side prepared for execution in any domain: what of it is live is the same in all of
// them. Checks execute it often, never at the same time.
type observation struct {
	side
	vertexLive, pixelLive, kernelLive *live
	vertexOuts                        []ir.Output // those that are observed or read by the pixel program
	// fixed are inputs and constants of a kernel that have a value rather than a name.
	fixed map[ir.Reg]uint32
	// unrolls tells that loops were unrolled where that was asked for, on either side.
	unrolls bool
	tooLong int            // loops that were not, for their length
	work    *budget.Budget // that pays for its execution
	// first tells the side before from the one after. Its choices are what undefined
	// components are taken to be, see reading.
	first   bool
	choices map[ir.Reg]reading
}

// observe prepares a side. Of a pair the pixel program is analysed first: a varying of the vertex
// program that it does not read is not executed.
func observe(s side) *observation {
	o := &observation{side: s}
	if s.kernel != nil {
		o.kernelLive = liveness(s.kernel, outValues(s.kernel.function().Outs))
	}
	var reads func(p port, comp uint8) bool
	if s.pixel != nil {
		o.pixelLive = liveness(s.pixel, outValues(s.pixel.fn.Outs))
		wanted := map[uint64]bool{}
		for r := range o.pixelLive.read { // a set
			wanted[s.pixel.semanticKey(r)] = true
		}
		reads = func(p port, comp uint8) bool { return o.pixelLive.indexed || wanted[p.key(comp)] }
	}
	if s.vertex != nil {
		for _, out := range s.vertex.fn.Outs {
			p := s.vertex.port(out.Reg)
			if reads == nil || p.fixedFunction() || reads(p, out.Reg.Comp) {
				o.vertexOuts = append(o.vertexOuts, out)
			}
		}
		o.vertexLive = liveness(s.vertex, outValues(o.vertexOuts))
	}
	return o
}

func outValues(outs []ir.Output) []*ir.Value {
	vs := make([]*ir.Value, len(outs))
	for i, o := range outs {
		vs[i] = o.V
	}
	return vs
}

// dialect is the language of a pair or a lone program: its stages name registers alike.
func (s *side) dialect() ir.Dialect {
	if s.vertex != nil {
		return s.vertex.fn.Dialect
	}
	return s.pixel.fn.Dialect
}

// hasLoops reports whether a side runs loops that matter.
func (o *observation) hasLoops() bool {
	for _, l := range []*live{o.vertexLive, o.pixelLive, o.kernelLive} {
		if l == nil {
			continue
		}
		for in := range l.ctrl { // any
			if in.Op == ir.OpLoop {
				return true
			}
		}
	}
	return false
}

// execute runs a side in a domain, once a vertex and then once for a fragment. A domain says how
// many vertices make an interpolated value: terms need one, the field three, a random triangle. A
// lone vertex program is run for one.
func execute[T any](dom symbolic.Domain[T], o *observation, opt loopOptions, b *beliefs[T]) (*view[T], error) {
	if o.kernel != nil {
		return launch(dom.(*words.Words[T]), o, opt, b)
	}
	v := &view[T]{name: o.dialect().RegName}
	var vals [][]T // by vertex output, one per vertex
	if o.vertex != nil {
		// memo holds what preshaders compute, which is the same for all vertices.
		memo := map[*preshader.Value]T{}
		n := dom.Vertices()
		if o.pixel == nil {
			n = 1
		}
		vals = make([][]T, len(o.vertexOuts))
		for i := range n {
			w := newWalker(dom, o.vertex, o.vertexLive, opt, b, func(kind ir.Kind, r ir.Reg) T {
				if kind == ir.Uniform {
					return uniform(dom, o.vertex, r, memo)
				}
				return dom.Opaque(symbolic.TagInput, o.vertex.semanticKey(r)|uint64(i)<<56, nil)
			})
			w.context, w.work = uint64(i), o.work
			w.unwritten = func(r ir.Reg) T {
				return dom.Opaque(symbolic.TagUndef, o.vertex.undefined(r)|uint64(i)<<56, nil)
			}
			if err := w.run(); err != nil {
				return nil, err
			}
			for k, out := range o.vertexOuts {
				vals[k] = append(vals[k], w.value(out.V))
			}
		}
		for k, out := range o.vertexOuts {
			p := o.vertex.port(out.Reg)
			if o.pixel == nil || p.fixedFunction() {
				v.outs = append(v.outs, observed[T]{key: o.vertex.semanticKey(out.Reg), reg: out.Reg,
					exact: p.fixedFunction(), val: dom.Opaque(symbolic.TagVertex, 0, vals[k])})
			}
		}
	}
	if o.pixel != nil {
		if err := fragment(dom, o, opt, b, vals, v); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(v.outs, func(a, b observed[T]) int { return cmp.Compare(a.key, b.key) })
	return v, nil
}

// fragment runs the pixel program of a side, on the interpolated outputs of the vertex program if there
// is one; else its inputs are unknowns, told apart by semantic and kind of interpolation. A varying
// that the vertex program does not write is an unknown of its own, by semantic.
func fragment[T any](dom symbolic.Domain[T], o *observation, opt loopOptions, b *beliefs[T], vals [][]T, v *view[T]) error {
	ps, memo := o.pixel, map[*preshader.Value]T{}
	varyings := make(map[uint64][]T, len(vals)) // by semantic
	for k, out := range o.vertexOuts {
		if out.Reg.File != ir.File(d3d9.RastOut) { // which the pixel program cannot read
			varyings[o.vertex.semanticKey(out.Reg)] = vals[k]
		}
	}
	w := newWalker(dom, ps, o.pixelLive, opt, b, func(kind ir.Kind, r ir.Reg) T {
		if kind == ir.Uniform {
			return uniform(dom, ps, r, memo)
		}
		p := ps.port(r)
		key := ps.semanticKey(r)
		at, ok := varyings[key]
		switch {
		case o.vertex == nil || !p.set:
			at = []T{dom.Opaque(symbolic.TagInput, key|p.kind.Name(), nil)}
		case !ok:
			at = []T{dom.Opaque(symbolic.TagUnwritten, key|p.kind.Name(), nil)}
		}
		if p.kind&symbolic.InterpClamp != 0 {
			at = slices.Clone(at)
			for k := range at {
				at[k] = dom.Saturate(at[k])
			}
		}
		x := dom.Interpolate(p.kind&^symbolic.InterpClamp, at)
		if p.kind&symbolic.InterpHalf != 0 {
			x = dom.Computed(x, halfInput)
		}
		return x
	})
	w.work = o.work
	if err := w.run(); err != nil {
		return err
	}
	for _, out := range ps.fn.Outs {
		v.outs = append(v.outs, observed[T]{key: ps.key(out.Reg), reg: out.Reg, stage: d3d9.Pixel,
			exact: out.Reg.File == ir.File(d3d9.DepthOut), val: w.value(out.V)})
	}
	v.kills = w.kills
	return nil
}

// halfInput stands for the interpolation of an input declared in partial precision.
var halfInput = &ir.Instr{Op: ir.OpInvalid, Mods: ir.Half}

// uniform is the value of a component of a constant register: an expression of parameters where the
// framework of an effect sets it, the constant of the other stage that it repeats, or an unknown of its own.
func uniform[T any](dom symbolic.Domain[T], p *program, r ir.Reg, memo map[*preshader.Value]T) T {
	if x, ok := hostedValue(dom, p, r, memo); ok {
		return x
	}
	if r.File == ir.File(d3d9.Const) {
		if from, ok := p.shared[r.Index]; ok {
			k := uint64(p.stage.Other())<<40 | uint64(r.File)<<32 | uint64(from)<<8 | uint64(r.Comp)
			return dom.Opaque(symbolic.TagUniform, k, nil)
		}
	}
	return dom.Opaque(symbolic.TagUniform, p.key(r), nil)
}

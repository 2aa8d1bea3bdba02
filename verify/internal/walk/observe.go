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

// Side is one version in a comparison: a pair, a single program or a kernel.
type Side struct {
	Vertex, Pixel Stage      // either may be nil
	Kernel        standalone // may be nil
}

// observed is one observable component of a version. It is an output of the pixel program or the final state
// of a memory. An output of the vertex program is observable if it feeds fixed function, or in a lone vertex
// program.
type observed[T any] struct {
	Key   uint64 // equal for the components to compare
	Reg   ir.Reg
	stage d3d9.Stage
	exact bool // feeds fixed function: must stay the same term
	Val   T
}

// View holds all observable values of a version in a domain. Two versions are equal if their views are.
type View[T any] struct {
	Outs  []observed[T] // in key order
	Kills []T
	// endings are the loops and barriers of kernels that have to terminate.
	endings []ending[T]
	phases  []phase               // of local memory, if all invocations of a group were executed
	Name    func(r ir.Reg) string // of an output component
	// undefined holds the undefined components of before that may have any value, by the ID of their values.
	// leaves holds the values that a version reads and does not compute.
	undefined map[uint64]ir.Reg
	leaves    map[uint64]Reading
	// Inducted reports that loops were executed without a known trip count.
	Inducted bool
	Steps    int // instructions executed
}

// Observation is a version prepared for execution in any domain. Its liveness is the same in all of them.
// Checks execute it often, but never concurrently.
type Observation struct {
	Side
	vertexLive, pixelLive, kernelLive *live
	vertexOuts                        []ir.Output // observed, or read by the pixel program
	// Fixed has the inputs and constants of a kernel with a value instead of a name.
	Fixed map[ir.Reg]uint32
	// unrolls reports that loops of either version were unrolled as requested.
	unrolls bool
	tooLong int            // number of loops that were too long to unroll
	Work    *budget.Budget // pays for its execution
	// Copies is the number of invocations whose work the kernel does; 0 stands for one.
	Copies int
	// First marks the version before. choices has the values chosen for its undefined components, see
	// reading.
	First   bool
	Choices map[ir.Reg]Reading
	// isSplit reports that loops are split against splitFor (split.go).
	splitFor *Observation
	isSplit  bool
	// decides skips the execution of outputs, see Deciding.
	decides bool
}

// Observe prepares a version. It analyses the pixel program of a pair first, so that a varying which it does
// not read is not executed.
func Observe(s Side) *Observation {
	o := &Observation{Side: s}
	if s.Kernel != nil {
		o.kernelLive = liveness(s.Kernel, outValues(s.Kernel.Function().Outs))
	}
	if s.Pixel != nil {
		o.pixelLive = liveness(s.Pixel, outValues(s.Pixel.Function().Outs))
	}
	if s.Vertex != nil {
		o.readByPixel()
		o.vertexLive = liveness(s.Vertex, outValues(o.vertexOuts))
	}
	return o
}

// readByPixel finds the vertex outputs that matter: those for fixed function and those that the pixel program reads.
func (o *Observation) readByPixel() {
	wanted := map[uint64]bool{}
	if o.Pixel != nil {
		for r := range o.pixelLive.read { // a set
			wanted[o.Pixel.SemanticKey(r)] = true
		}
	}
	for _, out := range o.Vertex.Function().Outs {
		if o.Pixel == nil || o.Vertex.Observed(out.Reg) || o.pixelLive.indexed || wanted[o.Vertex.SemanticKey(out.Reg)] {
			o.vertexOuts = append(o.vertexOuts, out)
		}
	}
}

// Addresses reports whether a version computes register numbers from floats.
func (o *Observation) Addresses() (found bool) {
	for _, u := range o.units() {
		u.Function().Walk(func(in *ir.Instr) { found = found || in.Op.Has(ir.Special) && in.Op != ir.OpSetp })
	}
	return found
}

func outValues(outs []ir.Output) []*ir.Value {
	vs := make([]*ir.Value, len(outs))
	for i, o := range outs {
		vs[i] = o.V
	}
	return vs
}

// units lists the functions of a version, the vertex program first.
func (s *Side) units() (list []Unit) {
	if s.Vertex != nil {
		list = append(list, s.Vertex)
	}
	if s.Pixel != nil {
		list = append(list, s.Pixel)
	}
	if s.Kernel != nil {
		list = append(list, s.Kernel)
	}
	return list
}

// Programs returns the programs of Direct3D 9, by stage. Others are nil.
func (s *Side) Programs() (list [2]*Program) {
	for _, u := range s.units() {
		if p, ok := u.(*Program); ok {
			list[p.Stage] = p
		}
	}
	return list
}

// dialect returns the language of a version. Both stages of a pair name registers alike.
func (s *Side) dialect() ir.Dialect { return s.units()[0].Function().Dialect }

// HasLoops reports whether a version has live loops.
func (o *Observation) HasLoops() bool {
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

// execute runs a version in a domain: the vertex program, then the pixel program for one fragment. The domain
// chooses the number of vertices per interpolated value: one for terms, three for the field, which uses a
// random triangle. A lone vertex program runs for one.
func execute[T any](dom symbolic.Domain[T], o *Observation, opt Options, b *Beliefs[T]) (*View[T], error) {
	budget.Walks.Add(1)
	if o.Kernel != nil {
		return launch(dom.(*words.Words[T]), o, opt, b)
	}
	v := &View[T]{Name: o.dialect().RegName}
	var vals [][]T // by vertex output, one per vertex
	if o.Vertex != nil {
		// memo caches preshader results, which are the same for all vertices.
		memo := map[*preshader.Value]T{}
		n := dom.Vertices()
		if o.Pixel == nil {
			n = 1
		}
		vals = make([][]T, len(o.vertexOuts))
		for i := range n {
			w := newWalker(dom, o.Vertex, o.vertexLive, opt, b, func(kind ir.Kind, r ir.Reg) T {
				if kind == ir.Uniform {
					return uniform(dom, o.Vertex, r, memo)
				}
				return dom.Opaque(symbolic.TagInput, o.Vertex.SemanticKey(r)|uint64(i)<<56, nil)
			})
			w.context, w.work = uint64(i), o.Work
			w.unwritten = func(r ir.Reg) T {
				return dom.Opaque(symbolic.TagUndef, o.Vertex.Undefined(r)|uint64(i)<<56, nil)
			}
			if err := w.executeFunction(); err != nil {
				return nil, err
			}
			for k, out := range o.vertexOuts {
				vals[k] = append(vals[k], w.value(out.V))
			}
		}
		for k, out := range o.vertexOuts {
			if o.Pixel == nil || o.Vertex.Observed(out.Reg) {
				v.Outs = append(v.Outs, observed[T]{Key: o.Vertex.SemanticKey(out.Reg), Reg: out.Reg,
					exact: o.Vertex.Exact(out.Reg), Val: dom.Opaque(symbolic.TagVertex, 0, vals[k])})
			}
		}
	}
	if o.Pixel != nil {
		if err := fragment(dom, o, opt, b, vals, v); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(v.Outs, func(a, b observed[T]) int { return cmp.Compare(a.Key, b.Key) })
	return v, nil
}

// fragment runs the pixel program of a version on the interpolated outputs of the vertex program. Without a
// vertex program, its inputs are unknowns, identified by semantic and kind of interpolation. A varying that
// the vertex program does not write is an unknown of its own, by semantic.
func fragment[T any](dom symbolic.Domain[T], o *Observation, opt Options, b *Beliefs[T], vals [][]T, v *View[T]) error {
	ps, memo := o.Pixel, map[*preshader.Value]T{}
	varyings := make(map[uint64][]T, len(vals)) // by semantic
	for k, out := range o.vertexOuts {
		if o.Vertex.Varies(out.Reg) {
			varyings[o.Vertex.SemanticKey(out.Reg)] = vals[k]
		}
	}
	w := newWalker(dom, ps, o.pixelLive, opt, b, func(kind ir.Kind, r ir.Reg) T {
		if kind == ir.Uniform {
			return uniform(dom, ps, r, memo)
		}
		way, fed := ps.Interpolated(r)
		key := ps.SemanticKey(r)
		at, ok := varyings[key]
		switch {
		case o.Vertex == nil || !fed:
			at = []T{dom.Opaque(symbolic.TagInput, key|way.Name(), nil)}
		case !ok:
			at = []T{dom.Opaque(symbolic.TagUnwritten, key|way.Name(), nil)}
		}
		if way&symbolic.InterpClamp != 0 {
			at = slices.Clone(at)
			for k := range at {
				at[k] = dom.Saturate(at[k])
			}
		}
		x := dom.Interpolate(way&^symbolic.InterpClamp, at)
		if way&symbolic.InterpHalf != 0 {
			x = dom.Computed(x, halfInput)
		}
		return x
	})
	w.work = o.Work
	if err := w.executeFunction(); err != nil {
		return err
	}
	for _, out := range ps.Function().Outs {
		if o.decides {
			break
		}
		v.Outs = append(v.Outs, observed[T]{Key: ps.RegisterKey(out.Reg), Reg: out.Reg, stage: d3d9.Pixel,
			exact: ps.Exact(out.Reg), Val: w.value(out.V)})
	}
	v.Kills = w.kills
	return nil
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

// Instructions counts the instructions of a version.
func (o *Observation) Instructions() (n int) {
	for _, u := range o.units() {
		u.Function().Walk(func(*ir.Instr) { n++ })
	}
	return n
}

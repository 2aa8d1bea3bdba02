package walk

import (
	"cmp"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/ir"
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
	undefined map[uint64]Component
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
	Choices map[Component]Reading
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

// OnWords reports whether a version computes with 32-bit words, which have an algebra of their own. Only Direct3D 9
// has no integers.
func (s *Side) OnWords() bool { return s.Programs() == [2]*Program{} }

// lives returns the liveness of the vertex program or the kernel, and of the pixel program. Missing ones are nil.
func (o *Observation) lives() [2]*live {
	return [2]*live{d3d9.Vertex: cmp.Or(o.vertexLive, o.kernelLive), d3d9.Pixel: o.pixelLive}
}

// dialect returns the language of a version. Both stages of a pair name registers alike.
func (s *Side) dialect() ir.Dialect { return s.units()[0].Function().Dialect }

// HasLoops reports whether a version has live loops.
func (o *Observation) HasLoops() bool {
	for _, l := range o.lives() {
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

// Instructions counts the instructions of a version.
func (o *Observation) Instructions() (n int) {
	for _, u := range o.units() {
		u.Function().Walk(func(*ir.Instr) { n++ })
	}
	return n
}

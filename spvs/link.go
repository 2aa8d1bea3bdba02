package spvs

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/ir"
)

// Pair is a vertex and a fragment program that are drawn together. It implements ir.Stages. Registers of both sides have
// the same index: the location.
type Pair struct {
	Vertex, Fragment *Program

	common map[ir.File]bool // blocks of both programs with one layout
}

// NewPair returns a pair of programs that were lifted with the same [Names]. Both see the blocks that both use. If
// declared is set, both also see a block that one of them declares and only the other one uses.
func NewPair(vertex, fragment *Program, declared bool) *Pair {
	p := &Pair{Vertex: vertex, Fragment: fragment, common: map[ir.File]bool{}}
	if declared {
		vertex.declareBlocks(fragment)
		fragment.declareBlocks(vertex)
	}
	for _, a := range vertex.Blocks {
		for _, b := range fragment.Blocks {
			if a.File == b.File && a.Class == b.Class && a.Class != spirv.StorageClassStorageBuffer &&
				vertex.x.layout(a.Type) == fragment.x.layout(b.Type) {
				p.common[a.File] = true
			}
		}
	}
	return p
}

// declareBlocks adds to the blocks of p those that the other program uses, and that p declares without a use.
func (p *Program) declareBlocks(other *Program) {
	for _, b := range other.Blocks {
		if b.File == 0 || slices.ContainsFunc(p.Blocks, func(own Block) bool { return own.File == b.File }) {
			continue
		}
		key := other.x.resourceKey(other.x.newVariable(int(other.x.defs[b.ID])))
		for at := range p.Module.Insts {
			if p.Module.Insts[at].Op != spirv.OpVariable {
				continue
			}
			v := p.x.newVariable(at)
			if v != nil && v.class == b.Class && v.isBlock() && !v.arrayed && p.x.readOnly(v) && p.x.resourceKey(v) == key {
				own := b
				own.ID, own.Type = v.id, v.shape.id
				p.Blocks = append(p.Blocks, own)
				break
			}
		}
	}
}

// port is what a program declares at a location: the variable, and its lanes there.
type port struct {
	variable Variable
	lanes    uint8 // set of components
	kind     Scalar
	// alone is set if the location belongs to one variable outside of blocks, whose first component is 0.
	alone bool
	// linear, half and observed are facts about the variable: perspective-correct interpolation at the centre, relaxed
	// precision, and another observer besides the fragment program (transform feedback, draws of invariant outputs).
	linear, half, observed bool
	decorations            []decoration // that say how it is interpolated, and relaxed precision
}

// makeVaries returns the table varies, which lists the decorations that exclude the perspective-correct interpolation at the centre of a pixel.
func makeVaries() map[spirv.Decoration]bool {
	return map[spirv.Decoration]bool{spirv.DecorationFlat: true, spirv.DecorationNoPerspective: true,
		spirv.DecorationCentroid: true, spirv.DecorationSample: true, spirv.DecorationPerVertexKHR: true}
}

// ports returns the ports of the variables in a file, by location, those that the code does not use among them.
// Built-in variables have none.
func (p *Program) ports(file ir.File) map[uint16]*port {
	ports := map[uint16]*port{}
	for _, v := range p.interfaceVariables() {
		for k, r := range v.Registers {
			if r.File != file {
				continue
			}
			decorations, isBlock := p.decorationsAt(v, k)
			q := ports[r.Index]
			if q == nil {
				q = &port{variable: v, kind: v.Scalars[k], alone: !isBlock, linear: v.Scalars[k] == Float}
				ports[r.Index] = q
				for _, d := range decorations {
					q.linear = q.linear && !varies[d.kind]
					q.half = q.half || d.kind == spirv.DecorationRelaxedPrecision
					q.observed = q.observed || d.kind == spirv.DecorationXfbBuffer || d.kind == spirv.DecorationOffset ||
						d.kind == spirv.DecorationInvariant
					if varies[d.kind] || d.kind == spirv.DecorationRelaxedPrecision {
						q.decorations = append(q.decorations, d)
					}
				}
			}
			q.alone = q.alone && q.variable.ID == v.ID && !has(decorations, spirv.DecorationComponent)
			q.lanes |= 1 << r.Comp
		}
	}
	return ports
}

// interfaceVariables returns the inputs and outputs of the entry point. From version 1.4 on, it lists other variables too.
func (p *Program) interfaceVariables() (list []Variable) {
	for _, id := range p.Entry.Interface {
		if at, in := p.x.definition(id); in != nil && in.Op == spirv.OpVariable && isStage(in) {
			if v := p.x.newVariable(at); v != nil {
				list = append(list, p.x.describe(v))
			}
		}
	}
	return list
}

// decorationsAt returns the decorations of a lane of a variable, with those of the member of a block that has it.
func (p *Program) decorationsAt(v Variable, lane int) (list []decoration, inBlock bool) {
	list = p.x.decorations[v.ID]
	for s := p.x.types[v.Type]; s != nil; {
		switch s.kind {
		case arrayType:
			s, lane = s.elem, lane%s.elem.lanes
		case structType:
			k := len(s.members) - 1
			for s.laneAt[k] > lane {
				k--
			}
			list = slices.Concat(list, p.x.members[member{s.id, uint32(k)}])
			s, lane, inBlock = s.members[k], lane-s.laneAt[k], true
		default:
			return list, inBlock
		}
	}
	return list, inBlock
}

// maxLocation is the number of locations that every device has: 64 components, some of which built-in variables need
// (Vulkan specification, limits-required).
const maxLocation = 14

// Link implements ir.Stages.
func (p *Pair) Link(added ...ir.Varying) (*ir.Linkage, error) {
	outs, ins := p.Vertex.ports(Output), p.Fragment.ports(Input)
	l := &ir.Linkage{Loose: true}
	taken := map[uint16]bool{}
	for _, at := range locations(outs, ins) {
		taken[at] = true
		in, out := ins[at], outs[at]
		if out != nil && out.alone && !out.observed && (in == nil || in.alone) {
			l.Outputs = append(l.Outputs, ir.Reg{File: Output, Index: at})
		}
		if in == nil {
			continue
		}
		link := ir.Link{In: ir.Reg{File: Input, Index: at}, Linear: in.linear, Half: in.half,
			Shared: !in.alone || p.Fragment.declared}
		if out != nil {
			link.Out = ir.Reg{File: Output, Index: at}
			link.Shared = link.Shared || !out.alone || out.observed || in.half != out.half
			link.Half = link.Half || out.half
		}
		l.Links = append(l.Links, link)
	}
	for _, v := range added {
		taken[v.Out.Index] = true
		l.Links = append(l.Links, ir.Link{Out: v.Out, In: v.In, Linear: true})
		l.Outputs = append(l.Outputs, v.Out)
	}
	for at := range uint16(maxLocation) {
		if !taken[at] {
			l.Free = append(l.Free, ir.Varying{Out: ir.Reg{File: Output, Index: at}, In: ir.Reg{File: Input, Index: at}})
		}
	}
	return l, nil
}

// locations returns the locations of both maps in order.
func locations(a, b map[uint16]*port) (list []uint16) {
	for _, m := range []map[uint16]*port{a, b} {
		for at := range m {
			list = append(list, at)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Common implements ir.Stages: r is in a uniform block or in push constants that both programs use with one layout. A
// pipeline has one descriptor for a set and a binding, and one value for each byte of push constants.
func (p *Pair) Common(r ir.Reg) bool { return p.common[r.File] }

// layout describes the layout of a block, so that equal texts mean equal layouts.
func (x *index) layout(id spirv.ID) string {
	s := x.types[id]
	if s == nil {
		return ""
	}
	text := fmt.Sprint(s.kind, s.scalar, s.count)
	switch s.kind {
	case arrayType:
		stride, _ := number(x.decorations[id], spirv.DecorationArrayStride)
		return fmt.Sprint(text, " of ", stride, x.layout(s.elem.id))
	case structType:
		for k, m := range s.members {
			list := x.members[member{id, uint32(k)}]
			at, _ := number(list, spirv.DecorationOffset)
			stride, _ := number(list, spirv.DecorationMatrixStride)
			text += fmt.Sprint("; ", at, stride, has(list, spirv.DecorationRowMajor), x.layout(m.id))
		}
	}
	return text
}

// CanMirror implements ir.Stages: both programs read a block in place.
func (*Pair) CanMirror(ir.Reg) bool { return false }

// FreeConstants implements ir.Stages.
func (*Pair) FreeConstants(*ir.Func) []uint16 { return nil }

// FreePixelConstants implements ir.Stages.
func (*Pair) FreePixelConstants(*ir.Func) []uint16 { return nil }

// Growth implements ir.Stages. It finds no growth; verification finds results whose roundings change too much.
func (*Pair) Growth(*ir.Draw) ir.Growth { return unknownGrowth{} }

type unknownGrowth struct{}

// WorstGrowth implements ir.Growth.
func (unknownGrowth) WorstGrowth(*ir.Draw, float64) (ir.Op, float64) { return ir.OpInvalid, 0 }

// Close implements ir.Growth.
func (unknownGrowth) Close() {}

// IsVertex reports whether the program is a vertex program.
func (p *Program) IsVertex() bool { return p.Entry.Model == spirv.ExecutionModelVertex }

// Instructions returns the number of instructions in the functions of the program, without OpFunctionEnd.
func (p *Program) Instructions() (n int) {
	first := slices.IndexFunc(p.Module.Insts, func(in spirv.Inst) bool { return in.Op == spirv.OpFunction })
	e := &editor{m: p.Module, functions: first}
	for _, f := range callees(p.Entry.Function, e.functionsOf(false)) {
		n += len(f.insts) - 1
	}
	return n
}

// Components returns the number of components that the program sends to another stage or reads from one: outputs of a
// vertex program that it writes, or inputs of a fragment program that it reads.
func (p *Program) Components() (n int) {
	if p.IsVertex() {
		for _, o := range p.Func.Outs {
			if o.Reg.File == Output {
				n++
			}
		}
		return n
	}
	return len(p.reads())
}

// Declared returns the number of components that a vertex program declares as outputs at locations.
func (p *Program) Declared() (n int) {
	for _, q := range p.ports(Output) {
		n += bits.OnesCount8(q.lanes)
	}
	return n
}

// reads returns the components that a program reads of its interface.
func (p *Program) reads() map[ir.Reg]bool {
	reads := map[ir.Reg]bool{}
	see := func(v *ir.Value) {
		if v.Kind == ir.Input && v.Home.File == Input {
			reads[v.Home] = true
		}
	}
	p.Func.Walk(func(in *ir.Instr) { in.EachUse(func(l *ir.Lane) { see(l.V) }) })
	for _, o := range p.Func.Outs {
		see(o.V)
	}
	return reads
}

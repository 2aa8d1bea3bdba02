package rounding

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/vsps"
)

// Program is a lifted program and its source. The first analysis reads the declarations of Source and keeps
// them in the fields below.
type Program struct {
	Func   *ir.Func
	Source *d3d9.Program
	// Shared maps constants to the constants of the other stage that hold the same values.
	Shared map[uint16]uint16

	table *d3d9.ConstantTable
	// defs maps a float constant register to the words that def gives it.
	defs  map[uint16][4]uint32
	ports map[ir.Reg]semantic // by register, component included
	// ordinal numbers the instructions that define no value. Passes never reorder them.
	ordinal map[*ir.Instr]int
}

// Pair is the unit of analysis: the two programs of a draw, or one of them with the other nil.
type Pair struct {
	Vertex, Pixel *Program
	// varyings lists registers between the programs that Source does not declare yet.
	varyings []ir.Varying
}

// semantic is the usage and index of an input register.
type semantic struct {
	usage d3d9.Usage
	index uint8
}

// texelsPerAxis is the assumed size of textures, in texels. Errors of fetches are proportional to it.
const texelsPerAxis = 2048

// points is the number of points of the box at which the first-order condition is evaluated. Reports give
// medians over them, so that one outlier does not count.
const points = 8

// An Analyzer bounds errors under one arithmetic over one box. It analyses terms that programs share once,
// so an optimized version costs little after its original. It is not safe for concurrent use. Close ends
// it.
type Analyzer struct {
	hw     *Arithmetic
	box    Box
	rules  map[Rule]bool
	causes []Cause
	sites  map[*Program][]cause // by the first value that an instruction defines
	others map[*ir.Instr]cause  // by instruction, for those that define no value
	sizes  map[*ir.Region]int
	// whole is the graph over the box. Each point of the box has a graph of its own (see tour).
	whole *graph
	// sinks enables the search for operands whose errors are amplified (see growth).
	sinks bool
}

// Cause is an instruction that amplifies errors.
type Cause struct {
	stage d3d9.Stage
	Pos   asm.Pos
	op    ir.Op
	// fused reports that the instruction amplifies a sum with a product, which drivers may round once or
	// twice.
	fused bool
}

// New returns an Analyzer for the arithmetic hw over box.
func New(hw *Arithmetic, box Box) *Analyzer {
	return &Analyzer{hw: hw, box: box, rules: map[Rule]bool{}, causes: make([]Cause, 1), sites: map[*Program][]cause{},
		others: map[*ir.Instr]cause{}, sizes: map[*ir.Region]int{}}
}

// Close releases the memory of a, which must not be used afterwards.
func (a *Analyzer) Close() {
	a.whole.release()
	a.whole = nil
}

// execution is one symbolic execution of a pair. collect is set while it executes the pixel program, whose
// fetches and sinks count.
type execution struct {
	*Analyzer
	collect bool
	out     *outcome
}

// outcome is the result of one walk. Its values belong to the graph of the walk, or to the graph of the
// last call of settle.
type outcome struct {
	outs   []output
	texels float64 // largest displacement of a fetch of the pixel program
	met    []sink
	sunk   map[sinkKey]sunk
	kills  bool
	// killers lists the operands of kills and the conditions around them, in the order of the walk.
	killers []ref
	long    bool // too long to be followed to its end
	turns   []turn
	steered bool // the walk may differ at other points, even with the same turns
}

type output struct {
	name string
	reg  ir.Reg
	at   ref
	value
}

// blank returns a graph without terms, over the box or at a point of it. If steady is set, textures are
// taken to be constant.
func (a *Analyzer) blank(hw *Arithmetic, steady bool, point int) *graph {
	g := newGraph(hw)
	g.point = uint64(point)
	g.fused = func(c cause) { a.causes[c].fused = true }
	if !steady {
		g.texels.size = texelsPerAxis
	}
	g.texels.lo, g.texels.hi = a.box.texel()
	return g
}

// overBox executes a pair over the box.
func (a *Analyzer) overBox(p *Pair) (*outcome, error) {
	if a.whole == nil {
		a.whole = a.blank(a.hw, false, 0)
		a.whole.unknown = a.sinks
	}
	return a.executePair(p, a.whole)
}

// executePair executes a pair in a graph: the vertex program for one vertex, then the pixel program for one
// fragment. The inputs of the pixel program are interpolations of the vertex program's outputs.
func (a *Analyzer) executePair(p *Pair, g *graph) (*outcome, error) {
	e := &execution{Analyzer: a, out: &outcome{}}
	var varyings map[ir.Reg]ref
	if p.Vertex != nil {
		w := e.walker(g, p.Vertex, func(r ir.Reg) ref { return e.attribute(g, p.Vertex, r) })
		if p.Pixel == nil {
			e.outputs(w)
			e.out.settle(g)
			return e.out, nil
		}
		var err error
		if varyings, err = e.linkInputs(w, p); err != nil {
			return nil, err
		}
	}
	w := e.walker(g, p.Pixel, func(r ir.Reg) ref {
		if x, ok := varyings[r]; ok {
			return x
		}
		x := e.attribute(g, p.Pixel, r)
		if d3d9.File(r.File) != d3d9.Misc {
			x = g.interpolated(x, 0)
		}
		return x
	})
	e.outputs(w)
	e.out.settle(g)
	return e.out, nil
}

// walker executes a whole program and returns the walker with its values.
func (e *execution) walker(g *graph, p *Program, inputs func(ir.Reg) ref) *walker {
	p.prepare()
	g.compute(p.precision())
	if e.sites[p] == nil {
		e.sites[p] = make([]cause, p.Func.NumValues())
	}
	w := &walker{graph: g, run: e, prog: p, sites: e.sites[p], vals: make([]ref, p.Func.NumValues()), inputs: inputs,
		budget: maxWalked}
	e.collect = p.Source.Model.Stage == d3d9.Pixel
	w.executeRegion(p.Func.Body)
	e.out.kills, e.out.killers = e.out.kills || w.kills, append(e.out.killers, w.killers...)
	e.out.long = e.out.long || w.budget < 0
	g.compute(p.precision())
	return w
}

// outputs records the outputs of a program.
func (e *execution) outputs(w *walker) {
	for _, o := range w.prog.Func.Outs {
		name := d3d9.Reg{File: d3d9.File(o.Reg.File), Index: o.Reg.Index}.String() + "." + string("xyzw"[o.Reg.Comp])
		e.out.outs = append(e.out.outs, output{name: name, reg: o.Reg, at: w.value(o.V)})
	}
	slices.SortFunc(e.out.outs, func(a, b output) int { return cmp.Compare(number(a.reg), number(b.reg)) })
}

// linkInputs maps pixel inputs to the interpolated outputs of the vertex program. It matches semantics as the
// runtime does (vsps.Link), in the lower of the two declared precisions.
func (e *execution) linkInputs(w *walker, p *Pair) (map[ir.Reg]ref, error) {
	p.Pixel.prepare()
	l, err := vsps.Link(p.Vertex.Source, p.Pixel.Source, p.varyings...)
	if err != nil {
		return nil, err
	}
	m := map[ir.Reg]ref{}
	w.compute(pixelFull)
	for _, v := range l.Links {
		if v.Out.File == 0 {
			continue
		}
		if v.Half {
			w.compute(partial)
		}
		for c := range uint8(4) {
			out, in := v.Out, v.In
			out.Comp, in.Comp = c, c
			val := p.Vertex.Func.OutputValue(out)
			if val == nil {
				continue
			}
			x := w.value(val)
			if p.Pixel.Source.Model.Major < 3 && d3d9.File(in.File) == d3d9.Input {
				x = w.Call(ir.PrimSat, []ref{x}) // a colour
			}
			way := uint64(0)
			if !v.Linear { // colours and centroids are interpolated differently
				way = 1<<56 | number(in)
			}
			m[in] = w.interpolated(x, way)
		}
		w.compute(pixelFull)
	}
	return m, nil
}

// interpolated returns the interpolation of x over a triangle. The error of the interpolation is relative
// to the largest value in the triangle.
func (g *graph) interpolated(x ref, way uint64) ref {
	return g.internTerm(key{kind: kindInterpolate, aux: way, a: [3]ref{x}})
}

// copyDeclarations copies the declarations that before has already read into p, for programs with the same source.
func (p *Pair) copyDeclarations(before *Pair) {
	for _, x := range [][2]*Program{{p.Vertex, before.Vertex}, {p.Pixel, before.Pixel}} {
		if new, old := x[0], x[1]; new != nil && old != nil && new.Source == old.Source {
			new.table, new.defs, new.ports = old.table, old.defs, old.ports
		}
	}
}

// prepare reads the declarations of p's source once.
func (p *Program) prepare() {
	if p.ordinal != nil {
		return
	}
	p.ordinal = map[*ir.Instr]int{}
	if p.Func != nil {
		p.Func.Walk(func(in *ir.Instr) {
			if in.Mask() == 0 {
				p.ordinal[in] = len(p.ordinal)
			}
		})
	}
	if p.ports != nil { // known of another version
		return
	}
	p.ports, p.defs = map[ir.Reg]semantic{}, map[uint16][4]uint32{}
	p.table, _ = p.Source.ConstantTable() // an unreadable table is treated as absent
	for i := range p.Source.Insts {
		in := &p.Source.Insts[i]
		switch r := in.Dst.Reg; {
		case in.Op == d3d9.OpDef:
			p.defs[r.Index] = in.Imm
		case in.Op == d3d9.OpDcl && r.File == d3d9.Input &&
			(p.Source.Model.Stage == d3d9.Vertex || p.Source.Model.Major >= 3):
			for c := range 4 {
				if in.Dst.Mask.Has(c) {
					p.ports[ir.Reg{File: ir.File(r.File), Index: r.Index, Comp: uint8(c)}] = semantic{in.Decl.Usage, in.Decl.Index}
				}
			}
		}
	}
}

// precision returns the precision of instructions without _pp.
func (p *Program) precision() precision {
	if p.Source.Model.Stage == d3d9.Pixel {
		return pixelFull
	}
	return vertexFull
}

// The kinds of leaves. The kind is in the high bits of a leaf's number.
const (
	leafUniform uint64 = (iota + 1) << 56
	leafInput
	leafUndefined
)

// number returns a component of a register as a number below 2^40.
func number(r ir.Reg) uint64 { return uint64(r.File)<<32 | uint64(r.Index)<<8 | uint64(r.Comp) }

// space and number give registers of the two stages different numbers.
func (p *Program) space() uint64          { return uint64(p.Source.Model.Stage) }
func (p *Program) number(r ir.Reg) uint64 { return p.space()<<40 | number(r) }

// semantic returns the semantic of an input register component. Pixel programs below 3.0 derive it from the
// register file.
func (p *Program) semantic(r ir.Reg) (semantic, bool) {
	s, ok := p.ports[r]
	switch d3d9.File(r.File) {
	case d3d9.Texture:
		return semantic{d3d9.UsageTexCoord, uint8(r.Index)}, true
	case d3d9.Input:
		if !ok && p.Source.Model.Stage == d3d9.Pixel && p.Source.Model.Major < 3 {
			return semantic{d3d9.UsageColor, uint8(r.Index)}, true
		}
	}
	return s, ok
}

// attribute returns the value of an input that no other program computes.
func (e *execution) attribute(g *graph, p *Program, r ir.Reg) ref {
	s, ok := p.semantic(r)
	k := leafInput | p.number(r)
	i := interval{-1, 1, false, ruleUnit}
	switch {
	case d3d9.File(r.File) == d3d9.Misc && r.Index == 0: // vPos
		i = interval{0, texelsPerAxis, true, ruleFormat}
	case ok:
		k = leafInput | 1<<50 | uint64(s.usage)<<16 | uint64(s.index)<<8 | uint64(r.Comp)
		i = e.box.input(s.usage, s.index, r.Comp)
	}
	return e.externalValue(g, k, i)
}

// externalValue returns an external value: its whole range, or at a point of the box a number in that range. It
// records the rule that gives the range.
func (e *execution) externalValue(g *graph, number uint64, i interval) ref {
	if !e.rules[i.rule] {
		e.rules[i.rule] = true
	}
	n := len(g.nodes)
	lo, hi := i.rangeAt(number, g.point)
	x := g.leafTerm(number, lo, hi, i.whole)
	if int(x) == n {
		g.drawn = append(g.drawn, drawn{x, i})
	}
	return x
}

// uniform returns a component of a constant register that the program does not change. Integer constants
// have the ranges of trip counts, starts and steps that the reference admits. A vertex constant that
// repeats a pixel constant is the same leaf.
func (e *execution) uniform(g *graph, p *Program, r ir.Reg) ref {
	switch d3d9.File(r.File) {
	case d3d9.ConstInt: // a trip count, or the start or step of a counter
		lo, hi := 0.0, float64(maxTrips)
		if r.Comp == 2 {
			lo, hi = -128, 127
		}
		if g.point != 0 {
			hi = lo + 4
			if r.Comp == 2 {
				lo, hi = 1, 1
			}
		}
		return e.externalValue(g, leafUniform|p.number(r), interval{lo, hi, true, ruleFormat})
	case d3d9.ConstBool:
		return e.externalValue(g, leafUniform|p.number(r), interval{0, 1, true, ruleFormat})
	}
	if bits, ok := p.defs[r.Index]; ok {
		return g.literal(bits[r.Comp])
	}
	stage, k := p.Source.Model.Stage, p.number(r)
	if from, ok := p.Shared[r.Index]; ok {
		r.Index, stage = from, stage.Other()
		k = uint64(stage)<<40 | number(r)
	}
	return e.externalValue(g, leafUniform|k, e.box.constant(stage, r, p.table))
}

// scramble returns a hash of a number (the finaliser of splitmix64).
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// asCause returns the number of an instruction as a cause, which is the same in every walk of the program.
func (w *walker) asCause(in *ir.Instr) cause {
	for _, v := range in.Out {
		if v != nil {
			if w.sites[v.ID] == 0 {
				w.sites[v.ID] = w.run.newSite(w.prog, in)
			}
			return w.sites[v.ID]
		}
	}
	c, ok := w.run.others[in]
	if !ok {
		c = w.run.newSite(w.prog, in)
		w.run.others[in] = c
	}
	return c
}

func (a *Analyzer) newSite(p *Program, in *ir.Instr) cause {
	a.causes = append(a.causes, Cause{stage: p.Source.Model.Stage, Pos: in.Pos, op: in.Op})
	return cause(len(a.causes) - 1)
}

// regionSize counts the instructions of a region.
func (a *Analyzer) regionSize(r *ir.Region) int {
	n, ok := a.sizes[r]
	if !ok {
		r.Walk(func(*ir.Instr) { n++ })
		a.sizes[r] = n
	}
	return n
}

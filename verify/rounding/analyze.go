package rounding

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/vsps"
)

// Program is one program, lifted, and what it was lifted from. What Source says is read when the program
// is first analysed, and kept in the fields below.
type Program struct {
	Func   *ir.Func
	Source *d3d9.Program
	// Shared maps constants to those of the other stage whose values they hold.
	Shared map[uint16]uint16

	table *d3d9.ConstantTable
	// defs are the words that def gives float constants, by register.
	defs  map[uint16][4]uint32
	ports map[ir.Reg]semantic // by register, component included
	// ordinal numbers the instructions that define nothing: none of them is ever moved.
	ordinal map[*ir.Instr]int
}

// Pair is what is analysed: the programs of a draw, or one of them, the other being nil.
type Pair struct {
	Vertex, Pixel *Program
	// Varyings are registers between them that Source does not declare yet.
	Varyings []ir.Varying
}

// semantic is what an input register is for.
type semantic struct {
	usage d3d9.Usage
	index uint8
}

// texelsPerAxis is how large textures are taken to be. Assumed; errors of fetches are proportional.
const texelsPerAxis = 2048

// points is how many points of the box the first-order condition is looked at. Medians over them are
// reported, so that one odd point does not count.
const points = 8

// Analyzer bounds errors under one arithmetic over one box. Terms that programs share are analysed
// once, so that an optimized version costs little beside its original. It is not safe for concurrent
// use; Close ends it.
type Analyzer struct {
	hw     *Arithmetic
	box    Box
	rules  map[Rule]bool
	causes []Cause
	sites  map[*Program][]cause // by the first value that an instruction defines
	others map[*ir.Instr]cause  // of those that define none
	sizes  map[*ir.Region]int
	// whole is the graph over the box; at a point there is another one (see tour).
	whole *graph
	// sinks: operands where errors are amplified are looked for (see Growth).
	sinks bool
}

// Cause is an instruction that amplifies errors.
type Cause struct {
	Stage d3d9.Stage
	Pos   asm.Pos
	Op    ir.Op
	// Fused tells that it amplifies a sum with a product, which drivers may round once or
	// twice.
	Fused bool
}

// New makes an analyzer.
func New(hw *Arithmetic, box Box) *Analyzer {
	return &Analyzer{hw: hw, box: box, rules: map[Rule]bool{}, causes: make([]Cause, 1), sites: map[*Program][]cause{}, others: map[*ir.Instr]cause{}, sizes: map[*ir.Region]int{}}
}

// Close gives back the memory of a, which is not used any more.
func (a *Analyzer) Close() {
	a.whole.release()
	a.whole = nil
}

// Rules lists what the ranges of the box rest on.
func (a *Analyzer) Rules() []Rule { return used(a.rules) }

// execution is one walk of a pair; collect is set in its pixel program, of which fetches and sinks count.
type execution struct {
	*Analyzer
	collect bool
	out     *outcome
}

// outcome is what a walk found. Its values are those of the graph that it was made in, or that settle
// was last called with.
type outcome struct {
	outs   []output
	texels float64 // that fetches of the pixel program are displaced by, at most
	met    []sink
	sunk   map[sinkKey]sunk
	kills  bool
	// killers are what decides about fragments, in the order of the walk: operands of kills with the
	// conditions that they are under.
	killers []ref
	long    bool // too long to be followed to its end
	turns   []turn
	steered bool // elsewhere it may be another walk, whatever turns say
}

type output struct {
	name string
	reg  ir.Reg
	at   ref
	value
}

// blank is a graph without terms, over the box or at a point of it; steady has textures be the
// same all over.
func (a *Analyzer) blank(hw *Arithmetic, steady bool, point int) *graph {
	g := newGraph(hw)
	g.point = uint64(point)
	g.fused = func(c cause) { a.causes[c].Fused = true }
	if !steady {
		g.texels.size = texelsPerAxis
	}
	g.texels.lo, g.texels.hi = a.box.texel()
	return g
}

// overBox follows a pair over the box.
func (a *Analyzer) overBox(p *Pair) (*outcome, error) {
	if a.whole == nil {
		a.whole = a.blank(a.hw, false, 0)
		a.whole.unknown = a.sinks
	}
	return a.walk(p, a.whole)
}

// walk follows a pair in a graph: the vertex program for one vertex, and then the pixel program for one
// fragment, whose inputs are interpolations of the vertex program's outputs.
func (a *Analyzer) walk(p *Pair, g *graph) (*outcome, error) {
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
		if varyings, err = e.link(w, p); err != nil {
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

// walker walks through a whole program and returns the walker with its values.
func (e *execution) walker(g *graph, p *Program, inputs func(ir.Reg) ref) *walker {
	p.prepare()
	g.compute(p.precision())
	if e.sites[p] == nil {
		e.sites[p] = make([]cause, p.Func.NumValues())
	}
	w := &walker{graph: g, run: e, prog: p, sites: e.sites[p], vals: make([]ref, p.Func.NumValues()), inputs: inputs, budget: maxWalked}
	e.collect = p.Source.Model.Stage == d3d9.Pixel
	w.code(p.Func.Body)
	e.out.kills, e.out.killers = e.out.kills || w.kills, append(e.out.killers, w.killers...)
	e.out.long = e.out.long || w.budget < 0
	g.compute(p.precision())
	return w
}

// outputs notes what a program shows.
func (e *execution) outputs(w *walker) {
	for _, o := range w.prog.Func.Outs {
		name := d3d9.Reg{File: d3d9.File(o.Reg.File), Index: o.Reg.Index}.String() + "." + string("xyzw"[o.Reg.Comp])
		e.out.outs = append(e.out.outs, output{name: name, reg: o.Reg, at: w.value(o.V)})
	}
	slices.SortFunc(e.out.outs, func(a, b output) int { return cmp.Compare(number(a.reg), number(b.reg)) })
}

// link gives pixel inputs the interpolated outputs of the vertex program, by semantics as the runtime
// links them (vsps.Link), in the precision that either declares.
func (e *execution) link(w *walker, p *Pair) (map[ir.Reg]ref, error) {
	p.Pixel.prepare()
	l, err := vsps.Link(p.Vertex.Source, p.Pixel.Source, p.Varyings...)
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
			val := p.Vertex.Func.Out(out)
			if val == nil {
				continue
			}
			x := w.value(val)
			if p.Pixel.Source.Model.Major < 3 && d3d9.File(in.File) == d3d9.Input {
				x = w.Call(ir.PrimSat, []ref{x}) // a colour
			}
			way := uint64(0)
			if !v.Linear { // colours and centroids are interpolated in ways of their own
				way = 1<<56 | number(in)
			}
			m[in] = w.interpolated(x, way)
		}
		w.compute(pixelFull)
	}
	return m, nil
}

// interpolated is x interpolated over a triangle in some way, the error of which is relative to
// the largest value there.
func (g *graph) interpolated(x ref, way uint64) ref {
	return g.term(key{kind: kindInterpolate, aux: way, a: [3]ref{x}})
}

// like has p be prepared as before is, of whose programs it has another version.
func (p *Pair) like(before *Pair) {
	for _, x := range [][2]*Program{{p.Vertex, before.Vertex}, {p.Pixel, before.Pixel}} {
		if new, old := x[0], x[1]; new != nil && old != nil && new.Source == old.Source {
			new.table, new.defs, new.ports = old.table, old.defs, old.ports
		}
	}
}

// prepare reads what the source of p says once.
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
	p.table, _ = p.Source.ConstantTable() // a table that cannot be read says nothing
	for i := range p.Source.Insts {
		in := &p.Source.Insts[i]
		switch r := in.Dst.Reg; {
		case in.Op == d3d9.OpDef:
			p.defs[r.Index] = in.Imm
		case in.Op == d3d9.OpDcl && r.File == d3d9.Input && (p.Source.Model.Stage == d3d9.Vertex || p.Source.Model.Major >= 3):
			for c := range 4 {
				if in.Dst.Mask.Has(c) {
					p.ports[ir.Reg{File: ir.File(r.File), Index: r.Index, Comp: uint8(c)}] = semantic{in.Decl.Usage, in.Decl.Index}
				}
			}
		}
	}
}

// precision is that of instructions without _pp.
func (p *Program) precision() precision {
	if p.Source.Model.Stage == d3d9.Pixel {
		return pixelFull
	}
	return vertexFull
}

// Numbers of what comes from outside: the kind in the high bits.
const (
	leafUniform uint64 = (iota + 1) << 56
	leafInput
	leafUndefined
)

// number is a component of a register as a number, below 2^40.
func number(r ir.Reg) uint64 { return uint64(r.File)<<32 | uint64(r.Index)<<8 | uint64(r.Comp) }

// space and number tell the registers of the stages apart.
func (p *Program) space() uint64          { return uint64(p.Source.Model.Stage) }
func (p *Program) number(r ir.Reg) uint64 { return p.space()<<40 | number(r) }

// semantic is what an input register component is for. Below 3.0 those of pixel programs
// go by their file.
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

// attribute is an input that no other program computes.
func (e *execution) attribute(g *graph, p *Program, r ir.Reg) ref {
	s, ok := p.semantic(r)
	k := leafInput | p.number(r)
	i := interval{-1, 1, false, RuleUnit}
	switch {
	case d3d9.File(r.File) == d3d9.Misc && r.Index == 0: // vPos
		i = interval{0, texelsPerAxis, true, RuleFormat}
	case ok:
		k = leafInput | 1<<50 | uint64(s.usage)<<16 | uint64(s.index)<<8 | uint64(r.Comp)
		i = e.box.input(s.usage, s.index, r.Comp)
	}
	return e.leaf(g, k, i)
}

// leaf is a value from outside: anything in a range, or at a point of the box a number in it. The rule
// that the range rests on is noted.
func (e *execution) leaf(g *graph, number uint64, i interval) ref {
	if !e.rules[i.rule] {
		e.rules[i.rule] = true
	}
	n := len(g.nodes)
	lo, hi := i.at(number, g.point)
	x := g.leaf(number, lo, hi, i.whole)
	if int(x) == n {
		g.drawn = append(g.drawn, drawn{x, i})
	}
	return x
}

// uniform is a component of a constant register that the program does not change. Integer constants are
// trip counts, starts and steps of loops, as far as the reference admits; a vertex constant that
// repeats a pixel constant is that leaf.
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
		return e.leaf(g, leafUniform|p.number(r), interval{lo, hi, true, RuleFormat})
	case d3d9.ConstBool:
		return e.leaf(g, leafUniform|p.number(r), interval{0, 1, true, RuleFormat})
	}
	if bits, ok := p.defs[r.Index]; ok {
		return g.literal(bits[r.Comp])
	}
	stage, k := p.Source.Model.Stage, p.number(r)
	if from, ok := p.Shared[r.Index]; ok {
		r.Index, stage = from, stage.Other()
		k = uint64(stage)<<40 | number(r)
	}
	return e.leaf(g, leafUniform|k, e.box.constant(stage, r, p.table))
}

// scramble is a hash of a number (the finaliser of splitmix64).
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// asCause numbers an instruction as a cause, the same in every walk of the program.
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
	a.causes = append(a.causes, Cause{Stage: p.Source.Model.Stage, Pos: in.Pos, Op: in.Op})
	return cause(len(a.causes) - 1)
}

// size counts the instructions of a region.
func (a *Analyzer) size(r *ir.Region) int {
	n, ok := a.sizes[r]
	if !ok {
		r.Walk(func(*ir.Instr) { n++ })
		a.sizes[r] = n
	}
	return n
}

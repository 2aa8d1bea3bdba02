package draw

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/vsps"
)

// Draw is a draw: a pair of programs, or one of either stage, as drivers' compilers see them after
// their clean-up passes. Prices are computed from views, one for each way in which drivers link the
// two programs; views are built on first use. A Draw is not safe for concurrent use.
type Draw struct {
	vertex, pixel *ir.Func
	link          *ir.Linkage
	views         [numLinkings]*programs
	memo          *Memo
	// sides holds the separate analyses of vertex and pixel, and prints the fingerprints under
	// which memo keeps them, if any.
	sides  [2]*side
	prints [2][2]uint64
	// memory allocates everything else of this draw; it is nil after Close.
	*memory
	// of is the original draw, from which this one differs only in the frequency of loops.
	of *Draw
	by int // how executions of nodes are counted
}

// linking is the knowledge of a driver's compiler about the vertex program when it compiles the
// pixel program. It also identifies the translator from Direct3D 9 that precedes the compiler.
type linking uint8

const (
	apart      linking = iota // nothing
	translated                // as linked, except for named components; code moves; reciprocals are guarded
	vectorial                 // only literals and equal components are known; instructions are shared whole
	linked                    // equal components, components that are constant over a primitive, and literals
	numLinkings
)

// programs holds the programs of a draw, nil for a missing one.
type programs struct {
	vertex, pixel *stage
	sent          int // components that the vertex program sends to the pixel program
}

// stage is one of the programs as a graph, with analyses that are computed once. These are the live
// nodes, their numbers of readers, the uniform nodes, and the products that are fused into sums.
type stage struct {
	*graph
	outs    []output // of the graph, those that are read
	live    []bool
	uses    []int32 // live readers
	uniform []bool  // equal in all invocations
	fused   []bool  // products that are fused into sums
	pixel   bool
	// by is how executions of nodes are counted, and fusedBy the first way with the same fusions.
	by, fusedBy int
	reruns      [numRuns]*stage // the stage with another way of counting
	wants       map[ir.Reg]bool // its original inputs, if its compiler knows the vertex program
	// Cached results for targets.
	counted  *counts
	from     []source // by node
	together []uint8
	strays   []bool
	hash     [2]uint64
}

// New returns a draw of the programs of a pair, either of which may be nil. Pricing uses budget b.
func New(b *budget.Budget, vs, ps *d3d9.Program) (*Draw, error) {
	m := newMemory()
	d, err := m.draw(b, vs, ps)
	if err != nil {
		memories.Put(m)
	}
	return d, err
}

// draw builds the draw in m.
func (m *memory) draw(b *budget.Budget, vs, ps *d3d9.Program) (d *Draw, err error) {
	d = &Draw{memo: new(Memo), memory: m}
	if vs != nil {
		if d.vertex, err = vsps.LiftIn(&m.lifted, vs); err != nil {
			return nil, err
		}
		d.vertex.Budget = b
	}
	if ps != nil {
		if d.pixel, err = vsps.LiftIn(&m.lifted, ps); err != nil {
			return nil, err
		}
		d.pixel.Budget = b
	}
	if vs != nil && ps != nil {
		if d.link, err = vsps.Link(vs, ps); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// FromFuncs returns a draw of lifted programs, either of which may be nil. If neither is, link describes
// their linkage, and they must be the two functions of that link. They must not change while the
// draw is in use.
func FromFuncs(vertex, pixel *ir.Func, link *ir.Linkage) *Draw {
	return &Draw{vertex: vertex, pixel: pixel, link: link, memo: new(Memo), memory: newMemory()}
}

// Remember makes d use and extend the results of draws that share m. Call it before any price of d
// is computed. prints are the fingerprints of its programs.
func (d *Draw) Remember(m *Memo, prints [2][2]uint64) {
	d.memo, d.prints = m, prints
	for i, print := range prints {
		d.sides[i] = m.takeSide(i, print)
	}
}

// Fingerprints returns the fingerprints of the programs.
func (d *Draw) Fingerprints() (prints [2][2]uint64) {
	for i, f := range []*ir.Func{d.vertex, d.pixel} {
		if f != nil {
			prints[i] = f.Fingerprint()
		}
	}
	return prints
}

// Close returns the memory of d to other draws. d, and draws derived from it by Once or Shortest,
// must not be used afterwards.
func (d *Draw) Close() {
	for i, s := range d.sides {
		if s != nil {
			d.memo.store(i, d.prints[i], s)
		}
	}
	memories.Put(d.memory)
	d.memory = nil
}

// analysisOf returns the analysis of one of the programs.
func (d *Draw) analysisOf(i int) *side {
	if d.sides[i] == nil {
		d.sides[i] = &side{memory: newMemory()}
	}
	return d.sides[i]
}

// poll ends pricing once the budget is exhausted, also for a draw whose results are all cached.
func (d *Draw) poll() {
	for _, f := range []*ir.Func{d.vertex, d.pixel} {
		if f != nil {
			f.Budget.Poll()
		}
	}
}

// programsFor returns the programs as a compiler with this linking sees them.
func (d *Draw) programsFor(how linking) *programs {
	if p := d.views[how]; p != nil {
		return p
	}
	p := &programs{}
	switch {
	case d.of != nil:
		*p = *d.of.programsFor(how)
		p.vertex, p.pixel = p.vertex.rerun(d.by), p.pixel.rerun(d.by)
	case d.pixel == nil:
		p.vertex = d.analysisOf(0).sends(d.vertex, how, d.analysisOf(0).graph(d.vertex, how).outs)
	case d.vertex == nil:
		p.pixel = d.analysisOf(1).reads(d.pixel, how)
	default:
		d.buildPair(p, how)
	}
	d.views[how] = p
	return p
}

// buildPair sets p to the programs of a pair. The pixel program decides which outputs of the vertex
// program are needed.
func (d *Draw) buildPair(p *programs, how linking) {
	vertex, reads := d.analysisOf(0).graph(d.vertex, how), p
	if how == apart {
		p.pixel = d.analysisOf(1).reads(d.pixel, how)
	} else {
		link := newLinker(vertex, d.link, how)
		switch alone := link.tellsNothing(d.memory, d.pixel); {
		case alone && how == linked:
			p.pixel = d.analysisOf(1).reads(d.pixel, apart)
		case alone && how == vectorial:
			p.pixel = d.analysisOf(1).reads(d.pixel, how)
		default:
			p.pixel = newPixel(liftGraph(d.memory, d.pixel, link.leaf, how))
		}
		if how == translated {
			p.pixel = link.compile(p.pixel)
		}
	}
	if how == vectorial { // literals are known but still sent
		reads = d.programsFor(translated)
	}
	outs, sent := reads.needed(vertex, d.link)
	p.vertex, p.sent = d.analysisOf(0).sends(d.vertex, how, outs), sent
}

// side holds the analyses of a program that do not depend on the other one. Draws that share the
// program reuse them.
type side struct {
	*memory
	graphs [numLinkings]*graph
	stages [numLinkings]*stage // with the outputs that were needed last
}

// graph returns the graph of f alone. Programs to be linked have the same graph as separate ones.
func (s *side) graph(f *ir.Func, how linking) *graph {
	if how == linked {
		how = apart
	}
	if s.graphs[how] == nil {
		s.graphs[how] = liftGraph(s.memory, f, ownLeaf, how)
	}
	return s.graphs[how]
}

// sends returns the vertex program f with these outputs needed.
func (s *side) sends(f *ir.Func, how linking, outs []output) *stage {
	if known := s.stages[how]; known == nil || !slices.Equal(known.outs, outs) {
		s.stages[how] = newStage(s.graph(f, how), outs)
	}
	return s.stages[how]
}

// reads returns the pixel program f alone.
func (s *side) reads(f *ir.Func, how linking) *stage {
	if s.stages[how] == nil {
		s.stages[how] = newPixel(s.graph(f, how))
	}
	return s.stages[how]
}

func newPixel(g *graph) *stage {
	if g.vectors {
		g.vectorize()
	}
	s := newStage(g, g.outs)
	s.pixel = true
	return s
}

// Kinds of components that the pixel program reads, in node.bits of inputs.
const (
	varies = iota
	flat   // equal at all vertices, and computed there
	plain  // a constant of the host that the vertex program passes on
)

// linker determines the values of a pixel program's inputs, given the vertex program's graph.
type linker struct {
	vertex  *graph
	uniform []bool
	link    *ir.Linkage
	outs    map[ir.Reg]arg
	first   map[sent]ir.Reg
	how     linking
	gone    map[ir.Reg]bool // inputs that another value replaces
}

// sent is a value of the vertex program with its kind of interpolation.
type sent struct {
	arg
	linear bool
}

func newLinker(vertex *graph, link *ir.Linkage, how linking) *linker {
	l := &linker{vertex, uniformity(vertex), link, map[ir.Reg]arg{}, map[sent]ir.Reg{}, how, map[ir.Reg]bool{}}
	for _, o := range vertex.outs {
		l.outs[o.reg] = o.arg
	}
	return l
}

// leaf returns the value of a leaf of the pixel program. Drivers that link programs substitute
// literals that the vertex program sends, and merge equal components. Inputs without linear
// interpolation stay unchanged.
func (l *linker) leaf(g *graph, v *ir.Value) arg {
	if v.Kind != ir.Input {
		return ownLeaf(g, v)
	}
	way := l.varying(v.Home)
	if way == nil || way.Out.File == 0 {
		return ownLeaf(g, v)
	}
	out := way.Out
	out.Comp = v.Home.Comp
	a, ok := l.outs[out]
	if !ok {
		return ownLeaf(g, v)
	}
	n := node{kind: input, reg: v.Home}
	if !way.Linear {
		return g.addNode(n)
	}
	switch from := &l.vertex.nodes[a.n]; {
	case l.how != linked && way.Named && !l.isDefault(v.Home, a):
		return g.addNode(n)
	case from.kind == literal:
		l.gone[v.Home] = true
		return g.withModifier(g.literal(from.bits), a.mod)
	case l.how == vectorial:
	case from.kind == uniform && l.how == translated: // the pixel program reads it directly
		l.gone[v.Home] = true
		u := node{kind: uniform, reg: from.reg}
		u.reg.File |= ofVertices
		return g.withModifier(g.addNode(u), a.mod)
	case from.kind == uniform && a.mod == 0:
		n.bits = plain
	case l.uniform[a.n]:
		n.bits = flat
	}
	key := sent{a, way.Linear}
	if reg, ok := l.first[key]; ok {
		n.reg = reg
		l.gone[v.Home] = true
	}
	l.first[key] = n.reg
	return g.addNode(n)
}

// tellsNothing reports whether the vertex program gives the pixel program's compiler no information
// about its inputs.
func (l *linker) tellsNothing(m *memory, pixel *ir.Func) bool {
	g := m.graph(0) // for the leaves without a link
	defer clear(l.first)
	defer clear(l.gone)
	return !pixel.HasLeaf(func(v *ir.Value) bool { return v.Kind == ir.Input && l.leaf(g, v) != ownLeaf(g, v) })
}

// ofVertices marks the constants of vertex programs.
const ofVertices = 1 << 6

// compile transforms a pixel program as Mesa's linker does.
func (l *linker) compile(s *stage) *stage {
	wants := s.addInputs(l.gone)
	movable := func(n *node) bool {
		if n.reg.Index >= firstMoved {
			return true
		}
		way := l.varying(n.reg)
		return way != nil && way.Out.File != 0 && way.Linear && !way.Named
	}
	if s.moveBack(s, movable) {
		s = newPixel(s.graph)
	}
	s.compact(s.live, movable)
	s.wants = wants
	return s
}

// isDefault reports whether 0 or 1 is sent in the last component of coordinates (z or w). For varyings
// with OpenGL names, Mesa's linker knows only these (nir_opt_varyings.c), since points may replace
// texture coordinates.
func (l *linker) isDefault(in ir.Reg, a arg) bool {
	x, ok := l.vertex.number(a)
	return ok && (in.Comp == 2 && x == 0 || in.Comp == 3 && x == 1)
}

func (l *linker) varying(in ir.Reg) *ir.Link {
	in.Comp = 0
	for i := range l.link.Links {
		if l.link.Links[i].In == in {
			return &l.link.Links[i]
		}
	}
	return nil
}

// addInputs adds the inputs that a stage reads to a set.
func (s *stage) addInputs(set map[ir.Reg]bool) map[ir.Reg]bool {
	for i := range s.nodes {
		if n := &s.nodes[i]; n.kind == input && s.live[i] {
			set[n.reg] = true
		}
	}
	return set
}

// needed returns the outputs of the vertex program that the pixel program or the rasterizer reads,
// and the number of components that the pixel program reads. Outputs that only a pixel program
// could read, and does not, are dead.
func (p *programs) needed(vertex *graph, link *ir.Linkage) (outs []output, n int) {
	read := p.pixel.wants
	if read == nil {
		read = p.pixel.addInputs(map[ir.Reg]bool{})
	}
	pixelOnly := map[ir.Reg]bool{}
	for _, r := range link.Outputs {
		pixelOnly[r] = true
	}
	in := map[ir.Reg]ir.Reg{}
	for _, v := range link.Links {
		in[v.Out] = v.In
	}
	for _, o := range vertex.outs {
		reg := o.reg
		reg.Comp = 0
		to, linked := in[reg]
		to.Comp = o.reg.Comp
		switch {
		case linked && read[to]:
			n++
			outs = append(outs, o)
		case !linked && !pixelOnly[reg]:
			outs = append(outs, o)
		}
	}
	return outs, n
}

// attributes counts the input registers that are read.
func (s *stage) attributes() int {
	regs := map[ir.Reg]bool{}
	for i := range s.nodes {
		if n := &s.nodes[i]; n.kind == input && s.live[i] {
			regs[ir.Reg{File: n.reg.File, Index: n.reg.Index}] = true
		}
	}
	return len(regs)
}

// newStage marks the nodes that outputs and effects depend on, counts readers, and fuses products.
func newStage(g *graph, outs []output) *stage {
	n := len(g.nodes)
	s := &stage{graph: g, outs: outs, live: zeroed(&g.flags, n), uses: zeroed(&g.ints, n), uniform: uniformity(g)}
	var work []int32
	use := func(a arg) {
		s.uses[a.n]++
		if !s.live[a.n] {
			s.live[a.n] = true
			work = append(work, a.n)
		}
	}
	drain := func() {
		for len(work) > 0 {
			n := &g.nodes[work[len(work)-1]]
			work = work[:len(work)-1]
			for _, a := range n.inputs() {
				use(a)
			}
		}
	}
	for _, o := range outs {
		use(o.arg)
	}
	for _, at := range g.effects {
		use(arg{n: at})
	}
	drain()
	s.fused = s.fuseProducts()
	return s
}

// uniformity returns which nodes have the same value in all invocations of a draw: they depend only
// on literals and uniforms.
func uniformity(g *graph) []bool {
	even := zeroed(&g.flags, len(g.nodes))
	for i := range g.nodes {
		n := &g.nodes[i]
		switch n.kind {
		case literal, uniform:
			even[i] = true
		case add, mul, dot, call, choose, load:
			even[i] = true
			for _, a := range n.args {
				even[i] = even[i] && even[a.n]
			}
		}
	}
	return even
}

// WithSingleTrips returns d with every loop run once, as in the counts that compilers print.
func (d *Draw) WithSingleTrips() *Draw { return d.rerun(single) }

// Shortest returns d with every loop that may end after one trip run once, and reports whether
// there are such loops.
func (d *Draw) Shortest() (short *Draw, differs bool) {
	for _, f := range []*ir.Func{d.vertex, d.pixel} {
		if f != nil {
			f.Walk(func(in *ir.Instr) { differs = differs || in.Op == ir.OpLoop && mayEnd(in) })
		}
	}
	return d.rerun(shortest), differs
}

// rerun returns d with another way of counting executions.
func (d *Draw) rerun(by int) *Draw {
	return &Draw{vertex: d.vertex, pixel: d.pixel, link: d.link, memo: d.memo, of: d, by: by}
}

// rerun returns s with another way of counting executions. Fusion depends on it, since a product
// outside a loop is not fused into a sum inside. If the fusions are equal, the results of s are
// reused, since operations and their schedules are the same. These take most of the time of a
// price.
func (s *stage) rerun(by int) *stage {
	if s == nil || !s.varies(by) {
		return s
	}
	if s.reruns[by] == nil {
		c := *s
		c.by = by
		if c.fused = c.fuseProducts(); !slices.Equal(c.fused, s.fused) {
			c.counted, c.hash, c.fusedBy = nil, [2]uint64{}, by
		}
		s.reruns[by] = &c
	}
	return s.reruns[by]
}

// varies reports whether any execution count differs under that way of counting.
func (s *stage) varies(by int) bool {
	return slices.ContainsFunc(s.rates, func(runs often) bool { return runs[by] != runs[s.by] })
}

// Components returns the number of components that the vertex program sends to the pixel program, if the driver
// compiles each alone.
func (d *Draw) Components() int { return d.programsFor(apart).sent }

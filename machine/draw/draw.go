package draw

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/vsps"
)

// Draw is what a draw runs: a pair of programs, or one of either stage, as drivers' compilers see
// them after their clean-up passes. Prices are taken from views of it, one for each way in which
// drivers link the two programs; they are made when a target first asks. Not safe for concurrent
// use.
type Draw struct {
	vertex, pixel *ir.Func
	link          *ir.Linkage
	views         [numLinkings]*programs
	memo          *Memo
	// sides are what is known of vertex and pixel by themselves, and prints who remembers them by
	// what, if anybody does.
	sides  [2]*side
	prints [2][2]uint64
	// memory is what everything else of this draw is allocated in; it is nil once the draw is closed.
	*memory
	// of is the draw that this is but for how often loops run.
	of *Draw
	by int // how it is counted how often nodes run
}

// linking is what a driver's compiler knows of the vertex program when it compiles the pixel
// program, and what translated the programs from Direct3D 9 for it.
type linking uint8

const (
	apart      linking = iota // nothing
	translated                // what linked says but of components with names, and what of the pixel program can move; and programs are GLSL where reciprocals of zero are chosen around
	vectorial                 // as translated, but of literals and which components are equal alone; and instructions are shared whole
	linked                    // which components are equal, which are the same all over, and literals
	numLinkings
)

// programs are those of a draw, nil where there is none.
type programs struct {
	vertex, pixel *stage
	sent          int // components that reach the pixel program from the vertex program
}

// stage is one of the programs as a graph, with what is derived from it once: which nodes are of
// use, how many readers each has, which are the same in all invocations, and which products are
// fused into sums.
type stage struct {
	*graph
	outs    []output // of the graph, those that something reads
	live    []bool
	uses    []int32 // readers that are of use
	uniform []bool  // the same for all invocations
	fused   []bool  // products that sums take along
	pixel   bool
	// How it is counted how often nodes run, and the first way in which the same is fused.
	by, fusedBy int
	reruns      [numRuns]*stage // it, where that is counted another way
	wants       map[ir.Reg]bool // inputs that it has had, where its compiler knows the vertex program
	// What targets have asked, which some of them do not tell apart.
	counted  *counts
	from     []source // by node
	together []uint8
	strays   []bool
	hash     [2]uint64
}

// New makes a draw of the programs of a pair, either of which may be nil, to be priced within b.
func New(b *budget.Budget, vs, ps *d3d9.Program) (*Draw, error) {
	m := newMemory()
	d, err := m.draw(b, vs, ps)
	if err != nil {
		memories.Put(m)
	}
	return d, err
}

// draw is [New] in m.
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

// Of makes a draw of programs that have been lifted, either of which may be nil, and of how
// they are linked if neither is. They must not change while the draw is in use.
// They have to be the two functions of one link.
func Of(vertex, pixel *ir.Func, link *ir.Linkage) *Draw {
	return &Draw{vertex: vertex, pixel: pixel, link: link, memo: new(Memo), memory: newMemory()}
}

// Remember has d know what draws that remember by m have found out, and tell what it finds. It does
// so before anything is asked of d. prints are the fingerprints of its programs.
func (d *Draw) Remember(m *Memo, prints [2][2]uint64) {
	d.memo, d.prints = m, prints
	for i, print := range prints {
		d.sides[i] = m.take(i, print)
	}
}

// Fingerprints are those of the programs.
func (d *Draw) Fingerprints() (prints [2][2]uint64) {
	for i, f := range []*ir.Func{d.vertex, d.pixel} {
		if f != nil {
			prints[i] = f.Fingerprint()
		}
	}
	return prints
}

// Close gives the memory of d to other draws: it is not used any more, nor what is like it but
// for its loops.
func (d *Draw) Close() {
	for i, s := range d.sides {
		if s != nil {
			d.memo.keep(i, d.prints[i], s)
		}
	}
	memories.Put(d.memory)
	d.memory = nil
}

// side returns what is known of one of the programs.
func (d *Draw) side(i int) *side {
	if d.sides[i] == nil {
		d.sides[i] = &side{memory: newMemory()}
	}
	return d.sides[i]
}

// poll ends pricing once the time is up, of a draw too of which all is known.
func (d *Draw) poll() {
	for _, f := range []*ir.Func{d.vertex, d.pixel} {
		if f != nil {
			f.Budget.Poll()
		}
	}
}

// view returns the programs as a compiler sees them that knows what how says.
func (d *Draw) view(how linking) *programs {
	if p := d.views[how]; p != nil {
		return p
	}
	p := &programs{}
	switch {
	case d.of != nil:
		*p = *d.of.view(how)
		p.vertex, p.pixel = p.vertex.rerun(d.by), p.pixel.rerun(d.by)
	case d.pixel == nil:
		p.vertex = d.side(0).sends(d.vertex, how, d.side(0).graph(d.vertex, how).outs)
	case d.vertex == nil:
		p.pixel = d.side(1).reads(d.pixel, how)
	default:
		d.pair(p, how)
	}
	d.views[how] = p
	return p
}

// pair sets p to the programs of a pair. Which outputs of the vertex program are needed follows
// from the pixel program.
func (d *Draw) pair(p *programs, how linking) {
	vertex, reads := d.side(0).graph(d.vertex, how), p
	if how == apart {
		p.pixel = d.side(1).reads(d.pixel, how)
	} else {
		link := newLinker(vertex, d.link, how)
		switch alone := link.tellsNothing(d.memory, d.pixel); {
		case alone && how == linked:
			p.pixel = d.side(1).reads(d.pixel, apart)
		case alone && how == vectorial:
			p.pixel = d.side(1).reads(d.pixel, how)
		default:
			p.pixel = newPixel(lift(d.memory, d.pixel, link.leaf, how))
		}
		if how == translated {
			p.pixel = link.compile(p.pixel)
		}
	}
	if how == vectorial { // literals are known, and sent nevertheless
		reads = d.view(translated)
	}
	outs, sent := reads.needed(vertex, d.link)
	p.vertex, p.sent = d.side(0).sends(d.vertex, how, outs), sent
}

// side is what does not depend on the other program, and draws that have this one in common need
// not find out again.
type side struct {
	*memory
	graphs [numLinkings]*graph
	stages [numLinkings]*stage // with the outputs that were needed last
}

// graph is f by itself. One that is to be linked is as one that is not.
func (s *side) graph(f *ir.Func, how linking) *graph {
	if how == linked {
		how = apart
	}
	if s.graphs[how] == nil {
		s.graphs[how] = lift(s.memory, f, ownLeaf, how)
	}
	return s.graphs[how]
}

// sends is the vertex program f where these outputs of it are needed.
func (s *side) sends(f *ir.Func, how linking, outs []output) *stage {
	if known := s.stages[how]; known == nil || !slices.Equal(known.outs, outs) {
		s.stages[how] = newStage(s.graph(f, how), outs)
	}
	return s.stages[how]
}

// reads is the pixel program f by itself.
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
	flat   // the same at all vertices, and computed there
	plain  // a constant of the host that the vertex program passes on
)

// linker says what the inputs of a pixel program hold, given the vertex program's graph.
type linker struct {
	vertex  *graph
	uniform []bool
	link    *ir.Linkage
	outs    map[ir.Reg]arg
	first   map[sent]ir.Reg
	how     linking
	gone    map[ir.Reg]bool // inputs that something else stands for
}

// sent is a value of the vertex program, and how it is interpolated.
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

// leaf is what a leaf of the pixel program holds. Drivers that link programs put in literals that
// the vertex program sends, and make one of components that are equal. Inputs that are not
// interpolated linearly stay what they are.
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
		return g.node(n)
	}
	switch from := &l.vertex.nodes[a.n]; {
	case l.how != linked && way.Named && !l.last(v.Home, a):
		return g.node(n)
	case from.kind == literal:
		l.gone[v.Home] = true
		return g.with(g.literal(from.bits), a.mod)
	case l.how == vectorial:
	case from.kind == uniform && l.how == translated: // is read by the pixel program
		l.gone[v.Home] = true
		u := node{kind: uniform, reg: from.reg}
		u.reg.File |= ofVertices
		return g.with(g.node(u), a.mod)
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
	return g.node(n)
}

// tellsNothing reports whether all inputs of a pixel program are to its compiler what they would be
// without the vertex program.
func (l *linker) tellsNothing(m *memory, pixel *ir.Func) bool {
	g := m.graph(0) // for what leaves are alone
	defer clear(l.first)
	defer clear(l.gone)
	return !pixel.HasLeaf(func(v *ir.Value) bool { return v.Kind == ir.Input && l.leaf(g, v) != ownLeaf(g, v) })
}

// ofVertices marks the constants of vertex programs.
const ofVertices = 1 << 6

// compile does with a pixel program what Mesa's linker does.
func (l *linker) compile(s *stage) *stage {
	wants := s.read(l.gone)
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

// last reports whether what is sent is 0 or 1 in the last component of coordinates (z or w). Of
// varyings that OpenGL has names for, Mesa's linker knows no more than that (nir_opt_varyings.c),
// since points may replace texture coordinates.
func (l *linker) last(in ir.Reg, a arg) bool {
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

// read adds the inputs that a stage reads to those of a set.
func (s *stage) read(set map[ir.Reg]bool) map[ir.Reg]bool {
	for i := range s.nodes {
		if n := &s.nodes[i]; n.kind == input && s.live[i] {
			set[n.reg] = true
		}
	}
	return set
}

// needed returns the outputs of the vertex program that the pixel program or the rasterizer reads,
// and how many components the pixel program does. Outputs that only a pixel program could read, and
// does not, are dead.
func (p *programs) needed(vertex *graph, link *ir.Linkage) (outs []output, n int) {
	read := p.pixel.wants
	if read == nil {
		read = p.pixel.read(map[ir.Reg]bool{})
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

// newStage marks what outputs and effects depend on, counts readers, and fuses products.
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
	s.fused = s.fuse()
	return s
}

// uniformity says which nodes have the same value in all invocations of a draw: they depend on
// literals and uniforms alone.
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

// Once is d with every loop run once: what compilers print counts of.
func (d *Draw) Once() *Draw { return d.rerun(single) }

// Shortest is d with every loop run once that may end then, if there are such.
func (d *Draw) Shortest() (short *Draw, differs bool) {
	for _, f := range []*ir.Func{d.vertex, d.pixel} {
		if f != nil {
			f.Walk(func(in *ir.Instr) { differs = differs || in.Op == ir.OpLoop && mayEnd(in) })
		}
	}
	return d.rerun(shortest), differs
}

// rerun is d with nodes that run as often as they are counted that way.
func (d *Draw) rerun(by int) *Draw {
	return &Draw{vertex: d.vertex, pixel: d.pixel, link: d.link, memo: d.memo, of: d, by: by}
}

// rerun is s where it is counted that way how often nodes run. Fusion depends on it, since a product
// outside of a loop is not fused into a sum within. Where the same is fused, what is known of s is
// known of it: operations and their schedules, which take most of the time of a price, are the same.
func (s *stage) rerun(by int) *stage {
	if s == nil || !s.varies(by) {
		return s
	}
	if s.reruns[by] == nil {
		c := *s
		c.by = by
		if c.fused = c.fuse(); !slices.Equal(c.fused, s.fused) {
			c.counted, c.hash, c.fusedBy = nil, [2]uint64{}, by
		}
		s.reruns[by] = &c
	}
	return s.reruns[by]
}

// varies reports whether anything runs less often or more where that is counted that way.
func (s *stage) varies(by int) bool {
	return slices.ContainsFunc(s.rates, func(runs often) bool { return runs[by] != runs[s.by] })
}

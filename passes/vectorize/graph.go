package vectorize

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/ir"
)

// graph records the position of every instruction in its region and the readers of every value. Joins update
// it. Positions are numbers with gaps, so that a joined instruction can be put between two others without
// renumbering (order maintenance).
type graph struct {
	nodes   []node
	regions []region
	def     []int32 // by value: the node that defines it, or -1
	head    []int32 // by value: its first use, or -1
	uses    []use
	last    []int64     // by value: the position of its last use, or a later one
	value   []*ir.Value // by ID: the temporaries
	depth   []int32     // see graphBuilder
	lists   []int32     // the nodes of regions
}

// node is an instruction in the order of its region.
type node struct {
	in     *ir.Instr
	region int32
	at     int64 // position in the region
	into   int32 // the node it was joined into, or itself
	// the number of address changes before it in the region: loads of equal epochs read the same element
	epoch int32
	loads bool // reads an indexed register
}

// region is a region with its nodes in code order, joined ones included.
type region struct {
	ir    *ir.Region
	nodes []int32
}

// use is a reader of a value. reader is the node whose operands read it, or -1 if it is read as a whole. at
// is the node in the region of the value that is, or contains, the reader, or -1 for the end of that region.
type use struct {
	reader, at, next int32
}

// Positions.
const (
	spacing = 1 << 24 // between the positions of neighbours
	atStart = -1
	atEnd   = math.MaxInt64
)

// buildGraph rebuilds g for f. It reuses the slices of g, as functions are many and small.
func (g *graph) buildGraph(f *ir.Func) {
	n := f.NumValues()
	*g = graph{nodes: g.nodes[:0], regions: g.regions[:0], uses: g.uses[:0], depth: container.Zeros(g.depth, n),
		lists: g.lists[:0],
		def:   container.Zeros(g.def, n), head: container.Zeros(g.head, n), last: container.Zeros(g.last, n), value: container.Zeros(g.value, n)}
	for i := range n {
		// No definition and no use yet.
		g.def[i], g.head[i] = -1, -1
	}
	b := graphBuilder{graph: g, depth: g.depth}
	b.region(f.Body)
	for _, o := range f.Outs {
		b.addUse(o.V, -1)
	}
}

// graphBuilder fills a graph in one walk.
type graphBuilder struct {
	*graph
	depth []int32 // by value: nesting depth of the region that defines it
	path  []int32 // the nodes that contain the current one, itself last
}

// region adds the nodes of r and of nested regions, and the uses of their values.
func (b *graphBuilder) region(r *ir.Region) {
	depth := int32(len(b.path))
	for _, v := range r.Params {
		b.depth[v.ID], b.value[v.ID] = depth, v
	}
	if r.Index != nil {
		b.depth[r.Index.ID] = depth
	}
	id := int32(len(b.regions))
	from := len(b.lists)
	b.lists = slices.Grow(b.lists, len(r.Code))[:from+len(r.Code)]
	b.regions = append(b.regions, region{ir: r, nodes: b.lists[from:from:len(b.lists)]})
	b.path = append(b.path, 0)
	epoch := int32(0)
	for i, in := range r.Code {
		n := int32(len(b.nodes))
		b.nodes = append(b.nodes, node{in: in, region: id, at: int64(i) * spacing, into: n, epoch: epoch})
		b.regions[id].nodes = append(b.regions[id].nodes, n)
		b.path[depth] = n
		for s := range in.Src {
			for _, l := range in.Src[s] {
				if l.V != nil {
					b.addUse(l.V, n)
					b.nodes[n].loads = b.nodes[n].loads || l.V.IsLoaded()
				}
			}
		}
		for k := range in.Out {
			b.handed(in.Pred[k].V)
			b.handed(in.Keep[k])
		}
		for _, v := range in.Args {
			b.handed(v)
		}
		for _, sub := range in.Sub {
			b.region(sub)
			for _, v := range sub.Results {
				b.handed(v)
			}
		}
		// Constructs may write the index register, and so may special instructions.
		if len(in.Sub) > 0 || in.Op.Has(ir.Special) {
			epoch++
		}
		in.EachDef(func(v *ir.Value) { b.def[v.ID], b.depth[v.ID], b.value[v.ID] = n, depth, v })
	}
	b.path = b.path[:depth]
}

// handed records a use of v as a whole, outside of operands: a predicate, a block argument, an output.
func (b *graphBuilder) handed(v *ir.Value) {
	if v != nil {
		b.addUse(v, -1)
	}
}

// addUse adds a use of v by reader, in the current path. The order depends on the instruction in v's region that
// contains the reader.
func (b *graphBuilder) addUse(v *ir.Value, reader int32) {
	if v.IsLeaf() {
		return
	}
	at, pos := int32(-1), int64(atEnd)
	if d := b.depth[v.ID]; int(d) < len(b.path) {
		at = b.path[d]
		pos = b.nodes[at].at
	}
	b.last[v.ID] = max(b.last[v.ID], pos)
	if h := b.head[v.ID]; h >= 0 && b.uses[h].reader == reader && b.uses[h].at == at {
		return
	}
	b.uses = append(b.uses, use{reader, at, b.head[v.ID]})
	b.head[v.ID] = int32(len(b.uses) - 1)
}

// followJoins follows joins from n to the node that replaced it, halving the path (see webs).
func (g *graph) followJoins(n int32) int32 {
	for g.nodes[n].into != n {
		g.nodes[n].into = g.nodes[g.nodes[n].into].into
		n = g.nodes[n].into
	}
	return n
}

// ready returns the position of the last definition in its region that n depends on.
func (g *graph) ready(n int32) int64 {
	at := int64(atStart)
	in := g.nodes[n].in
	for s := range in.Src {
		for _, l := range in.Src[s] {
			if l.V == nil || g.def[l.V.ID] < 0 {
				continue
			}
			if d := g.followJoins(g.def[l.V.ID]); g.nodes[d].region == g.nodes[n].region {
				at = max(at, g.nodes[d].at)
			}
		}
	}
	return at
}

// reads reports whether an operand of b is defined by a, joined or not.
func (g *graph) reads(b, a int32) bool {
	in := g.nodes[b].in
	for s := range in.Src {
		for _, l := range in.Src[s] {
			if l.V != nil && g.def[l.V.ID] >= 0 && g.followJoins(g.def[l.V.ID]) == a {
				return true
			}
		}
	}
	return false
}

// needed returns the position of the first use of a result of n.
func (g *graph) needed(n int32) int64 {
	at := int64(atEnd)
	for _, v := range g.nodes[n].in.Out {
		if v == nil {
			continue
		}
		for u := g.head[v.ID]; u >= 0; u = g.uses[u].next {
			if to := g.uses[u].at; to >= 0 {
				at = min(at, g.nodes[g.followJoins(to)].at)
			}
		}
	}
	return at
}

// joinPosition returns a position for an instruction that replaces a and b, where a is the earlier. This is the
// position of a if the operands of b are ready by then, of b if nothing needs a before, or one between them.
// Derivatives and fetches that choose a level do not move.
//
//	a: mul r0.x, v0, c0
//	   add r1.y, v1, c1      the operands of b are ready here
//	b: mul r0.y, r1, c0      the joined one goes here, if no instruction before it reads r0.x
func (g *graph) joinPosition(a, b int32) (at int64, ok bool) {
	na, nb := &g.nodes[a], &g.nodes[b]
	if (na.loads || nb.loads) && na.epoch != nb.epoch {
		return 0, false // the index register may have changed in between
	}
	if g.reads(b, a) {
		return 0, false
	}
	ready, needed := g.ready(b), g.needed(a)
	switch {
	case ready < na.at:
		return na.at, true
	case na.in.Op.Has(ir.Convergent):
		return 0, false
	case needed > nb.at:
		return nb.at, true
	// No gap is left. Positions are far enough apart for 24 joins at one place.
	case needed-ready < 2:
		return 0, false
	}
	return ready + (needed-ready)/2, true
}

// reorder sorts the code of r by position. Nodes at one position do not depend on each other; they keep their
// order.
func (g *graph) reorder(r *region) {
	live := make([]int32, 0, len(r.nodes))
	for _, n := range r.nodes {
		if g.nodes[n].into == n {
			live = append(live, n)
		}
	}
	slices.SortStableFunc(live, func(x, y int32) int {
		switch a, b := g.nodes[x].at, g.nodes[y].at; {
		case a < b:
			return -1
		case a > b:
			return 1
		}
		return 0
	})
	code := r.ir.Code[:0]
	for _, n := range live {
		code = append(code, g.nodes[n].in)
	}
	clear(r.ir.Code[len(code):])
	r.ir.Code = code
}

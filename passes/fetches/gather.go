package fetches

import (
	"sort"

	"github.com/shaderlift/shaderlift/ir"
)

// group is a sequence of fetches. Numbers are positions in the block. Groups are in the order of at, and
// therefore in dependence order.
type group struct {
	at      int   // position of the group: that of its first fetch
	slice   []int // computations of coordinates that have to move before them
	fetches []int
	full    bool
	next    int // a later group, with no open group in between
}

// place is the constraint on the position of an instruction. after and stays cover all transitive
// dependences.
type place struct {
	group int // the group it moves with, or -1
	after int // number of groups that have to come before it
	stays int // the last immovable instruction that has to come before it, or -1
	fetch bool
}

// gatherer assigns the fetches of a block to groups, in one walk. A fetch joins the first group with room
// that comes after all its dependences. This is greedy list scheduling of fetches as early as possible.
type gatherer struct {
	*block
	limits
	index  map[*ir.Instr]int
	places []place
	groups []*group
	closed int // groups before the last cut
}

// gather builds the groups of b.
func (b *block) gather(l limits) *gatherer {
	g := &gatherer{block: b, limits: l, index: make(map[*ir.Instr]int, len(b.code)), places: make([]place, len(b.code))}
	for i, in := range b.code {
		g.index[in] = i
		p := &g.places[i]
		*p = place{group: -1, stays: -1}
		// The operands of in decide: after which groups, and after which immovable instruction.
		g.eachSource(in, func(d int) {
			from := &g.places[d]
			switch {
			case from.fetch:
				p.after = max(p.after, from.group+1)
			case stays(b.code[d]):
				p.stays = max(p.stays, d)
			default:
				p.after, p.stays = max(p.after, from.after), max(p.stays, from.stays)
			}
		})
		// A copy moves with its read. Predicated fetches do not move.
		switch {
		case b.copies(i) && g.places[i-1].fetch:
			p.group, p.fetch = g.places[i-1].group, true
		case b.fetches(in) && !in.IsPredicated():
			p.group, p.fetch = g.joinGroup(i), true
		}
	}
	// The computations of coordinates, in code order.
	for i := range g.places {
		if p := &g.places[i]; p.group >= 0 && !p.fetch {
			to := g.groups[p.group]
			to.slice = append(to.slice, i)
		}
	}
	return g
}

// eachSource calls visit with the instructions of the block that in reads. Values from outside are always
// available.
func (g *gatherer) eachSource(in *ir.Instr, visit func(d int)) {
	in.EachUse(func(l *ir.Lane) {
		if l.V.Def != nil {
			if d, ok := g.index[l.V.Def]; ok {
				visit(d)
			}
		}
	})
}

// stays reports whether in, which is not a movable fetch, has to stay in place: it reads or sets state, or
// depends on state.
func stays(in *ir.Instr) bool {
	return !in.Op.HasFormula() && in.Op != ir.OpLoad || in.IsPredicated() || in.Op.Has(ir.Special)
}

// joinGroup adds fetch i to the first possible group, and returns its number. The group must follow the groups
// that the fetch depends on (after) and the immovable instructions (by the groups' positions), and must not
// precede the last cut. If there is none, the fetch starts a group in place.
func (g *gatherer) joinGroup(i int) int {
	if g.cuts[i] {
		g.closed = len(g.groups)
	}
	p := &g.places[i]
	behind := sort.Search(len(g.groups), func(k int) bool { return g.groups[k].at > p.stays })
	n := g.openGroup(max(g.closed, p.after, behind))
	if n == len(g.groups) {
		g.groups = append(g.groups, &group{at: i, next: n + 1})
	}
	to := g.groups[n]
	to.fetches = append(to.fetches, i)
	to.full = len(to.fetches) == g.window
	g.pullOperands(i, n)
	return n
}

// openGroup returns the first open group from number n on, with path compression as in a union-find (Tarjan 1975),
// so that thousands of full groups are not walked again.
func (g *gatherer) openGroup(n int) int {
	if n == len(g.groups) || !g.groups[n].full {
		return n
	}
	g.groups[n].next = g.openGroup(g.groups[n].next)
	return g.groups[n].next
}

// pullOperands moves the operands of i with group n, unless they precede it. It recurses over the slice of the
// coordinates. Operands that move with an earlier group are ready in time.
func (g *gatherer) pullOperands(i, n int) {
	g.eachSource(g.code[i], func(d int) {
		p := &g.places[d]
		if d < g.groups[n].at || p.fetch || p.group >= 0 && p.group <= n {
			return
		}
		p.group = n
		g.pullOperands(d, n)
	})
}

// gathered returns the code of the block with its groups together, each preceded by its computations in their
// old order. Each fetch still follows its dependences: computations that were pulled, earlier groups, and
// immovable instructions.
func (g *gatherer) gathered() []*ir.Instr {
	out := make([]*ir.Instr, 0, len(g.places))
	next := 0
	for i, in := range g.code {
		if next < len(g.groups) && g.groups[next].at == i {
			for _, k := range g.groups[next].slice {
				out = append(out, g.code[k])
			}
			for _, k := range g.order(g.groups[next].fetches) {
				out = append(out, g.code[k])
				if k+1 < len(g.places) && g.copies(k+1) {
					out = append(out, g.code[k+1])
				}
			}
			next++
		}
		if g.places[i].group < 0 {
			out = append(out, in)
		}
	}
	return out
}

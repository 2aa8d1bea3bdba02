package groupfetch

import (
	"sort"

	"github.com/shaderlift/shaderlift/ir"
)

// group is fetches that come one after the other. Numbers are places in the block.
// Groups are in the order of at, and so of what they may depend on.
type group struct {
	at      int   // where they go: the place of the first of them
	slice   []int // what computes their coordinates and has to move before them
	fetches []int
	full    bool
	next    int          // a group behind this, with none between that is not full
	coords  map[int]bool // what computes coordinates, where registers are counted
}

// place is what is known of an instruction: where it may go. after and stays are of all
// that it depends on, however far.
type place struct {
	group int // that it moves with, or -1
	after int // groups that have to come before it
	stays int // the last instruction that does not move and has to come before it, or -1
	fetch bool
}

// gatherer assigns the fetches of a block to groups, in one walk: a fetch goes to the
// first group that is behind all that it waits for and has room. That is greedy list
// scheduling of fetches as early as possible.
type gatherer struct {
	*block
	limits
	index  map[*ir.Instr]int
	places []place
	groups []*group
	closed int // groups before the last cut
	roots  roots
}

// gather makes the groups of b.
func (b *block) gather(l limits) *gatherer {
	g := &gatherer{block: b, limits: l, index: make(map[*ir.Instr]int, len(b.code)), places: make([]place, len(b.code)),
		roots: roots{numbers[root]{}, map[lane]sum{}}}
	for i, in := range b.code {
		g.index[in] = i
		p := &g.places[i]
		*p = place{group: -1, stays: -1}
		// What in depends on decides: behind which groups, and behind which instruction
		// that stays.
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
		// A copy goes with its read. Fetches under a predicate do not move.
		switch {
		case b.copies(i) && g.places[i-1].fetch:
			p.group, p.fetch = g.places[i-1].group, true
		case b.fetches(in) && !in.IsPredicated():
			p.group, p.fetch = g.join(i), true
		}
	}
	// What computes coordinates, in the order of the code.
	for i := range g.places {
		if p := &g.places[i]; p.group >= 0 && !p.fetch {
			to := g.groups[p.group]
			to.slice = append(to.slice, i)
		}
	}
	return g
}

// eachSource calls visit with the instructions of the block that in reads. What is
// defined outside is there already.
func (g *gatherer) eachSource(in *ir.Instr, visit func(d int)) {
	in.EachUse(func(l *ir.Lane) {
		if l.V.Def != nil {
			if d, ok := g.index[l.V.Def]; ok {
				visit(d)
			}
		}
	})
}

// stays reports whether in, which is not a fetch that moves, has to stay where it is: what
// reads or sets state, or depends on it.
func stays(in *ir.Instr) bool {
	return !in.Op.HasFormula() && in.Op != ir.OpLoad || in.IsPredicated() || in.Op.Has(ir.Special)
}

// join adds fetch i to the first group that can have it, and returns its number: behind
// the groups that it depends on (after), behind what stays (by the groups' places), and
// not before the last cut. If there is none, it begins a group where it is.
func (g *gatherer) join(i int) int {
	if g.cuts[i] {
		g.closed = len(g.groups)
	}
	p := &g.places[i]
	behind := sort.Search(len(g.groups), func(k int) bool { return g.groups[k].at > p.stays })
	n := g.open(max(g.closed, p.after, behind))
	for n < len(g.groups) && !g.fits(g.groups[n], i) {
		// A group without registers for one fetch is closed for all, though one that
		// shares coordinates might still fit.
		g.groups[n].full = true
		n = g.open(n)
	}
	if n == len(g.groups) {
		g.groups = append(g.groups, &group{at: i, next: n + 1, coords: map[int]bool{}})
	}
	to := g.groups[n]
	to.fetches = append(to.fetches, i)
	to.full = len(to.fetches) == g.window
	if g.gprs > 0 {
		g.eachSource(g.code[i], func(d int) { to.coords[d] = true })
	}
	g.pull(i, n)
	return n
}

// open is the first group from number n on that is not full, with path compression, as
// in a union-find (Tarjan 1975), so that thousands of full groups are not walked
// through again.
func (g *gatherer) open(n int) int {
	if n == len(g.groups) || !g.groups[n].full {
		return n
	}
	g.groups[n].next = g.open(g.groups[n].next)
	return g.groups[n].next
}

// fits reports whether to has the registers for fetch i: one for the result of each
// fetch, and one for each instruction that computes coordinates.
func (g *gatherer) fits(to *group, i int) bool {
	if g.gprs <= 0 {
		return true
	}
	more := map[int]bool{}
	g.eachSource(g.code[i], func(d int) {
		if !to.coords[d] {
			more[d] = true
		}
	})
	return len(to.fetches)+1+len(to.coords)+len(more) <= g.gprs
}

// pull makes what i reads move with group n, where it does not come before it. It
// recurses over the slice of the coordinates. What moves with an earlier group is there
// in time.
func (g *gatherer) pull(i, n int) {
	g.eachSource(g.code[i], func(d int) {
		p := &g.places[d]
		if d < g.groups[n].at || p.fetch || p.group >= 0 && p.group <= n {
			return
		}
		p.group = n
		g.pull(d, n)
	})
}

// gathered is the code of the block with its groups together: in front of each the
// computations it takes, in their old order. It is right because each fetch stands
// behind what it depends on: computations that are pulled, earlier groups, and
// instructions that stay.
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

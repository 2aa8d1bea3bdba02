package lower

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/machine/mir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// classes is a union-find structure of the draft's values that share a register. The live ranges of
// a class's members do not overlap, so the members do not interfere.
type classes struct {
	l      *lowerer
	parent []mir.Val
	// spans holds the live ranges of a class, at its representative.
	spans  [][]regalloc.Span
	united container.Slab[regalloc.Span] // memory for merged lists
	// groups holds the tuple of a class, at its representative; nil for unconstrained classes.
	groups []*tuple
}

// tuple is a set of up to four classes in different channels of one register, such as the
// coordinates of a fetch.
type tuple struct {
	members []mir.Val
	first   [4]mir.Val // memory of members
	reg     int32      // register of an input plus one, 0 if open
	told    bool       // tied in the program
}

func (l *lowerer) newClasses(spans [][]regalloc.Span) *classes {
	m := l.room
	m.parent, m.groups = container.Zeros(m.parent, len(l.vals)), container.Zeros(m.groups, len(l.vals))
	c := &classes{l: l, spans: spans, parent: m.parent, groups: m.groups}
	c.united.Again(256)
	for v := range c.parent {
		c.parent[v] = mir.Val(v)
	}
	inputs := map[int32]*tuple{}
	for v := 1; v < len(l.vals); v++ { // they come first, by register
		reg := l.vals[v].reg
		if reg == 0 {
			break
		}
		if inputs[reg] == nil {
			inputs[reg] = &tuple{reg: reg}
		}
		g := inputs[reg]
		g.members = append(g.members, mir.Val(v))
		c.groups[v] = g
	}
	return c
}

func (c *classes) find(v mir.Val) mir.Val {
	for c.parent[v] != v {
		c.parent[v] = c.parent[c.parent[v]]
		v = c.parent[v]
	}
	return v
}

// unite joins two values in one class if they can share a register, and reports whether it did. The
// class keeps the channel hint of the first. Only one of the classes may be in a tuple.
func (c *classes) unite(a, b mir.Val) bool {
	a, b = c.find(a), c.find(b)
	if a == b {
		return true
	}
	if !c.compatible(a, b) {
		return false
	}
	x, y := &c.l.vals[a], &c.l.vals[b]
	if x.channel == mir.AnyChan {
		x.channel = y.channel
	}
	c.spans[a], _ = regalloc.Merge(c.spans[a], c.spans[b], true, true,
		func(n int) []regalloc.Span { return c.united.Alloc(n)[:0] })
	c.parent[b] = a
	if g := c.groups[b]; g != nil {
		g.members[slices.Index(g.members, b)] = a
		c.groups[a] = g
	}
	return true
}

// compatible reports whether two classes can be joined. Their live ranges must not overlap, at most
// one may be in a tuple, and their channels must agree. The tuple of one must not have the channel
// of the other elsewhere.
func (c *classes) compatible(a, b mir.Val) bool {
	x, y := c.l.vals[a].channel, c.l.vals[b].channel
	return (x == mir.AnyChan || y == mir.AnyChan || x == y) && (c.groups[a] == nil || c.groups[b] == nil) &&
		!c.beside(a, y) && !c.beside(b, x) && !regalloc.Overlap(c.spans[a], c.spans[b])
}

// beside reports whether another class in the register of v is bound to channel ch.
func (c *classes) beside(v mir.Val, ch int8) bool {
	if ch == mir.AnyChan || c.groups[v] == nil {
		return false
	}
	for _, m := range c.groups[v].members {
		if m != v && c.l.vals[m].channel == ch {
			return true
		}
	}
	return false
}

// copyPair holds the ends of a copy.
type copyPair struct {
	dst, src mir.Val
	depth    int
}

// coalesce unites the ends of copies if possible. Copies in the deepest loops come first, since
// they run most often. The coalescing is aggressive, because nothing is spilled.
func (c *classes) coalesce(body mir.Region) {
	pairs := c.l.room.pairs[:0]
	eachCopies(body, func(it *copies) {
		for i, s := range it.src {
			if s.Kind == mir.ValArg && !s.Neg && !s.Abs {
				pairs = append(pairs, copyPair{it.dst[i], s.Val, it.depth})
			}
		}
	})
	c.l.room.pairs = pairs
	slices.SortStableFunc(pairs, func(a, b copyPair) int { return cmp.Compare(b.depth, a.depth) })
	for _, p := range pairs {
		c.unite(p.dst, p.src)
	}
}

func eachCopies(r mir.Region, f func(*copies)) {
	for _, it := range r {
		switch it := it.(type) {
		case *mir.If:
			eachCopies(it.Then, f)
			eachCopies(it.Else, f)
		case *mir.Loop:
			eachCopies(it.Body, f)
		case *copies:
			f(it)
		}
	}
}

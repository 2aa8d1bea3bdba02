package lower

import (
	"slices"

	"github.com/shaderlift/shaderlift/machine/mir"
)

// request is a set of operands of one item that must share a register. Examples are the coordinates
// of a fetch, its results, the components of an export, and the index or data of a write.
type request struct {
	item  mir.Item
	slots [4]*mir.Val // the operands, n of them
	chans [4]int8     // channels that they must have, if bound
	n     int8
	bound bool
	write bool // the item defines them
	depth int
}

// operands returns the locations of the operands.
func (q *request) operands() []*mir.Val { return q.slots[:q.n] }

// addOperand adds an operand, unless it is 0.
func (q *request) addOperand(v *mir.Val, ch int) {
	if *v != 0 {
		q.slots[q.n], q.chans[q.n] = v, int8(ch)
		q.n++
	}
}

// eachRequest calls f for the requests of the items of r.
func eachRequest(r mir.Region, depth int, f func(request)) {
	want := func(q request) {
		if q.n > 0 {
			f(q)
		}
	}
	values := func(it mir.Item, write bool, vals *[4]mir.Val) {
		q := request{item: it, write: write, depth: depth}
		for i := range vals {
			q.addOperand(&vals[i], i)
		}
		want(q)
	}
	coords := func(it, of *mir.Fetch) {
		q := request{item: it, depth: depth}
		for i := range of.Coords {
			q.addOperand(&of.Coords[i].Val, i)
		}
		want(q)
	}
	for _, it := range r {
		switch it := it.(type) {
		case *mir.If:
			eachRequest(it.Then, depth, f)
			eachRequest(it.Else, depth, f)
		case *mir.Loop:
			eachRequest(it.Body, depth+1, f)
		case *mir.Fetch:
			for _, s := range it.Setup {
				coords(it, s)
			}
			coords(it, it)
			values(it, true, &it.Dst)
		case *mir.Memory:
			values(it, false, &it.Index)
			values(it, false, &it.Data)
		case *mir.Export:
			for i := range it.Regs {
				q := request{item: it, bound: true, depth: depth}
				for c := range it.Regs[i] {
					q.addOperand(&it.Regs[i][c], c)
				}
				want(q)
			}
		}
	}
}

// satisfy satisfies q. If everything fits one register, it is tied. Otherwise operands are copied into
// the tuple that needs fewest copies: that of an operand, or a new one.
func (t *tupleAllocator) satisfy(q *request) {
	if fitsRegister(t.together(nil, q)) {
		t.bindTuple(nil, q)
		return
	}
	var best *tuple
	least := t.copiesFor(nil, q)
	if !q.bound && !q.write && !t.private {
		for _, s := range q.operands() {
			for _, v := range append([]mir.Val{t.find(*s)}, t.hoisted[*s]...) { // it or its copies
				if g := t.groups[v]; g != nil {
					if n := t.copiesFor(g, q); n < least || best == nil && n == least {
						best, least = g, n
					}
				}
			}
		}
	}
	t.placeOperands(best, q)
}

// together returns the members and operands of g and q, and all values tied to them, with their
// channels. These would share a register if g and the operands of q did. It fails if an operand
// would need two channels, if two components of an export are one value, or if two input registers
// meet. The lists are memory of t.
func (t *tupleAllocator) together(g *tuple, q *request) (members []mir.Val, chans []int8, reg int32, ok bool) {
	members, chans, ok = t.members[:0], t.chans[:0], true
	add := func(v mir.Val, ch int8) {
		i := slices.Index(members, v)
		if i < 0 {
			i = len(members)
			members, chans = append(members, v), append(chans, t.l.vals[v].channel)
		}
		if ch != mir.AnyChan {
			ok = ok && (chans[i] == mir.AnyChan || chans[i] == ch)
			chans[i] = ch
		}
	}
	join := func(g *tuple) {
		if g == nil {
			return
		}
		if g.reg != 0 {
			ok = ok && (reg == 0 || reg == g.reg)
			reg = g.reg
		}
		for _, m := range g.members {
			add(m, mir.AnyChan)
		}
	}
	join(g)
	for i, s := range q.operands() {
		v, ch := t.find(*s), int8(mir.AnyChan)
		join(t.groups[v])
		if q.bound {
			ch = q.chans[i]
			ok = ok && !t.claimed(q, i)
		}
		add(v, ch)
	}
	t.members, t.chans = members, chans
	return members, chans, reg, ok
}

// fitsRegister reports whether one register holds all members in their channels.
func fitsRegister(members []mir.Val, chans []int8, _ int32, ok bool) bool {
	var taken [4]bool
	for _, ch := range chans {
		if ch != mir.AnyChan {
			ok = ok && !taken[ch]
			taken[ch] = true
		}
	}
	return ok && len(members) <= 4
}

// bindTuple makes one tuple of g and the operands of q, which fit.
func (t *tupleAllocator) bindTuple(g *tuple, q *request) {
	members, chans, reg, _ := t.together(g, q)
	whole := t.groups[members[0]]
	if whole == nil || len(whole.members) < len(members) {
		whole = &tuple{reg: reg}
		whole.members = append(whole.first[:0], members...)
	}
	for i, m := range members {
		t.groups[m] = whole
		if chans[i] != mir.AnyChan {
			t.l.bindChannel(m, int(chans[i]))
		}
	}
}

// copiesFor returns the number of operands of q that must be copied to lie in g, or in a new
// register for nil. It returns a large number if they do not fit.
func (t *tupleAllocator) copiesFor(g *tuple, q *request) int {
	n, room := 0, 4
	if g != nil {
		room -= len(g.members)
	}
	for i, s := range q.operands() {
		switch t.placement(g, q, i, room) {
		case wayJoin:
			room--
		case wayCopy:
			if t.copyIn(g, *s) == 0 {
				n++
				room--
			}
		}
	}
	if room < 0 {
		return 1 << 20
	}
	return n
}

// placementKind is the way in which an operand enters a tuple.
type placementKind uint8

const (
	wayIn    placementKind = iota // it is a member
	wayMerge                      // it shares the channel of a member without interference
	wayJoin                       // it takes a free channel
	wayCopy
)

func (t *tupleAllocator) placement(g *tuple, q *request, i, room int) placementKind {
	v := t.find(*q.slots[i])
	switch {
	case t.private:
		return wayCopy
	case g != nil && t.groups[v] == g:
		return wayIn
	case t.groups[v] != nil || t.claimed(q, i):
		return wayCopy
	case g != nil && t.mergeCandidate(g, q, v) != 0:
		return wayMerge
	case room > 0 && t.channelFree(g, q, i):
		return wayJoin
	}
	return wayCopy
}

// claimed reports whether an earlier operand is the same value and each operand needs a channel of
// its own (exports).
func (t *tupleAllocator) claimed(q *request, i int) bool {
	for j := range i {
		if q.bound && t.find(*q.slots[i]) == t.find(*q.slots[j]) {
			return true
		}
	}
	return false
}

// channelFree reports whether operand i may have a channel of its own in g.
func (t *tupleAllocator) channelFree(g *tuple, q *request, i int) bool {
	ch := t.l.vals[t.find(*q.slots[i])].channel
	if q.bound {
		return ch == mir.AnyChan || ch == q.chans[i]
	}
	if ch == mir.AnyChan {
		return true
	}
	if g != nil {
		for _, m := range g.members {
			if t.l.vals[m].channel == ch {
				return false
			}
		}
	}
	for j := range i {
		if t.l.vals[t.find(*q.slots[j])].channel == ch {
			return false
		}
	}
	return true
}

// mergeCandidate returns a member of g that v can share a channel with: one from the same source
// register, so that the two share it again.
func (t *tupleAllocator) mergeCandidate(g *tuple, q *request, v mir.Val) mir.Val {
	for _, m := range g.members {
		if t.source[m] != 0 || t.l.vals[m].home != t.l.vals[v].home || t.l.vals[v].home.File == 0 {
			continue
		}
		used := slices.ContainsFunc(q.operands(), func(s *mir.Val) bool { return t.find(*s) == m })
		if !used && t.compatible(m, v) {
			return m
		}
	}
	return 0
}

// copyIn returns the copy of v in g, or 0.
func (t *tupleAllocator) copyIn(g *tuple, v mir.Val) mir.Val {
	if g != nil {
		for _, m := range g.members {
			if t.source[m] == v {
				return m
			}
		}
	}
	return 0
}

// placeOperands puts the operands of q into g, or into a new register, as placement decides for
// each.
func (t *tupleAllocator) placeOperands(g *tuple, q *request) {
	room := 4
	if g != nil {
		room -= len(g.members)
	}
	for i, s := range q.operands() {
		v := t.find(*s)
		switch t.placement(g, q, i, room) {
		case wayMerge:
			t.unite(t.mergeCandidate(g, q, v), v)
		case wayJoin:
			room--
		case wayCopy:
			n := t.copyIn(g, *s)
			if n == 0 {
				n = t.planCopy(q, *s)
				room--
			}
			*s = n
		}
	}
	t.bindTuple(g, q)
}

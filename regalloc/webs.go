package regalloc

import (
	"slices"

	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/internal/container"
)

// Webs is a partition of values into webs; each web takes one register. Within a web every value
// has a component, and values of one component are never live at the same time. ("Web" as in
// Muchnick, "Advanced Compiler Design and Implementation", 16.3, widened to values of several
// components.)
//
// A value that is never live has no web until a method asks for it.
type Webs struct {
	web    []int32 // value to web, or none
	next   []int32 // value to the next member of its web, or none
	file   []uint8 // value to register file
	comp   []uint8 // value to component
	webs   []web
	Budget budget.Poller // polled at every join and for every coloured web
	// Spread makes Colour assign the registers in turn, regardless of preferences, instead of using
	// as few as possible.
	Spread bool
	// Choose, if not nil, selects the register of a web without a pin for Colour: one that fits,
	// however large, or -1.
	Choose func(members []int32, fits func(reg int) bool) int

	spans []Span // memory for merged lists of intervals
	// Working memory of Colour.
	order, begin, regs, lent []int32
	banks                    []bank
	turn                     int // the first register that Spread tries
}

// web is a set of values in one register. A web that was joined into another has no members left.
type web struct {
	// busy holds the intervals of the members by component, in order and disjoint.
	busy        [4][]Span
	own         [4]bool // no other web shares busy: a join may write to it
	first, last int32   // members
	size        int32
	pin         int32 // register it must take, NoPin for any
	file        uint8
	fixed       bool // components may not be permuted
	// apart lists values whose webs must take other registers.
	apart []int32
}

// NoPin marks a web that may take any register.
const NoPin = -1

// NewWebs puts every value into a web of its own, at the given component of the given register
// file.
func NewWebs(live [][]Span, comp, file []uint8) *Webs { return new(Scratch).NewWebs(live, comp, file) }

// NewWebs builds webs as the function [NewWebs], in the memory of s.
func (s *Scratch) NewWebs(live [][]Span, comp, file []uint8) *Webs {
	w, n := &s.webs, len(live)
	*w = Webs{web: container.Zeros(w.web, n), next: container.Zeros(w.next, n), comp: append(w.comp[:0], comp...), file: file,
		webs: w.webs[:0], spans: w.spans[:0],
		order: w.order, begin: w.begin, regs: w.regs, lent: w.lent, banks: w.banks}
	alive := 0
	for v, spans := range live {
		if w.web[v], w.next[v] = none, none; len(spans) > 0 {
			alive++
		}
	}
	w.webs = slices.Grow(w.webs, alive)[:alive]
	k := int32(0)
	for v, spans := range live {
		if len(spans) > 0 {
			x := &w.webs[k]
			*x = web{first: int32(v), last: int32(v), size: 1, pin: NoPin, file: file[v]}
			x.busy[comp[v]], w.web[v] = spans, k
			k++
		}
	}
	return w
}

// Copy returns a copy of w. w must not change while the copy is used: they share lists of
// intervals, which the copy copies before it writes to them. The copy leaves out webs without members, which
// are most of them after the lanes of instructions have been joined.
func (s *Scratch) Copy(w *Webs) *Webs {
	c := &s.webs
	*c = Webs{web: append(c.web[:0], w.web...), next: append(c.next[:0], w.next...), comp: append(c.comp[:0], w.comp...),
		file: w.file, webs: c.webs[:0], spans: c.spans[:0], Budget: w.Budget, Spread: w.Spread, Choose: w.Choose,
		order: c.order, begin: c.begin, regs: c.regs, lent: c.lent, banks: c.banks}
	left := 0
	for i := range w.webs {
		if w.webs[i].first != none {
			left++
		}
	}
	c.webs = slices.Grow(c.webs, left)
	for i := range w.webs {
		x := w.webs[i]
		if x.first == none {
			continue
		}
		for m := x.first; m != none; m = c.next[m] {
			c.web[m] = int32(len(c.webs))
		}
		x.own, x.apart = [4]bool{}, slices.Clip(x.apart)
		c.webs = append(c.webs, x)
	}
	return c
}

// none marks a value without a web, and the end of a list of members.
const none = -1

// add creates a web for v alone.
func (w *Webs) add(v int32) *web {
	w.web[v] = int32(len(w.webs))
	w.webs = append(w.webs, web{first: v, last: v, size: 1, pin: NoPin, file: w.file[v]})
	return &w.webs[w.web[v]]
}

// index returns the index of the web of v. Joins change indices.
func (w *Webs) index(v int32) int32 {
	if w.web[v] == none {
		w.add(v)
	}
	return w.web[v]
}

func (w *Webs) webOf(v int32) *web { return &w.webs[w.index(v)] }

// ComponentOf returns the component of v.
func (w *Webs) ComponentOf(v int32) int { return int(w.comp[v]) }

// WebIndex returns a number that identifies the web of v until the next join.
func (w *Webs) WebIndex(v int32) int32 { return w.index(v) }

// Same reports whether a and b share a register.
func (w *Webs) Same(a, b int32) bool { return w.index(a) == w.index(b) }

// Alone reports whether v is the only member of its web.
func (w *Webs) Alone(v int32) bool { return w.webOf(v).size == 1 }

// Fix forbids permuting the components of v's web.
func (w *Webs) Fix(v int32) { w.webOf(v).fixed = true }

// Pin requires register reg for the web of v, and forbids permuting it.
func (w *Webs) Pin(v, reg int32) bool {
	x := w.webOf(v)
	if x.pin != NoPin && x.pin != reg {
		return false
	}
	x.pin, x.fixed = reg, true
	return true
}

// Apart requires that a and b never share a register. It reports whether that is still possible.
func (w *Webs) Apart(a, b int32) bool {
	if w.Same(a, b) {
		return false
	}
	x, y := w.webOf(a), w.webOf(b)
	x.apart = append(x.apart, b)
	y.apart = append(y.apart, a)
	return true
}

// Permute moves the web of v so that v gets component c, swapping c with v's
// component. It reports whether that was possible.
func (w *Webs) Permute(v int32, c int) bool {
	if int(w.comp[v]) == c {
		return true
	}
	x := w.webOf(v)
	if x.fixed {
		return false
	}
	p := [4]uint8{0, 1, 2, 3}
	p[c], p[w.comp[v]] = w.comp[v], uint8(c)
	w.apply(x, p)
	return true
}

// apply renames the components of x: c becomes p[c], for the lists and all members.
func (w *Webs) apply(x *web, p [4]uint8) {
	old := *x
	for c := range 4 {
		x.busy[p[c]], x.own[p[c]] = old.busy[c], old.own[c]
	}
	for m := x.first; m != none; m = w.next[m] {
		w.comp[m] = p[w.comp[m]]
	}
}

// Join puts a and b into one register. The components stay unless values would collide and one of
// the webs may be permuted. Join reports whether the two now share a register; if not, nothing has
// changed.
//
//	a = {v1 in .x}, b = {v2 in .x}, live at once      joined with v2 moved to .y
//	a = {v1 in .x fixed}, b = {v2 in .x fixed}        not joined
func (w *Webs) Join(a, b int32) bool {
	ia, ib := w.index(a), w.index(b)
	return ia == ib || w.tryPermutations(ia, ib, nil)
}

// JoinAt puts a and b into the same register and component, as a block argument and its parameter
// require. Their live ranges must be disjoint then.
func (w *Webs) JoinAt(a, b int32) bool {
	ia, ib := w.index(a), w.index(b)
	if ia == ib {
		return w.comp[a] == w.comp[b]
	}
	return w.tryPermutations(ia, ib, func(p *[4]uint8, moved *web) bool {
		ca, cb := w.comp[a], w.comp[b]
		if moved == &w.webs[ia] {
			ca = p[ca]
		} else {
			cb = p[cb]
		}
		return ca == cb
	})
}

// permutations holds the 24 orders of four components, the identity first, so that components stay
// if possible.
var permutations = func() (all [][4]uint8) {
	for i := range uint8(4) {
		for j := range uint8(4) {
			for k := range uint8(4) {
				if i != j && j != k && i != k {
					all = append(all, [4]uint8{i, j, k, 6 - i - j - k})
				}
			}
		}
	}
	return all // identity first
}()

// tryPermutations tries the permutations of the web that may move (the smaller one, if both may) in order. It
// takes the first that does not collide and that ok accepts.
func (w *Webs) tryPermutations(ia, ib int32, ok func(p *[4]uint8, moved *web) bool) bool {
	w.Budget.Poll()
	a, b := &w.webs[ia], &w.webs[ib]
	if a.file != b.file || a.pin != NoPin && b.pin != NoPin && a.pin != b.pin {
		return false
	}
	for _, v := range a.apart {
		if w.web[v] == ib {
			return false
		}
	}
	if a.size < b.size { // move the smaller
		ia, ib, a, b = ib, ia, b, a
	}
	moved := b
	if b.fixed && !a.fixed {
		moved = a
	}
	other := a
	if moved == a {
		other = b
	}
	var known clashes
	for i := range permutations {
		p := &permutations[i]
		if i > 0 && moved.fixed {
			return false
		}
		if ok != nil && !ok(p, moved) {
			continue
		}
		if i == 0 && collide(other, moved) || i > 0 && known.collide(other, moved, p) {
			continue
		}
		if i > 0 {
			w.apply(moved, *p)
		}
		// No collision: b becomes part of a.
		for c := range 4 {
			if len(b.busy[c]) > 0 {
				a.busy[c], a.own[c] = Merge(a.busy[c], b.busy[c], a.own[c], b.own[c], w.reserveSpans)
			}
		}
		for m := b.first; m != none; m = w.next[m] {
			w.web[m] = ia
		}
		w.next[a.last], a.last = b.first, b.last
		a.size += b.size
		a.fixed = a.fixed || b.fixed
		a.apart = append(a.apart, b.apart...)
		if b.pin != NoPin {
			a.pin = b.pin
		}
		*b = web{first: none, pin: NoPin}
		return true
	}
	return false
}

// collide reports whether a component is busy in both webs at the same time, without permutation.
func collide(a, b *web) bool {
	for c := range 4 {
		if Overlap(a.busy[c], b.busy[c]) {
			return true
		}
	}
	return false
}

// clashes caches which components of two webs interfere. Each pair is compared once, on demand,
// since permutations have pairs in common. Bit 4*i+j is component i of the one and j of the other.
type clashes struct {
	seen, found uint16
}

// collide reports whether the components of moved, permuted by p, interfere with those of other.
func (k *clashes) collide(other, moved *web, p *[4]uint8) bool {
	for c := range 4 {
		pair := uint16(1) << (4*p[c] + uint8(c))
		if k.seen&pair == 0 {
			k.seen |= pair
			if Overlap(other.busy[p[c]], moved.busy[c]) {
				k.found |= pair
			}
		}
		if k.found&pair != 0 {
			return true
		}
	}
	return false
}

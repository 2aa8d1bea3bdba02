package regalloc

import (
	"slices"

	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/internal/slab"
)

// Webs is a partition of values into webs, each of which takes one register. Within a
// web every value has a component; values of one component are never live at the same
// time. ("Web" as in Muchnick, "Advanced Compiler Design and Implementation", 16.3,
// widened to values of several components.)
//
// Values that are never live have no web until something is asked of them.
type Webs struct {
	web    []int32 // value to web; none for values that are never live until they are asked for
	next   []int32 // value to the next member of its web, or none
	file   []uint8 // value to register file
	comp   []uint8 // value to component
	webs   []web
	Budget budget.Poller // polled at every join, and for every web that is coloured
	// Spread makes Colour take the registers in turn, whatever is preferred, instead
	// of as few as possible.
	Spread bool
	// Choose, if not nil, is how Colour picks the register of a web without a pin: one
	// that fits, however large, or -1.
	Choose func(members []int32, fits func(reg int) bool) int

	spans []Span // room for lists of spans that are made of others
	// What Colour works with.
	order, begin, regs, lent []int32
	banks                    []bank
	turn                     int // where Spread looks first
}

// web is a set of values in one register. A web that was joined into another has no
// members left.
type web struct {
	// busy has, by component, the spans of its members, in order and disjoint.
	busy        [4][]Span
	own         [4]bool // busy is nobody else's: a join may write to it
	first, last int32   // members
	size        int32
	pin         int32 // register it must take, NoPin for any
	file        uint8
	fixed       bool // components may not be permuted
	// apart are values whose webs must take other registers.
	apart []int32
}

// NoPin marks a web that may take any register.
const NoPin = -1

// NewWebs puts every value into a web of its own, at the given component of the
// given register file.
func NewWebs(live [][]Span, comp, file []uint8) *Webs { return new(Scratch).NewWebs(live, comp, file) }

// NewWebs is [NewWebs].
func (s *Scratch) NewWebs(live [][]Span, comp, file []uint8) *Webs {
	w, n := &s.webs, len(live)
	*w = Webs{web: slab.Zeros(w.web, n), next: slab.Zeros(w.next, n), comp: append(w.comp[:0], comp...), file: file, webs: w.webs[:0], spans: w.spans[:0],
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

// Copy is w as it is now, which must not change as long as the copy is used: lists of
// spans are shared, and copied when the copy writes to them.
func (s *Scratch) Copy(w *Webs) *Webs {
	c := &s.webs
	*c = Webs{web: append(c.web[:0], w.web...), next: append(c.next[:0], w.next...), comp: append(c.comp[:0], w.comp...), file: w.file,
		webs: append(c.webs[:0], w.webs...), spans: c.spans[:0], Budget: w.Budget, Spread: w.Spread, Choose: w.Choose,
		order: c.order, begin: c.begin, regs: c.regs, lent: c.lent, banks: c.banks}
	for i := range c.webs {
		x := &c.webs[i]
		x.own, x.apart = [4]bool{}, slices.Clip(x.apart)
	}
	return c
}

// none is the web of a value that has not got one, and what follows the last of a web.
const none = -1

// add gives v a web of its own.
func (w *Webs) add(v int32) *web {
	w.web[v] = int32(len(w.webs))
	w.webs = append(w.webs, web{first: v, last: v, size: 1, pin: NoPin, file: w.file[v]})
	return &w.webs[w.web[v]]
}

// index is that of the web of v. Indices change with joins.
func (w *Webs) index(v int32) int32 {
	if w.web[v] == none {
		w.add(v)
	}
	return w.web[v]
}

func (w *Webs) of(v int32) *web { return &w.webs[w.index(v)] }

// Comp is the component of v.
func (w *Webs) Comp(v int32) int { return int(w.comp[v]) }

// Web identifies the web of v until the next join.
func (w *Webs) Web(v int32) int32 { return w.index(v) }

// Same reports whether a and b share a register.
func (w *Webs) Same(a, b int32) bool { return w.index(a) == w.index(b) }

// Alone reports whether nothing else is in the web of v.
func (w *Webs) Alone(v int32) bool { return w.of(v).size == 1 }

// Fix forbids moving the web of v to other components.
func (w *Webs) Fix(v int32) { w.of(v).fixed = true }

// Pin demands register reg for the web of v, and forbids permuting it.
func (w *Webs) Pin(v, reg int32) bool {
	x := w.of(v)
	if x.pin != NoPin && x.pin != reg {
		return false
	}
	x.pin, x.fixed = reg, true
	return true
}

// Apart demands that a and b never share a register. It reports whether that is
// still possible.
func (w *Webs) Apart(a, b int32) bool {
	if w.Same(a, b) {
		return false
	}
	x, y := w.of(a), w.of(b)
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
	x := w.of(v)
	if x.fixed {
		return false
	}
	p := [4]uint8{0, 1, 2, 3}
	p[c], p[w.comp[v]] = w.comp[v], uint8(c)
	w.apply(x, p)
	return true
}

// apply renames the components of x: c becomes p[c], of the lists and of all members.
func (w *Webs) apply(x *web, p [4]uint8) {
	old := *x
	for c := range 4 {
		x.busy[p[c]], x.own[p[c]] = old.busy[c], old.own[c]
	}
	for m := x.first; m != none; m = w.next[m] {
		w.comp[m] = p[w.comp[m]]
	}
}

// Join puts a and b into one register. The components stay unless that makes values
// collide and one of the webs is free to be permuted. It reports whether the two now
// share a register; if not, nothing has changed.
//
//	a = {v1 in .x}, b = {v2 in .x}, live at once      joined with v2 moved to .y
//	a = {v1 in .x fixed}, b = {v2 in .x fixed}        not joined
func (w *Webs) Join(a, b int32) bool {
	ia, ib := w.index(a), w.index(b)
	return ia == ib || w.join(ia, ib, nil)
}

// JoinAt puts a and b into one place: the same register and component, as values need
// that are handed over to each other. They must not be live at once, then.
func (w *Webs) JoinAt(a, b int32) bool {
	ia, ib := w.index(a), w.index(b)
	if ia == ib {
		return w.comp[a] == w.comp[b]
	}
	return w.join(ia, ib, func(p *[4]uint8, moved *web) bool {
		ca, cb := w.comp[a], w.comp[b]
		if moved == &w.webs[ia] {
			ca = p[ca]
		} else {
			cb = p[cb]
		}
		return ca == cb
	})
}

// permutations are the 24 orders of four components, the identity first, so that
// components stay where they may.
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

// join tries the permutations of the web that may be moved (the smaller one, if both
// may) in order and takes the first that does not collide and that ok accepts.
func (w *Webs) join(ia, ib int32, ok func(p *[4]uint8, moved *web) bool) bool {
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
				a.busy[c], a.own[c] = w.merge(a.busy[c], b.busy[c], a.own[c], b.own[c])
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

// collide reports whether a component is busy in both webs at the same time, without
// permuting either.
func collide(a, b *web) bool {
	for c := range 4 {
		if overlap(a.busy[c], b.busy[c]) {
			return true
		}
	}
	return false
}

// clashes tells which components of two webs are busy at the same time, each pair of
// them looked at once, when it is asked for: permutations have pairs in common. Bit
// 4*i+j is component i of the one and j of the other.
type clashes struct {
	seen, found uint16
}

// collide reports whether components of moved, permuted by p, are busy with those of other.
func (k *clashes) collide(other, moved *web, p *[4]uint8) bool {
	for c := range 4 {
		pair := uint16(1) << (4*p[c] + uint8(c))
		if k.seen&pair == 0 {
			k.seen |= pair
			if overlap(other.busy[p[c]], moved.busy[c]) {
				k.found |= pair
			}
		}
		if k.found&pair != 0 {
			return true
		}
	}
	return false
}

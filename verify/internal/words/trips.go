package words

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// order determines the conditions that cannot hold in one trip of a loop, because its exit conditions do
// not hold. It reasons about counters. A counter is a value that is compared with a bound, and changes by
// known steps between trips.
//
// The following describes a counter that goes up; for one that goes down, all numbers are negated. Let the
// loop continue only while x < b, and let y < b be the question, where x = y + d.
//
//   - For integers, d must lie between 0 and some D, and y must be so small that y + D
//     does not wrap. The proof is by induction over the trips. On the first trip, y is
//     small if the start is known. On the next trip y is x, which is below b, plus a
//     small step. So b must be known to be small. Known bounds of starts and of b come
//     from literals and from the program's own tests. If b is a choice, each case uses
//     its condition.
//   - If the loop continues while, for example, b-x is at least n, then y == b is
//     impossible for every y that is x plus a literal below n. Wrapping has no effect.
//   - Conversion of integers to floats is monotonic, but not strictly.
//   - Adding a positive literal to a float never decreases it, however it is rounded,
//     and keeps NaN. Floats do not wrap. If an addition changes nothing, the test has
//     the same result as before.
//
// Both tests must be the same function of the float, so their treatment of NaN is also the same.
type order struct {
	*Words[symbolic.Term]
	t     *symbolic.Terms
	depth int  // of the loop
	reals bool // floats are added like real numbers
	alike func(input uint64) bool
	trip  *Trip[symbolic.Term]
	// index maps the name of a value that the loop carries to its index in trip.
	index map[symbolic.Term]int
	exits []test
	// bound caches the results of free.
	bound map[[2]int32]bool
}

// Trip is an arbitrary trip of a loop. It holds the carried values at its start, at the first trip and at
// the next one (where live). It also holds the exit conditions, which are false.
type Trip[T any] struct {
	Depth                int // of loops
	Names, Initial, Next []T
	Live                 []bool
	Exits                []T
	Convergent           bool // something in it depends on the set of invocations that make it
	Pinned               bool // its exits must keep their bits
}

// test is an exit condition: x is beyond bound, or also equal to it unless strict. form identifies the
// spelling of the condition.
type test struct {
	x, bound     symbolic.Term
	kind         kind
	converted    bool // x is converted to a float for the comparison
	down, strict bool
	form         uint32
}

// kind is an order of words.
type kind uint8

const (
	signed kind = iota
	unsigned
	floating
)

// Judge returns a function that finds, for a trip, the conditions that cannot hold in it. Values are those
// of w, which is built on t. If fences may make invocations wait for each other, all of them agree on the
// inputs that are alike.
func Judge(t *symbolic.Terms, w *Words[symbolic.Term], alike func(input uint64) bool,
	reals bool) func(*Trip[symbolic.Term]) func(symbolic.Term) bool {
	return func(of *Trip[symbolic.Term]) func(symbolic.Term) bool {
		return order{Words: w, t: t, reals: reals && !of.Pinned, alike: alike, trip: of, depth: of.Depth}.excluded()
	}
}

// excluded returns a function that reports whether a condition cannot hold.
func (o order) excluded() func(symbolic.Term) bool {
	t := o.trip
	o.index, o.bound = map[symbolic.Term]int{}, map[[2]int32]bool{}
	for k, live := range t.Live {
		if live && t.Names[k] != t.Initial[k] {
			o.index[t.Names[k]] = k
		}
	}
	for _, e := range t.Exits {
		o.exits = append(o.exits, o.tests(e)...)
	}
	return o.excludes
}

// excludes reports whether c cannot hold in the trip. This is so for an exit, for a conjunction with an
// impossible part, and for a comparison that implies an exit (implied, missed).
func (o *order) excludes(c symbolic.Term) bool {
	// Values that depend on the set of invocations stay the same only if all invocations leave the loop
	// together.
	if o.trip.Convergent && !o.uniform(append([]symbolic.Term{c}, o.trip.Exits...)) {
		return false
	}
	if holds, known := o.Truth(c); known {
		return !holds
	}
	for _, e := range o.trip.Exits {
		if e == c {
			return true
		}
	}
	if f := o.Recipe(c); f != nil && f.Tag == symbolic.TagAnd {
		for _, p := range f.Parts {
			if o.excludes(p.X) {
				return true
			}
		}
	}
	for _, goal := range o.tests(c) {
		for i := range o.exits {
			if o.implied(&goal, &o.exits[i]) {
				return true
			}
		}
	}
	return o.missed(c)
}

// comparison decomposes a condition into a comparison: p holds for a and b, or fails.
func (o *order) comparison(c symbolic.Term) (p ir.Prim, a, b symbolic.Term, holds, ok bool) {
	holds = true
	for {
		if x, not := o.t.OperandOf(c, symbolic.TagNot); not && c != o.t.Never() {
			c, holds = x, !holds
			continue
		}
		args := o.t.Operands(c)
		if p = ir.Prim(o.t.Aux(c)); o.t.Tag(c) != symbolic.TagPrim || len(args) != 2 {
			return p, a, b, holds, false
		}
		return p, args[0], args[1], holds, true
	}
}

// tests reads a condition as a test of a varying value against an invariant bound. It returns no tests for
// other conditions. Either operand may be the counter.
func (o *order) tests(c symbolic.Term) (list []test) {
	p, a, b, holds, ok := o.comparison(c)
	if !ok {
		return nil
	}
	less := p == ir.PrimILt || p == ir.PrimULt || p == ir.PrimFLt
	if !less && p != ir.PrimFGe {
		return nil
	}
	for side := range 2 {
		t := test{x: a, bound: b, form: uint32(p)<<2 | uint32(side)<<1}
		if side == 1 {
			t.x, t.bound = b, a
		}
		if holds {
			t.form |= 1
		}
		if !o.varies(t.x) || o.varies(t.bound) {
			continue
		}
		t.strict = less == holds
		t.down = t.strict == (side == 0)
		switch p {
		case ir.PrimILt:
			t.kind = signed
		case ir.PrimULt:
			t.kind = unsigned
		default:
			t.kind = floating
			if of := ir.Prim(o.t.Aux(t.x)); o.t.Tag(t.x) == symbolic.TagPrim && (of == ir.PrimIToF || of == ir.PrimUToF) {
				if t.converted, t.kind = true, signed; of == ir.PrimUToF {
					t.kind = unsigned
				}
				t.x = o.t.Operands(t.x)[0]
			}
		}
		list = append(list, t)
	}
	return list
}

// implied reports whether goal cannot hold while exit does not. If the bound is a choice, each of its cases
// must imply it under its condition: min(n, 100) is small in both.
func (o *order) implied(goal, exit *test) bool {
	if goal.kind != exit.kind || goal.converted != exit.converted || goal.down != exit.down {
		return false
	}
	alike := goal.form == exit.form
	if goal.kind == floating {
		return alike && goal.bound == exit.bound && o.notBeyond(goal.x, exit.x, goal.down)
	}
	if goal.converted && !alike {
		return false
	}
	if o.within(goal, exit, exit.bound, facts{order: o}) {
		return true
	}
	f := o.Recipe(exit.bound)
	return f != nil && f.Tag == symbolic.TagChoose &&
		o.within(goal, exit, f.A, o.facts(f.Cond, true)) && o.within(goal, exit, f.B, o.facts(f.Cond, false))
}

// within reports whether goal cannot hold while exit does not, if exit compares with bound and known holds
// throughout the loop. It follows the induction at order. The distance d = exit.x - goal.x lies between 0
// and most. The first goal.x is so small that adding most does not wrap, and so is the next one, which is
// below bound plus a gain.
func (o *order) within(goal, exit *test, bound symbolic.Term, known facts) bool {
	r := rangeOf(exit.kind, exit.down)
	below, possible := known.below(exit, bound, r)
	if !possible || o.meetsFirst(exit, bound) {
		return true // there is no trip
	}
	least, most, ok := known.sumRange(o.minus(exit.x, goal.x, exit.down))
	if !ok || least < 0 || !o.reaches(goal, exit, bound, least) {
		return false
	}
	if most == 0 {
		return true
	}
	start, ok := o.substituted(goal.x, o.trip.Initial)
	if !ok || known.upperBound(exit.kind, exit.down, start) > r.top-most {
		return false
	}
	after, ok := o.substituted(goal.x, o.trip.Next)
	if !ok {
		return false
	}
	least, gain, ok := known.sumRange(o.minus(after, exit.x, exit.down))
	return ok && least >= 0 && below+gain <= r.top-most
}

// meetsFirst reports whether exit, comparing with bound, holds for the initial values of the loop.
func (o *order) meetsFirst(exit *test, bound symbolic.Term) bool {
	first, ok := o.substituted(exit.x, o.trip.Initial)
	if !ok || exit.converted {
		return false
	}
	x, isX := o.Bits(first)
	b, isB := o.Bits(bound)
	return isX && isB && number(exit.kind, exit.down, x) >= number(exit.kind, exit.down, b)+1-exit.closed()
}

// reaches reports whether a value at the given distance from x or farther does not meet goal, if x does not
// meet exit with bound.
func (o *order) reaches(goal, exit *test, bound symbolic.Term, distance int64) bool {
	if bound == goal.bound {
		return exit.converted || distance+exit.closed() >= goal.closed()
	}
	a, isA := o.Bits(bound)
	b, isB := o.Bits(goal.bound)
	return isA && isB && !exit.converted &&
		number(exit.kind, exit.down, a)-exit.closed()-distance+goal.closed() <= number(exit.kind, exit.down, b)
}

// closed returns 1 if a value equal to the bound meets a test.
func (t *test) closed() int64 {
	if t.strict {
		return 0
	}
	return 1
}

// minus returns a-b, or b-a if down.
func (o *order) minus(a, b symbolic.Term, down bool) symbolic.Term {
	if down {
		a, b = b, a
	}
	return o.Combine(a, 1, b, MinusOne)
}

// substituted returns the sum x with other values for those that the loop carries. ok is false if another
// part of x varies between trips.
func (o *order) substituted(x symbolic.Term, by []symbolic.Term) (symbolic.Term, bool) {
	k, parts := o.Polynomial(x, 0)
	sum := o.Literal(k)
	for _, p := range append([]Summand[symbolic.Term](nil), parts...) {
		if i, ok := o.index[p.X]; ok {
			p.X = by[i]
		} else if o.varies(p.X) {
			return x, false
		}
		sum = o.Combine(sum, 1, p.X, p.By)
	}
	return sum, true
}

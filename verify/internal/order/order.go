package order

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/words"
)

// order tells of one trip of a loop which conditions cannot hold in it because those that
// would have ended the loop do not. It reasons about counters: values compared with a
// bound, from which the conditions of earlier trips differ by what was added since.
//
// Let all that is said here be of a counter that goes up; if it goes down, all numbers are
// taken negated. Let the loop go on only while x < b, and let it be asked whether y < b,
// where x = y + d.
//
//   - Of integers d has to lie between 0 and some D, and y must be so small that y + D does
//     not wrap round. That is so by induction over the trips: y is small enough on the
//     first, as far as its start is known; and on the next it is x, which is below b, plus
//     something that is small. So b has to be known to be small. Of both, starts and
//     bounds, is known what is literal, and what the program itself tests: if b is a choice,
//     each case has what its condition says for it.
//   - That y is b, if the loop goes on while b-x, say, is not below n, cannot be for those y
//     that are x plus a literal below n. Wrapping round does not matter.
//   - Conversion of integers to floats keeps their order, if not strictly.
//   - Adding a positive literal to a float gives no less, however it is rounded, and
//     what is not a number stays so. Floats do not wrap round, and where an addition
//     changes nothing the test gives what it gave before.
//
// Both tests have to be the same function of the float, so that it does not matter how
// they treat what is not a number.
type order struct {
	*words.Words[symbolic.Term]
	t     *symbolic.Terms
	depth int  // of the loop
	reals bool // floats are added as real numbers are
	alike func(input uint64) bool
	trip  *Trip[symbolic.Term]
	// index finds the place in trip of a value that the loop carries by name.
	index map[symbolic.Term]int
	exits []test
	// bound remembers what free has found.
	bound map[[2]int32]bool
}

// Trip is a trip of a loop, any one: what the loop carries into it, into the first and the
// next, where that is live, and the conditions to leave the loop on, which do not hold.
type Trip[T any] struct {
	Depth                int // of loops
	Names, Initial, Next []T
	Live                 []bool
	Exits                []T
	Convergent           bool // something in it depends on which invocations make it
}

// test is a condition to leave a loop on: that x goes beyond bound, or unless strict up to
// it. What form says is how that is spelt.
type test struct {
	x, bound     symbolic.Term
	kind         kind
	converted    bool // x is made a float to be compared
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

// Judge returns what tells of a trip which conditions are known not to hold in it. Values are
// those of w, which is made of t. All invocations that a fence may have wait for each other agree
// on the inputs that are alike.
func Judge(t *symbolic.Terms, w *words.Words[symbolic.Term], alike func(input uint64) bool, reals bool) func(*Trip[symbolic.Term]) func(symbolic.Term) bool {
	return func(of *Trip[symbolic.Term]) func(symbolic.Term) bool {
		return order{Words: w, t: t, reals: reals, alike: alike, trip: of, depth: of.Depth}.excluded()
	}
}

// excluded returns what tells whether a condition cannot hold.
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

// excludes reports whether c cannot hold in the trip. It is one of the exits, or a conjunction with a
// part that cannot hold, or a comparison that an exit which is not met implies (implied, missed).
func (o *order) excludes(c symbolic.Term) bool {
	// What depends on which invocations make the trip is the same only if all of them leave the loop
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

// comparison reads a condition as a comparison: that p holds of a and b, or does not.
func (o *order) comparison(c symbolic.Term) (p ir.Prim, a, b symbolic.Term, holds, ok bool) {
	holds = true
	for {
		if x, not := o.t.Is(c, symbolic.TagNot); not && c != o.t.Never() {
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

// tests reads a condition as tests of what changes from trip to trip, against a bound that does not:
// one, or none if it is no such comparison. Either side of it may be the counter.
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

// implied reports whether goal is not met where exit is not. Where the bound is a choice, each of its
// cases has to do, with what the condition says in it: min(n, 100) is small in both.
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

// within reports whether goal is not met where exit is not, if exit compares with bound and what is
// said in facts holds for the whole loop. The steps are those of the induction at order: the distance
// d = exit.x - goal.x lies between 0 and most; the first goal.x is so small that adding most does
// not wrap round; and so is the next, which is below bound plus a gain.
func (o *order) within(goal, exit *test, bound symbolic.Term, known facts) bool {
	r := rangeOf(exit.kind, exit.down)
	below, possible := known.below(exit, bound, r)
	if !possible || o.meetsFirst(exit, bound) {
		return true // there is no trip
	}
	least, most, ok := known.span(o.minus(exit.x, goal.x, exit.down))
	if !ok || least < 0 || !o.reaches(goal, exit, bound, least) {
		return false
	}
	if most == 0 {
		return true
	}
	start, ok := o.substituted(goal.x, o.trip.Initial)
	if !ok || known.high(exit.kind, exit.down, start) > r.top-most {
		return false
	}
	after, ok := o.substituted(goal.x, o.trip.Next)
	if !ok {
		return false
	}
	least, gain, ok := known.span(o.minus(after, exit.x, exit.down))
	return ok && least >= 0 && below+gain <= r.top-most
}

// meetsFirst reports whether exit, comparing with bound, is met by what the loop starts with.
func (o *order) meetsFirst(exit *test, bound symbolic.Term) bool {
	first, ok := o.substituted(exit.x, o.trip.Initial)
	if !ok || exit.converted {
		return false
	}
	x, isX := o.Bits(first)
	b, isB := o.Bits(bound)
	return isX && isB && number(exit.kind, exit.down, x) >= number(exit.kind, exit.down, b)+1-exit.closed()
}

// reaches reports whether what is at least so far from x does not meet goal, if x, compared
// with bound, does not meet exit.
func (o *order) reaches(goal, exit *test, bound symbolic.Term, distance int64) bool {
	if bound == goal.bound {
		return exit.converted || distance+exit.closed() >= goal.closed()
	}
	a, isA := o.Bits(bound)
	b, isB := o.Bits(goal.bound)
	return isA && isB && !exit.converted &&
		number(exit.kind, exit.down, a)-exit.closed()-distance+goal.closed() <= number(exit.kind, exit.down, b)
}

// closed is 1 if a test is met by what equals its bound.
func (t *test) closed() int64 {
	if t.strict {
		return 0
	}
	return 1
}

// minus is a-b, or if down b-a.
func (o *order) minus(a, b symbolic.Term, down bool) symbolic.Term {
	if down {
		a, b = b, a
	}
	return o.Combine(a, 1, b, words.MinusOne)
}

// substituted is the sum x with other values for those that the loop carries; not ok if something else
// in x varies with the trip.
func (o *order) substituted(x symbolic.Term, by []symbolic.Term) (symbolic.Term, bool) {
	k, parts := o.Polynomial(x, 0)
	sum := o.Literal(k)
	for _, p := range append([]words.Summand[symbolic.Term](nil), parts...) {
		if i, ok := o.index[p.X]; ok {
			p.X = by[i]
		} else if o.varies(p.X) {
			return x, false
		}
		sum = o.Combine(sum, 1, p.X, p.By)
	}
	return sum, true
}

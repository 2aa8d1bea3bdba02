package verify

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/words"
)

// sameTerms is rung 1: both sides as terms of one DAG, in which equal terms are one node, so that
// comparing outputs costs nothing. Loops can be executed in several ways, and equality under any of
// them is enough. It returns a difference, in an output that has to stay the same term if there is
// one; nil says that the sides are equal for every input under any numerics.
func sameTerms(before, after *observation) (*difference, error) {
	var first *difference
	for _, opt := range loopChoices(before, after) {
		if opt.superfluous(before, after) {
			continue
		}
		d, inducted, err := sameTermsUnder(before, after, opt)
		switch {
		case err == errNothing:
			continue
		case err != nil || d == nil:
			return nil, err
		case !inducted && !d.hangs: // every trip was made, and they differ
			return d, nil
		}
		if first == nil || !d.exact {
			first = d
		}
	}
	return first, nil
}

// loopChoices are the ways to execute loops, in the order in which they are tried: unrolled where that
// is possible, all by induction (a loop of literal count whose body changed little), each of these
// with batches, and long ones unrolled as well.
func loopChoices(before, after *observation) []loopOptions {
	opts := []loopOptions{{unroll: true}}
	if before.hasLoops() || after.hasLoops() {
		opts = append(opts, loopOptions{}, loopOptions{unroll: true, batched: true}, loopOptions{batched: true}, loopOptions{unroll: true, long: true})
	}
	return opts
}

// superfluous reports whether executing both sides like that is what was done before: all
// that differs is that loops are not unrolled, and none was. Long loops are unrolled where one side alone
// had too long ones: loops that both keep are matched with less work.
func (opt loopOptions) superfluous(before, after *observation) bool {
	if opt.long {
		return before.tooLong == after.tooLong
	}
	return !opt.unroll && !before.unrolls && !after.unrolls
}

// sameTermsUnder compares both sides, with undefined components of before taken to be what makes them
// equal if that can be found (see reading). It tells whether loops had to be matched, in which case a
// difference may be the fault of the matching.
func sameTermsUnder(before, after *observation, opt loopOptions) (d *difference, inducted bool, err error) {
	named := before.sameNames(after)
	for n := 0; ; n++ {
		t, dom, views, err := termsUnder(before, after, opt)
		if err != nil {
			return nil, false, err
		}
		d := sameViews(t, dom, views[0], views[1], before)
		switch {
		case d == nil:
			return nil, false, nil
		case named:
			named, before.choices = false, map[ir.Reg]reading{}
		case n >= maxChoices || !choose(t, before, views[0], views[1]):
			return d, views[0].inducted, nil
		}
	}
}

// termsUnder executes both sides in a domain of their own.
func termsUnder(before, after *observation, opt loopOptions) (*symbolic.Terms, symbolic.Domain[symbolic.Term], []*view[symbolic.Term], error) {
	t := symbolic.NewTerms()
	var dom symbolic.Domain[symbolic.Term] = t
	if before.kernel != nil {
		dom = words.New(dom)
	}
	sides, assumed := []*observation{before, after}, newBeliefs[symbolic.Term]()
	if opt.batched {
		for _, o := range sides {
			found, err := reaches(t, dom, o, opt, false)
			if err != nil {
				return nil, nil, nil, err
			}
			assumed.absorb(found)
		}
		if err := assumed.plan(dom, sides, opt); err != nil {
			return nil, nil, nil, err
		}
	}
	views, err := converge(dom, sides, opt, assumed, func(int) {})
	return t, dom, views, err
}

// sameViews compares what two sides show, of which o is one: outputs one by one, then the conditions
// of drops as sets, then what has to end.
func sameViews(t *symbolic.Terms, dom symbolic.Domain[symbolic.Term], b, a *view[symbolic.Term], o *observation) *difference {
	seen := map[[2]symbolic.Term]bool{}
	refines := func(b, a symbolic.Term) bool { return t.Refines(b, a, seen) }
	b = refined(dom, b, a)
	if d := contrastViews(b, a, refines); d != nil {
		return d
	}
	if !sameKills(t, b.kills, a.kills, refines) {
		return &difference{what: killName(o)}
	}
	return contrastEndings(dom, b, a)
}

// sameKills compares the conditions under which fragments are dropped, as sets. They are sorted by
// shape, that is without partial precision, so that lists that differ in precision alone line up.
func sameKills(t *symbolic.Terms, before, after []symbolic.Term, refines func(b, a symbolic.Term) bool) bool {
	order := func(list []symbolic.Term) []symbolic.Term {
		list = slices.Clone(list)
		slices.SortFunc(list, func(x, y symbolic.Term) int {
			if s := int(t.Shape(x)) - int(t.Shape(y)); s != 0 {
				return s
			}
			return int(x - y)
		})
		return slices.Compact(list)
	}
	return slices.EqualFunc(order(before), order(after), refines)
}

// killName is what drops fragments.
func killName(o *observation) string {
	if o.kernel != nil {
		return "discard"
	}
	return "texkill"
}

package verify

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/words"
)

// sameTerms runs rung 1: both versions become terms of one DAG, in which equal terms are one node, so that
// comparing outputs costs nothing. Loops can be executed in several ways, and equality under any of them is
// enough. sameTerms returns a difference, preferably in an output that has to stay the same term. A nil
// result means that the versions are equal for every input under any numerics.
func sameTerms(before, after *observation) (*difference, error) {
	var first *difference
	for _, opt := range loopChoices(before, after) {
		if opt.superfluous(before, after) {
			continue
		}
		d, inducted, err := sameTermsUnder(before, after, opt)
		switch {
		case err == errNothing, err == errTooLong && opt.copied:
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

// loopChoices lists the ways to execute loops, in the order of their trial. Loops are unrolled where
// possible, or all inducted, for loops of literal count whose body changed little. Both ways follow again
// with batches. Then long loops are unrolled as well. Finally, sums of equal steps get closed forms.
func loopChoices(before, after *observation) []loopOptions {
	opts := []loopOptions{{unroll: true}}
	if before.hasLoops() || after.hasLoops() {
		opts = append(opts, loopOptions{}, loopOptions{unroll: true, batched: true}, loopOptions{batched: true}, loopOptions{unroll: true, long: true})
		if before.kernel != nil {
			opts = append(opts, loopOptions{linear: true})
		}
		if len(copiesOf(before, after)) > 0 {
			opts = append(opts, loopOptions{unroll: true, batched: true, copied: true}, loopOptions{batched: true, copied: true})
		}
	}
	return opts
}

// superfluous reports whether opt repeats an earlier execution: it differs only in not unrolling loops, and
// none was unrolled. Long loops are unrolled only if one version alone had loops that were too long: loops
// that both keep are matched with less work.
func (opt loopOptions) superfluous(before, after *observation) bool {
	if opt.long {
		return before.tooLong == after.tooLong
	}
	if opt.linear {
		return !before.hasSums() && !after.hasSums()
	}
	return !opt.unroll && !before.unrolls && !after.unrolls
}

// sameTermsUnder compares both versions. It assumes values for undefined components of before that make them
// equal, if it finds some (see reading). The result inducted reports that loops had to be matched, so that a
// difference may be the fault of the matching.
func sameTermsUnder(before, after *observation, opt loopOptions) (d *difference, inducted bool, err error) {
	named := before.sameNames(after)
	for n := 0; ; n++ {
		t, dom, views, err := termsUnder(before, after, opt, nil, nil)
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

// termsUnder executes both versions in a new domain. It records the terms of pinned values in p, and
// comparisons of floats in c, unless these are nil.
func termsUnder(before, after *observation, opt loopOptions, p *pins, c *comparisons) (*symbolic.Terms, symbolic.Domain[symbolic.Term], []*view[symbolic.Term], error) {
	t := symbolic.NewTerms()
	var dom symbolic.Domain[symbolic.Term] = t
	if before.kernel != nil {
		dom = words.New(dom)
	}
	if p != nil {
		defer p.record(t)()
	}
	sides, assumed := []*observation{before, after}, newBeliefs[symbolic.Term]()
	assumed.pins, assumed.comparisons = p, c
	if c != nil {
		c.shape = func(id uint64) uint64 { return uint64(t.Shape(symbolic.Term(id))) }
	}
	if opt.batched {
		for _, o := range sides {
			found, err := reaches(t, dom, o, opt, false, nil)
			if err != nil {
				return nil, nil, nil, err
			}
			assumed.absorb(found)
		}
		if err := assumed.matchLoops(dom, sides, opt); err != nil {
			return nil, nil, nil, err
		}
	}
	views, err := converge(dom, sides, opt, assumed, func(int) {})
	return t, dom, views, err
}

// sameViews compares the views of two versions; o is one of them. It compares outputs one by one, then the
// conditions of drops as sets, then endings.
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

// sameKills compares the conditions under which fragments are dropped, as sets. They are sorted by shape,
// without partial precision, so that lists that differ only in precision line up.
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

// killName returns the name of the instruction that drops fragments.
func killName(o *observation) string {
	if o.kernel != nil {
		return "discard"
	}
	return "texkill"
}

package walk

import (
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/words"
)

// Choices lists the ways to execute loops, in the order of their trial. Loops are unrolled where
// possible, or all inducted, for loops of literal count whose body changed little. Both ways follow again
// with batches. Then long loops are unrolled as well. Finally, sums of equal steps get closed forms.
func Choices(before, after *Observation) []Options {
	opts := []Options{{Unroll: true}}
	if before.HasLoops() || after.HasLoops() {
		opts = append(opts, Options{}, Options{Unroll: true, Batched: true}, Options{Batched: true},
			Options{Unroll: true, long: true})
		if before.OnWords() {
			opts = append(opts, Options{linear: true})
		}
		if len(copiesOf(before, after)) > 0 {
			opts = append(opts, Options{Unroll: true, Batched: true, Copied: true}, Options{Batched: true, Copied: true})
		}
		if splitLoops(before, after) {
			for i := range opts {
				opts[i].split = true
			}
		}
	}
	return opts
}

// Superfluous reports whether opt repeats an earlier execution: it differs only in not unrolling loops, and
// none was unrolled. Long loops are unrolled only if one version alone had loops that were too long: loops
// that both keep are matched with less work.
func (opt Options) Superfluous(before, after *Observation) bool {
	if opt.long {
		return before.tooLong == after.tooLong
	}
	if opt.linear {
		return !before.hasSums() && !after.hasSums()
	}
	return !opt.Unroll && !before.unrolls && !after.unrolls
}

// Terms executes both versions in a new domain. It records the terms of pinned values in p, and
// comparisons of floats in c, unless these are nil.
func Terms(before, after *Observation, opt Options, p *Pins, c *comparisons) (*symbolic.Terms,
	symbolic.Domain[symbolic.Term], []*View[symbolic.Term], error) {
	t := symbolic.NewTerms()
	var dom symbolic.Domain[symbolic.Term] = t
	if before.OnWords() {
		dom = words.New(dom)
	}
	if p != nil {
		defer p.Record(t)()
	}
	sides, assumed := []*Observation{before, after}, NewBeliefs[symbolic.Term]()
	assumed.Pins, assumed.Comparisons = p, c
	if c != nil {
		c.shape = func(id uint64) uint64 { return uint64(t.Shape(symbolic.Term(id))) }
	}
	if opt.Batched {
		for _, o := range sides {
			found, err := Reaches(t, dom, o, opt, false, nil)
			if err != nil {
				return nil, nil, nil, err
			}
			assumed.Absorb(found)
		}
		if err := assumed.MatchLoops(dom, sides, opt); err != nil {
			return nil, nil, nil, err
		}
	}
	views, err := Run(dom, sides, opt, assumed, func(int) {})
	return t, dom, views, err
}

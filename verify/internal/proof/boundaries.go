package proof

import (
	"github.com/shaderlift/shaderlift/verify/internal/reals"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/walk"
)

// Boundaries executes both versions as terms and in the field, in the way of a proof, and matches their
// comparisons. It returns those whose boundary rounding may move.
func Boundaries(sides [2]*walk.Observation, way Way, seed uint64) ([]walk.Boundary, error) {
	const salt = 0xb0a7d
	met := walk.NewComparisons()
	opt := way.opt
	opt.Reals = false
	if _, _, _, err := walk.Terms(sides[0], sides[1], opt, nil, met); err != nil {
		return nil, err
	}
	// Without loops, walks in both domains meet the same comparisons, so the terms alone show whether any is new.
	if !met.AnyNew() && !sides[0].HasLoops() && !sides[1].HasLoops() {
		return nil, nil
	}
	met.MatchImages()
	f := reals.NewField(symbolic.Mix(seed^salt), sides[0].OnWords())
	var r *reals.Reals
	if way.opt.Reals {
		r = reals.New(f, way.effort)
	}
	for range 2 { // all quantities are known the second time
		assumed := walk.NewBeliefs[reals.Element]()
		assumed.Comparisons = met
		if _, err := executeAgain(domainOf(f, r, sides[:]), sides, way, assumed, func(int) { f.Begin() }); err != nil {
			return nil, err
		}
		if r == nil || !r.Again() {
			break
		}
	}
	return met.Moved(), nil
}

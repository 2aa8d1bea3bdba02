package proof

import (
	"slices"

	"github.com/shaderlift/shaderlift/verify/internal/reals"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/walk"
	"github.com/shaderlift/shaderlift/verify/internal/words"
)

// Partial precision may be dropped, never added or moved: each use of a value has to be as precise as before.
// The reals ignore rounding, so the field proof checks it separately.
//
// Values that after rounds must be rounded in before too: new values of after are computed in full. Then both
// versions are executed once more, with rounding as another pseudo-random function. In before, any use of a
// rounded value may get the unrounded value, so that a value has several alternatives. The value of after
// must be one of them. Chance selects the alternatives to follow, guided by the values that after computes
// anywhere. This can make before look less precise than after, but never the other way round.

// addsPartialPrecision describes how after, which equals before over the reals, is less precise. The
// arguments key and opt are those of the equality proof; inner is its domain of real numbers, if any. The
// sets old and now are the values that before and after round.
func addsPartialPrecision(before, after *walk.Observation, opt walk.Options, key uint64, inner *reals.Reals, old,
	now map[reals.Image]bool) (why string, err error) {
	for v := range now { // any
		if !old[v] {
			return "a value is computed in partial precision that was not before", nil
		}
	}
	if len(now) == 0 {
		return "", nil
	}
	for _, free := range []bool{false, true} {
		if why, err = losesPrecision(before, after, opt, reals.NewRoundings(key, inner, now), free); err != nil || why == "" {
			return why, err
		}
	}
	return why, nil
}

// losesPrecision compares the roundings of both versions. With free, uses of values that before rounds may
// have the unrounded value.
func losesPrecision(before, after *walk.Observation, opt walk.Options, r *reals.Roundings, free bool) (why string,
	err error) {
	sides, assumed := []*walk.Observation{after, before}, walk.NewBeliefs[reals.Rounded]()
	dom := symbolic.Domain[reals.Rounded](r)
	if before.OnWords() {
		dom = words.New(dom)
	}
	if opt.Batched {
		if err := assumed.MatchLoops(dom, sides, opt); err != nil {
			return "", err
		}
	}
	views, err := walk.Run(dom, sides, opt, assumed, func(side int) { r.Loosen(free && side == 1) })
	if err != nil {
		return "", err
	}
	if !r.Complete() {
		return "the precision of a value that is computed otherwise the second time", nil
	}
	a, b := views[0], views[1]
	if d := walk.Contrast(b, a, r.Refines); d != nil {
		return "the precision of " + d.What, nil
	}
	if !refinesKills(r, b.Kills, a.Kills) {
		return "the precision of " + walk.KillName(before), nil
	}
	return "", nil
}

// refinesKills reports whether each condition of either version matches one of the other.
func refinesKills(r *reals.Roundings, before, after []reals.Rounded) bool {
	for _, b := range before {
		if !slices.ContainsFunc(after, func(a reals.Rounded) bool { return r.Refines(b, a) }) {
			return false
		}
	}
	for _, a := range after {
		if !slices.ContainsFunc(before, func(b reals.Rounded) bool { return r.Refines(b, a) }) {
			return false
		}
	}
	return true
}

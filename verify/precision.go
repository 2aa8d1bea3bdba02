package verify

import (
	"slices"

	"github.com/shaderlift/shaderlift/verify/internal/reals"
)

// Partial precision may be dropped, never added or moved: each use of a value has to be as
// precise as it was. Over the reals rounding is nothing, so rung 3 asks for it apart.
//
// What after rounds before must round too: a value of after's own is computed in full.
// Then both sides are executed once more, with rounding as one more pseudo-random function.
// Of before any use of a rounded value may get it as it was before it was rounded, so a
// value is any of several; what after computes has to be one of these. Which of them are
// followed up is a matter of chance, guided by what after computes anywhere: that can make
// before look less precise than after, and never the other way round.

// addsPartialPrecision tells how after, which is equal to before over the reals, is less
// precise. The key and the options are those under which that was found, inner is the
// domain if it was that of real numbers, and old and now what either side rounds.
func addsPartialPrecision(before, after *observation, opt loopOptions, key uint64, inner *reals.Reals, old, now map[reals.Image]bool) (why string, err error) {
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

// losesPrecision compares what both sides round. Free tells to let uses of what before
// rounds have it as it was.
func losesPrecision(before, after *observation, opt loopOptions, r *reals.Roundings, free bool) (why string, err error) {
	sides, assumed := []*observation{after, before}, newBeliefs[reals.Rounded]()
	if opt.batched {
		if err := assumed.plan(r, sides, opt); err != nil {
			return "", err
		}
	}
	views, err := converge(r, sides, opt, assumed, func(side int) { r.Loosen(free && side == 1) })
	if err != nil {
		return "", err
	}
	if !r.Complete() {
		return "the precision of a value that is computed otherwise the second time", nil
	}
	a, b := views[0], views[1]
	if d := contrastViews(b, a, reals.Refines); d != nil {
		return "the precision of " + d.what, nil
	}
	if !refinesKills(b.kills, a.kills) {
		return "the precision of " + killName(before), nil
	}
	return "", nil
}

// refinesKills reports whether each of either side's is one of the other side's.
func refinesKills(before, after []reals.Rounded) bool {
	for _, b := range before {
		if !slices.ContainsFunc(after, func(a reals.Rounded) bool { return reals.Refines(b, a) }) {
			return false
		}
	}
	for _, a := range after {
		if !slices.ContainsFunc(before, func(b reals.Rounded) bool { return reals.Refines(b, a) }) {
			return false
		}
	}
	return true
}

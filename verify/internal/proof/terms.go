package proof

import (
	"slices"

	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/walk"
)

// Terms runs the proof by terms: both versions become terms of one DAG, in which equal terms are one node, so that
// comparing outputs costs nothing. Loops can be executed in several ways, and equality under any of them is
// enough. Terms returns a difference, preferably in an output that has to stay the same term. A nil
// result means that the versions are equal for every input under any numerics.
func Terms(before, after *walk.Observation) (*walk.Difference, error) {
	var first *walk.Difference
	for _, opt := range walk.Choices(before, after) {
		if opt.Superfluous(before, after) {
			continue
		}
		d, inducted, err := sameTermsUnder(before, after, opt)
		switch {
		case err == walk.ErrNothing, err == walk.ErrTooLong && opt.Copied:
			continue
		case err != nil || d == nil:
			return nil, err
		case !inducted && !d.Hangs: // every trip was made, and they differ
			return d, nil
		}
		if first == nil || !d.Exact {
			first = d
		}
	}
	return first, nil
}

// sameTermsUnder compares both versions. It assumes values for undefined components of before that make them
// equal, if it finds some (see walk.Choose). The result inducted reports that loops had to be matched, so that a
// difference may be the fault of the matching.
func sameTermsUnder(before, after *walk.Observation, opt walk.Options) (d *walk.Difference, inducted bool, err error) {
	named := before.SameNames(after)
	for n := 0; ; n++ {
		t, dom, views, err := walk.Terms(before, after, opt, nil, nil)
		if err != nil {
			return nil, false, err
		}
		d := sameViews(t, dom, views[0], views[1], before)
		switch {
		case d == nil:
			return nil, false, nil
		case named:
			named, before.Choices = false, map[walk.Component]walk.Reading{}
		case n >= walk.MaxChoices || !walk.Choose(t, before, views[0], views[1]):
			return d, views[0].Inducted, nil
		}
	}
}

// sameViews compares the views of two versions; o is one of them. It compares outputs one by one, then the
// conditions of drops as sets, then endings.
func sameViews(t *symbolic.Terms, dom symbolic.Domain[symbolic.Term], b, a *walk.View[symbolic.Term],
	o *walk.Observation) *walk.Difference {
	seen := map[[2]symbolic.Term]bool{}
	refines := func(b, a symbolic.Term) bool { return t.Refines(b, a, seen) }
	b = walk.Refined(dom, b, a)
	if d := walk.Contrast(b, a, refines); d != nil {
		return d
	}
	if !sameKills(t, b.Kills, a.Kills, refines) {
		return &walk.Difference{What: walk.KillName(o)}
	}
	return walk.ContrastEndings(dom, b, a)
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

// Endings finds an ending of after that may not terminate where before ends, on any numbers. Laws of the
// reals do not suffice: x equals x does not hold for NaN, and a loop that waits for it does not end.
func Endings(before, after *walk.Observation) (d *walk.Difference) {
	if !before.OnWords() || !after.HasLoops() && !after.HasPins() {
		return nil
	}
	b, a := before.Deciding(), after.Deciding()
	for _, opt := range walk.Choices(before, after) {
		if opt.Superfluous(before, after) {
			continue
		}
		_, dom, views, err := walk.Terms(b, a, opt, nil, nil)
		if err != nil {
			continue
		}
		if d = walk.ContrastEndings(dom, views[0], views[1]); d == nil {
			return nil
		}
	}
	if d == nil {
		d = &walk.Difference{What: "the exit of a loop", Hangs: true}
	}
	return d
}

package verify

import (
	"fmt"
	"slices"
)

// sameTerms is rung 1: both sides as terms of one DAG. It returns a difference, in
// an output that has to stay the same term if there is one.
func sameTerms(before, after *observation) (*difference, error) {
	opts := []loopOptions{{unroll: true}}
	if before.hasLoops() || after.hasLoops() {
		rounds, err := roundsFor(before, after)
		if err != nil {
			return nil, err
		}
		opts = []loopOptions{{unroll: true, rounds: rounds}, {rounds: rounds}}
	}
	var first *difference
	for _, opt := range opts {
		d, err := sameTermsUnder(before, after, opt)
		if err != nil || d == nil {
			return nil, err
		}
		if first == nil || !d.exact {
			first = d
		}
	}
	return first, nil
}

// maxCarried bounds the loop parameters of both sides together: an induction
// executes bodies that many times.
const maxCarried = 96

func roundsFor(before, after *observation) (int, error) {
	n := before.carried + after.carried
	if n > maxCarried {
		return 0, fmt.Errorf("loops carry %d values, more than %d", n, maxCarried)
	}
	return n, nil
}

func sameTermsUnder(before, after *observation, opt loopOptions) (*difference, error) {
	t := newTerms()
	b, err := execute[term](t, before, opt)
	if err != nil {
		return nil, err
	}
	a, err := execute[term](t, after, opt)
	if err != nil {
		return nil, err
	}
	seen := map[[2]term]bool{}
	refines := func(b, a term) bool { return t.refines(b, a, seen) }
	if d := contrastViews(b, a, refines); d != nil {
		return d, nil
	}
	if !sameKills(t, b.kills, a.kills, refines) {
		return &difference{what: "texkill"}, nil
	}
	return nil, nil
}

// sameKills compares the conditions under which fragments are dropped, as sets.
func sameKills(t *terms, before, after []term, refines func(b, a term) bool) bool {
	order := func(list []term) []term {
		list = slices.Clone(list)
		slices.SortFunc(list, func(x, y term) int {
			if s := int(t.nodes[x].shape) - int(t.nodes[y].shape); s != 0 {
				return s
			}
			return int(x - y)
		})
		return slices.Compact(list)
	}
	return slices.EqualFunc(order(before), order(after), refines)
}

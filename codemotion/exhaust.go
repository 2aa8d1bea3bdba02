package codemotion

import (
	"slices"

	"github.com/shaderlift/shaderlift/passes"
)

// maxExhausted bounds the candidates of which all selections are tried: 2^6 sets, each
// packed in two ways.
const maxExhausted = 6

// exhaust tries all selections of few candidates, in either way of packing, if one that
// is better than found, which may be nil, is not out of the question, and returns the
// best. Of what makes errors grow too much by itself there are none. The bound saves nearly
// all of these searches: where it is reached, found is best.
func (m *mover) exhaust(all, pick []*candidate, found *selection, before passes.Cost) (best *selection) {
	if len(pick) > maxExhausted {
		return found
	}
	best = found
	if found != nil {
		before = found.cost
	}
	if p := m.placement(all, found); p.Saved == p.Most {
		return found
	}
	m.every = true
	pick = slices.DeleteFunc(slices.Clone(pick), func(c *candidate) bool { return slices.Contains(m.worse, c) })
	// Bit 0 of set is the way of packing, the others are candidates.
	for set := 2; set < 2<<len(pick); set++ {
		if m.dense = set&1 != 0; m.dense && !m.link.Whole {
			continue
		}
		var some []*candidate
		for i, c := range pick {
			if set>>(i+1)&1 != 0 {
				some = append(some, c)
			}
		}
		fills, bins, ok := m.pack(some)
		if !ok {
			continue
		}
		trial, ok := m.apply(some, fills, bins)
		if !ok {
			continue
		}
		if cost, err := m.ctx.Measure(trial); err == nil && cost.Less(before) && !m.grown(trial).found() {
			best, before = &selection{some, fills, bins, trial, cost}, cost
		} else {
			trial.Release()
		}
	}
	m.dense = false
	return best
}

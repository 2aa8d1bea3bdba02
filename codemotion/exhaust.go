package codemotion

import (
	"slices"

	"github.com/shaderlift/shaderlift/passes"
)

// maxExhausted bounds the number of candidates for a search of all selections: 2^6 sets, each packed in two
// ways.
const maxExhausted = 6

// exhaust tries all selections of few candidates, packed in both ways, and returns the best. It skips the
// search if the bound excludes a better selection than found, which may be nil; the bound avoids nearly all
// of these searches. Selections that save fewer slots than the best one, and candidates that alone make errors
// grow too much, are left out.
func (m *mover) exhaust(all, pick []*candidate, found *selection, before passes.Cost) (best *selection) {
	if len(pick) > maxExhausted {
		return found
	}
	best = found
	if found != nil {
		before = found.cost
	}
	p := m.placement(all, found)
	reached := p.Saved
	if found != nil && branches(m.pixel) { // later passes share moves of several blocks
		for _, f := range found.fills {
			reached += f.moves
		}
	}
	if reached >= p.Most {
		return found
	}
	m.every = true
	pick = slices.DeleteFunc(slices.Clone(pick), func(c *candidate) bool { return slices.Contains(m.worse, c) })
	// Bit 0 of set is the packing, the others are candidates.
	for set := 2; set < 2<<len(pick); set++ {
		m.dense = set&1 != 0
		var some []*candidate
		for i, c := range pick {
			if set>>(i+1)&1 != 0 {
				some = append(some, c)
			}
		}
		fills, bins, ok := m.packCandidates(some)
		if !ok || !m.isNew(some, fills) {
			continue
		}
		saved := m.saved(&selection{picks: some, fills: fills})
		if saved < p.Saved {
			continue
		}
		trial, ok := m.apply(some, fills, bins)
		if !ok {
			continue
		}
		if cost, ok := m.cheaper(trial, before); ok && !m.grown(trial).found() {
			best, before, p.Saved = &selection{some, fills, bins, trial, cost}, cost, saved
		} else {
			trial.Release()
		}
	}
	m.dense = false
	return best
}

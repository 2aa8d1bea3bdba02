package codemotion

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// move asks leave for each motion of a selection, the most valuable first, and makes
// exactly those granted. all is the unit with every one of them made. What a motion is
// given of the interpolated registers does not depend on which others are granted, so that
// each can be told to be right or wrong by itself.
func (m *mover) move(cs []*candidate, fills []fill, bins []*bin, all *passes.Unit) {
	var granted []*candidate
	var kept []fill
	for i, c := range cs {
		if m.ctx.Step(c.at(), "computed per vertex and interpolated") {
			granted, kept = append(granted, c), append(kept, fills[i])
		}
	}
	if len(granted) == len(cs) {
		*m.unit = *all
		return
	}
	if len(granted) == 0 {
		return
	}
	kept, bins = only(granted, kept, bins)
	if some, ok := m.apply(granted, kept, bins); ok {
		*m.unit = *some
	}
}

// at is the instruction that computes a candidate, or else the one that reads it.
func (c *candidate) at() *ir.Instr {
	for _, l := range c.lanes {
		if l.V != nil && l.V.Def != nil {
			return l.V.Def
		}
	}
	return c.uses[0].in
}

// only leaves in bins what cs need of it.
func only(cs []*candidate, fills []fill, bins []*bin) ([]fill, []*bin) {
	twin := map[*bin]*bin{}
	out := make([]*bin, len(bins))
	for i, b := range bins {
		t := *b
		for k := range t.fresh {
			if t.fresh[k] {
				t.lanes[k], t.fresh[k] = ir.Lane{}, false
			}
		}
		twin[b], out[i] = &t, &t
	}
	fills = slices.Clone(fills)
	for i, c := range cs {
		b := fills[i].bin
		fills[i].bin = twin[b]
		for k, l := range c.lanes {
			if at := fills[i].comp[k]; l.V != nil && b.fresh[at] {
				twin[b].lanes[at], twin[b].fresh[at] = l, true
			}
		}
	}
	for _, b := range out {
		b.pad()
	}
	return fills, out
}

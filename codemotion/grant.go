package codemotion

import "github.com/shaderlift/shaderlift/ir"

// move asks leave for each motion of a selection, the most valuable first, and makes
// exactly those granted, less those that take the place of what one that was refused still
// reads. What a motion is given of the interpolated registers does not depend on which others
// are granted, so that each can be told to be right or wrong by itself.
func (m *mover) move(s *selection) (made *selection) {
	var granted []*candidate
	var kept []fill
	for i, c := range s.picks {
		if m.ctx.Step(c.at(), "moved", "computed per vertex and interpolated") {
			granted, kept = append(granted, c), append(kept, s.fills[i])
		}
	}
	if len(granted) == len(s.picks) {
		*m.unit = *s.unit
		return s
	}
	granted, kept, bins := only(granted, kept, s.bins)
	if len(granted) == 0 {
		return nil
	}
	some, ok := m.apply(granted, kept, bins)
	if !ok {
		return nil
	}
	*m.unit = *some
	return &selection{picks: granted, fills: kept}
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

// only leaves in bins what cs need of it, and of cs those that leave what inputs carry.
// fills that are returned name the copies of bins.
func only(cs []*candidate, fills []fill, bins []*bin) ([]*candidate, []fill, []*bin) {
	var stay []*candidate
	var kept []fill
	for i, c := range cs {
		replaces := false
		for k, l := range c.lanes {
			replaces = replaces || l.V != nil && fills[i].bin.unread[fills[i].comp[k]].V != nil
		}
		if !replaces {
			stay, kept = append(stay, c), append(kept, fills[i])
		}
	}
	// A component that was freed for motions holds again what it held.
	cs, fills = stay, kept
	twin := map[*bin]*bin{}
	out := make([]*bin, len(bins))
	for i, b := range bins {
		t := *b
		for k := range t.fresh {
			if t.fresh[k] {
				t.lanes[k], t.fresh[k] = ir.Lane{}, false
			}
			if t.unread[k].V != nil {
				t.lanes[k] = t.unread[k]
			}
		}
		twin[b], out[i] = &t, &t
	}
	// What the granted ones filled is filled again.
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
	return cs, fills, out
}

package codemotion

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// moveGranted asks permission for each motion of a selection, the most valuable first, and makes exactly the granted
// ones. It drops granted motions that replace a value which a refused motion still reads. The components of a
// motion do not depend on which others are granted, so each can be bisected separately.
func (m *mover) moveGranted(s *selection) (made *selection) {
	var granted []*candidate
	var kept []fill
	for i, c := range s.picks {
		if m.ctx.ShouldRewrite(c.anchorInstr(), "moved", "computed per vertex and interpolated") {
			granted, kept = append(granted, c), append(kept, s.fills[i])
		}
	}
	if len(granted) == len(s.picks) {
		*m.unit = *s.unit
		return s
	}
	granted, kept, bins := keepGranted(granted, kept, s.bins)
	if len(granted) == 0 {
		return nil
	}
	m.fillGaps(bins)
	some, ok := m.apply(granted, kept, bins)
	if !ok {
		return nil
	}
	*m.unit = *some
	return &selection{picks: granted, fills: kept}
}

// fillGaps writes zero to registers of the dense file that a refused motion would have written, if a higher
// one is written.
func (m *mover) fillGaps(bins []*bin) {
	for _, b := range bins {
		above := func(o *bin) bool {
			return o.Out.File == b.Out.File && o.Out.Index > b.Out.Index && o.fresh != [4]bool{}
		}
		if b.added && b.fresh == [4]bool{} && b.Out.File == m.link.Dense && slices.ContainsFunc(bins, above) {
			b.lanes[0], b.fresh[0] = b.zero, true
		}
	}
}

// anchorInstr returns the instruction that computes a candidate, or else the one that reads it.
func (c *candidate) anchorInstr() *ir.Instr {
	for _, l := range c.lanes {
		if l.V != nil && l.V.Def != nil {
			return l.V.Def
		}
	}
	return c.uses[0].in
}

// keepGranted reduces bins to the lanes that cs need, and cs to the candidates that replace no current value of an
// input. The returned fills name the copies of bins.
func keepGranted(cs []*candidate, fills []fill, bins []*bin) ([]*candidate, []fill, []*bin) {
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
	// A component that was freed for motions holds its old value again.
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
	// The granted candidates fill their components again.
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

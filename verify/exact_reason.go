package verify

import (
	"cmp"
	"fmt"

	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/ir"
)

// exactReason describes the decision of after whose bits differ from before, if the versions are otherwise
// equal over the reals. Else it returns "".
func (c *ladder) exactReason() (why string) {
	before, after := c.sides[0], c.sides[1]
	if before == nil || after == nil || c.Cheap || c.Unconfirmed || c.field.outcome == equal || !before.hasPins() && !after.hasPins() {
		return ""
	}
	var err error
	defer func() {
		if err != nil {
			why = ""
		}
	}()
	defer budget.Catch(&err)
	c.parts[fieldRung] = nil
	c.withForms(func() { why = c.unpinned() })
	return why
}

// unpinned names a pinned value that differs, if nothing else differs over the reals.
func (c *ladder) unpinned() string {
	before, after := c.sides[0], c.sides[1]
	for _, opt := range loopChoices(before, after) {
		if opt.superfluous(before, after) {
			continue
		}
		b, a, what := pinsUnder(before, after, opt).differs()
		if a == nil {
			continue
		}
		opt.reals, opt.unpinned = true, true
		if sameFieldUnder(before, after, opt, c.Seed, c.keys).outcome == equal {
			return fmt.Sprintf("R3: %s at %s must keep its bits", what, positions(b, a))
		}
	}
	return ""
}

// positions formats the position of statement a of after, and of b of before unless b is nil.
func positions(b, a *ir.Instr) string {
	if b == nil || b.Pos == a.Pos {
		return a.Pos.String()
	}
	return fmt.Sprintf("%s (%s before)", a.Pos, b.Pos)
}

// String names the pinned part of a statement.
func (p pinPart) String() string {
	switch {
	case p >= pinExit:
		return "the exit of the loop"
	case p >= pinPredicate:
		return "the predicate of the statement"
	}
	return "the condition, or the address, of the statement"
}

// differs finds the first pinned value of after, in program order, whose term no pinned value of before has.
// The returned statement of before is the first one whose term after lacks; it may be nil.
func (p *pins) differs() (before, after *ir.Instr, what pinPart) {
	if p == nil {
		return nil, nil, 0
	}
	var terms [2]map[uint64]bool
	for side := range terms {
		terms[side] = map[uint64]bool{}
	}
	for at, term := range p.terms { // a set
		terms[at.side][term] = true
	}
	var first [2]*pinPlace
	for at, term := range p.terms { // the least of those that differ
		if terms[1-at.side][term] {
			continue
		}
		if old := first[at.side]; old == nil || at.less(old) {
			first[at.side] = &at
		}
	}
	if first[1] == nil {
		return nil, nil, 0
	}
	if first[0] != nil {
		before = first[0].at.loop
	}
	return before, first[1].at.loop, first[1].part
}

// less orders pinned values by their statements.
func (p *pinPlace) less(q *pinPlace) bool {
	return cmp.Or(comparePos(p.at.loop.Pos, q.at.loop.Pos), cmp.Compare(p.part, q.part)) < 0
}

// hangs describes ending a of after, for which before has no matching ending. It also names the first ending
// of the same kind in before that after lacks.
func hangs[T any](a *ending[T], lacks func(b *ending[T]) bool, before []ending[T]) *difference {
	var partner *ir.Instr
	for i := range before {
		if b := &before[i]; b.in.Op == a.in.Op && lacks(b) {
			partner = b.in
			break
		}
	}
	what := "the exit of the loop at"
	if a.in.Op == ir.OpFence {
		what = "the condition of the barrier at"
	}
	return &difference{what: what + " " + positions(partner, a.in), hangs: true}
}

package verify

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/verify/internal/proof"
	"github.com/shaderlift/shaderlift/verify/internal/walk"
)

// Boundary is a comparison of floats that both versions make, equal over the reals, with operands from
// different operations. Rounding may move the inputs at which its outcome changes. A position is not valid
// where that version lacks the comparison.
type Boundary struct {
	Stage         d3d9.Stage // of a pair
	Before, After asm.Pos
}

// Boundaries returns the comparisons whose boundary rounding may move, in the order of the program before.
// Only a version that is proved over the reals has any. The versions are executed again.
func (r *Report) Boundaries() []Boundary {
	if r.boundaries == nil || r.Verdict != ProvedReal {
		return nil
	}
	return r.boundaries()
}

// movedBoundaries executes both versions as terms and in the field, with the options of the proof, and
// matches their comparisons. It returns nil if the budget does not suffice.
func (c *ladder) movedBoundaries() (list []Boundary) {
	var err error
	func() {
		defer budget.Catch(&err)
		c.parts[fieldRung] = nil
		c.spend(fieldRung)
		var found []walk.Boundary
		found, err = proof.Boundaries(c.sides, c.field.Way, c.Seed)
		for _, b := range found {
			list = append(list, Boundary(b))
		}
	}()
	if err != nil {
		return nil
	}
	return list
}

// exactReason describes the decision of after whose bits differ from before, if the versions are otherwise
// equal over the reals. Else it returns "".
func (c *ladder) exactReason() (why string) {
	before, after := c.sides[0], c.sides[1]
	if before == nil || after == nil || c.Cheap || c.Unconfirmed || c.field.Outcome == proof.Equal || !before.HasPins() && !after.HasPins() {
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
	c.withForms(func() { why = proof.Unpinned(before, after, c.Seed, c.keys) })
	return why
}

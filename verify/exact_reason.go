package verify

import (
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/verify/internal/proof"
)

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

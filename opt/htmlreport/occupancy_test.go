package htmlreport

import (
	"testing"

	"github.com/shaderlift/shaderlift"
)

// TestOccupancyLabels checks that labels are above the curve, within the picture and disjoint, for
// all positions of the marks.
func TestOccupancyLabels(t *testing.T) {
	const ascent = 10
	for before := 1; before <= 128; before++ {
		for _, after := range []int{1, 2, 4, before / 2, before - 1, before, before + 1, before + 9} {
			if after < 1 {
				continue
			}
			k := &shaderlift.KernelCosts{Target: "cypress", Before: shaderlift.KernelCost{GPRs: before},
				After: &shaderlift.KernelCost{GPRs: after}}
			o := occupancyOf(k)
			a, b := o.Marks[0], o.Marks[1]
			for _, m := range o.Marks {
				if m.TextY >= m.Y || m.TextY < ascent || m.X+labelWidth > o.Width {
					t.Errorf("%d and %d registers: the label of %+v in %dx%d", before, after, m, o.Width, o.Height)
				}
			}
			if across, down := max(a.X, b.X)-min(a.X, b.X), max(a.TextY, b.TextY)-min(a.TextY, b.TextY); across < labelWidth &&
				down < labelHeight {
				t.Errorf("%d and %d registers: labels overlap: %+v %+v", before, after, a, b)
			}
		}
	}
}

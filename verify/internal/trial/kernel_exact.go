package trial

import (
	"fmt"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
	"slices"
)

// Differing names the first result in which two launches differ in any bit: outputs, depth, mask, discarded
// pixels or memories. It returns "" if nothing differs.
func Differing(a, b *kernel.Result) string {
	for i := range a.Out {
		if !slices.Equal(a.Out[i], b.Out[i]) {
			return fmt.Sprintf("o%d", i)
		}
	}
	switch {
	case !slices.Equal(a.Depth, b.Depth):
		return "oDepth"
	case !slices.Equal(a.Mask, b.Mask):
		return "oMask"
	case !slices.Equal(a.Discarded, b.Discarded):
		return Coverage
	}
	return DifferingMemory(a, b)
}

// DifferingMemory compares memory alone: the global buffer, views and global data shares.
func DifferingMemory(a, b *kernel.Result) string {
	if !slices.Equal(a.Global, b.Global) {
		return "g[]"
	}
	for i, v := range a.Views {
		if i >= len(b.Views) || !slices.Equal(v.Words, b.Views[i].Words) {
			return fmt.Sprintf("view %d", v.ID)
		}
	}
	for i, m := range a.Shares {
		if i >= len(b.Shares) || !slices.Equal(m.Words, b.Shares[i].Words) {
			return fmt.Sprintf("gds%d", m.ID)
		}
	}
	return ""
}

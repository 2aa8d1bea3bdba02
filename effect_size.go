package shaderlift

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// A preshader takes some 300 bytes, which may be a third of a small file. Unless Options.Grow
// says that it may, an effect grows by no more than maxFileGrowth percent or by bytesPerSlot for
// what it saves: as long as it is larger, a part gives up what saves fewest slots. Both are chosen,
// not measured: few who ship files notice the first, and the second is what three instructions of
// two operands take.
const (
	maxFileGrowth = 3
	bytesPerSlot  = 48 // of pixel programs
)

// fitSize keeps the growth of the file within bounds. While it is too large, the part for which
// this costs fewest slots falls back to a smaller version that optimizeBound left in Result.others.
// This greedy choice need not find the least total cost; parts that grow are few. Parts of groups
// have no smaller versions.
func (e *effect) fitSize(results []*Result) {
	limit, grown, saved := len(e.bytes)*maxFileGrowth/100, 0, 0
	for i, r := range results {
		if len(r.Files) > 0 { // one that failed stays
			grown += bytesOf(r.Files) - bytesOf(e.parts[i].in.Files)
			saved += r.slotsBefore() - r.costs()[0]
		}
	}
	// The bound depends on saved, which shrinks as parts fall back.
	for grown > max(limit, saved*bytesPerSlot) {
		at, next := -1, (*Result)(nil)
		for i, r := range results {
			for _, s := range r.others {
				if bytesOf(s.Files) < bytesOf(r.Files) && !e.isGrouped(i) && (next == nil || loses(r, s, results[at], next) < 0) {
					at, next = i, s
				}
			}
		}
		if next == nil {
			return
		}
		old := results[at]
		next = next.again(&e.parts[at])
		next.others, next.Faults = old.others, old.Faults
		next.remark(asm.Pos{}, "file-size", fmt.Sprintf("a version that takes %d bytes more is left out, since the file would grow by more than %d %%, or by more than %d bytes for a slot, which it may with --grow",
			bytesOf(old.Files)-bytesOf(next.Files), maxFileGrowth, bytesPerSlot))
		grown -= bytesOf(old.Files) - bytesOf(next.Files)
		saved -= next.costs()[0] - old.costs()[0]
		results[at] = next
	}
}

// loses compares the costs of two exchanges: s instead of r, and u instead of t. It is negative if
// the first costs less.
func loses(r, s, t, u *Result) int {
	a, b, c, d := r.costs(), s.costs(), t.costs(), u.costs()
	for k := range a {
		b[k], d[k] = b[k]-a[k], d[k]-c[k]
	}
	return slices.Compare(b[:], d[:])
}

// isGrouped reports whether a part has several partners.
func (e *effect) isGrouped(part int) bool {
	return slices.ContainsFunc(e.groups, func(g group) bool { return slices.Contains(g.members(), part) })
}

// slotsBefore are those of the pixel programs as they were.
func (r *Result) slotsBefore() (n int) {
	for i := range r.Stages {
		if r.Stages[i].Stage == d3d9.Pixel {
			n += r.Stages[i].Before.Slots
		}
	}
	return n
}

// bytesOf is how many bytes programs take in an effect, where each is padded to whole words.
func bytesOf(files []File) (n int) {
	for _, f := range files {
		n += (len(f.Data) + 3) &^ 3
	}
	return n
}

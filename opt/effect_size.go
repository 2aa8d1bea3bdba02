package opt

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/opt/effect"
)

// A preshader takes about 300 bytes, which may be a third of a small file. An effect may grow by
// maxFileGrowth percent, or by bytesPerSlot for each pixel slot saved. While it is larger, the part
// with the least loss in slots falls back to a smaller version. Both limits are chosen, not measured:
// few users notice the first, and the second is the size of three instructions with two operands.
const (
	maxFileGrowth = 3
	bytesPerSlot  = 48 // of pixel programs
)

// fitSize limits the growth of the file. While the file is too large, the part that loses the fewest
// slots falls back to a smaller version from Result.others (see optimizeBound). This greedy choice need
// not find the least total cost, but few parts grow. Parts of groups have no smaller versions.
func fitSize(e *effect.Effect, results []*Result) {
	limit, grown, saved := len(e.Bytes)*maxFileGrowth/100, 0, 0
	for i, r := range results {
		if len(r.Files) > 0 { // a failed part stays
			grown += bytesOf(r.Files) - bytesOf(e.Parts[i].In.Files)
			saved += r.slotsBefore() - r.costs()[0]
		}
	}
	// The limit depends on saved, which decreases as parts fall back.
	for grown > max(limit, saved*bytesPerSlot) {
		at, next := -1, (*Result)(nil)
		for i, r := range results {
			for _, s := range r.others {
				if bytesOf(s.Files) < bytesOf(r.Files) && !e.IsGrouped(i) &&
					(next == nil || loses(r, s, results[at], next) < 0) {
					at, next = i, s
				}
			}
		}
		if next == nil {
			return
		}
		old := results[at]
		next = next.again(&e.Parts[at])
		next.others, next.Faults = old.others, old.Faults
		next.remark(asm.Pos{}, "file-size", fmt.Sprintf("a version with %d more bytes is left out, because the file would grow by more than %d %% and by more than %d bytes per slot",
			bytesOf(old.Files)-bytesOf(next.Files), maxFileGrowth, bytesPerSlot))
		grown -= bytesOf(old.Files) - bytesOf(next.Files)
		saved -= next.costs()[0] - old.costs()[0]
		results[at] = next
	}
}

// loses compares the costs of two exchanges: r by s, and t by u. It is negative if the first loses
// less.
func loses(r, s, t, u *Result) int {
	a, b, c, d := r.costs(), s.costs(), t.costs(), u.costs()
	for k := range a {
		b[k], d[k] = b[k]-a[k], d[k]-c[k]
	}
	return slices.Compare(b[:], d[:])
}

// slotsBefore returns the slots of the pixel programs before optimization.
func (r *Result) slotsBefore() (n int) {
	for i := range r.Stages {
		if r.Stages[i].Stage == d3d9.Pixel {
			n += r.Stages[i].Before.Slots
		}
	}
	return n
}

// bytesOf returns the size of programs in an effect, where each is padded to whole words.
func bytesOf(files []File) (n int) {
	for _, f := range files {
		n += (len(f.Data) + 3) &^ 3
	}
	return n
}

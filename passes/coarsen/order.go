package coarsen

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// together is the number of invocations for which a four-lane instruction is copied in a row. The copies read
// the same components, so read ports keep them out of one instruction group. A list scheduler finds other work
// only within a window of ready operations: that of package machine holds 32, which are eight four-lane
// instructions. Long rows of copies also keep many values alive. The value was chosen on convolutions, advections
// and element-wise products of the corpus, in tiles of 4, 8 and 12 that docs/results.md does not report. Launches of
// the 14 tiles of 8 and 12 that depend on it take 5 % longer with 4 than with 2, 16 % with 6, 18 % with 8, and 7 %
// with all (geometric mean), as four of them then lose half of their wavefronts. The other ten take 0.2, 0.5, 2.4
// and 2.4 % longer. The 8 tiles of 4 take 2.3 % longer with all.
const together = 2

// sequence copies code for invocations s one instruction at a time. Vector instructions that each
// invocation needs separately are copied for at most together invocations at a time:
//
//	mad r0, ...        mad r0 for two, mul r1 for two, mad r0 for the next two, ...
//	mul r1, ...
func (k *copier) sequence(code []*ir.Instr, s invocations) {
	var vectors []*ir.Instr       // pending vector instructions
	known := map[*ir.Value]bool{} // values that they define
	flush := func() {
		for part := range slices.Chunk(s, together) {
			for _, in := range vectors {
				k.instr(in, part)
			}
		}
		vectors = nil
		clear(known)
	}
	for _, in := range code {
		if len(s) > together && k.isOwnVector(in, s) {
			vectors = append(vectors, in)
			in.EachDef(func(v *ir.Value) { known[v] = true })
			continue
		}
		if in.Op.Has(ir.Structured) || reads(in, known) {
			flush()
		}
		k.instr(in, s)
	}
	flush()
}

// isOwnVector reports whether in is four-lane arithmetic that every invocation of s needs
// separately.
func (k *copier) isOwnVector(in *ir.Instr, s invocations) bool {
	if in.Mask() != 0b1111 || !in.Op.HasFormula() || in.IsPredicated() || in.Op.Has(ir.Special) {
		return false
	}
	for i := range in.Out {
		if len(k.partition(s, k.laneDivergence(in, i))) < len(s) {
			return false
		}
	}
	return true
}

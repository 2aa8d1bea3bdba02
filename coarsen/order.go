package coarsen

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// together is for how many invocations an instruction of four lanes is copied in a row. Copies read
// the same components, so that ports keep them from sharing an instruction group, and a compiler looks
// for others only as far as some ready operations: the scheduler of package machine takes 32, which is
// eight instructions of four lanes. Of 2 to 9, 6 leaves the fewest groups in tiles of the correlator.
const together = 6

// sequence copies code for invocations s, instruction by instruction, but vectors that each computes
// for itself for a few of them at a time:
//
//	mad r0, ...        mad r0 for six, mul r1 for six, mad r0 for the others, mul r1 for them
//	mul r1, ...
func (k *copier) sequence(code []*ir.Instr, s invocations) {
	var vectors []*ir.Instr       // to be copied
	known := map[*ir.Value]bool{} // only then
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

// isOwnVector reports whether in is arithmetic on four lanes that each of s does for itself.
func (k *copier) isOwnVector(in *ir.Instr, s invocations) bool {
	if in.Mask() != 0b1111 || !in.Op.HasFormula() || in.IsPredicated() || in.Op.Has(ir.Special) {
		return false
	}
	for i := range in.Out {
		if len(k.partition(s, k.lane(in, i))) < len(s) {
			return false
		}
	}
	return true
}

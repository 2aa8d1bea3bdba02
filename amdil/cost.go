package amdil

import (
	"math/bits"

	"github.com/shaderlift/shaderlift/ir"
)

// reductions are the slots of a VLIW5 group that sums of products take whichever lanes they
// write: one for each product, of which there are always four, and one for what is added.
var reductions = map[ir.Op]int{
	ir.OpDp2: 4, ir.OpDp3: 4, ir.OpDp4: 4, ir.OpDp2Add: 5,
}

// Slots implements ir.Dialect. What all lanes share is computed once, anything else lane
// by lane.
func (*Dialect) Slots(in *ir.Instr) int {
	if n, ok := reductions[in.Op.Legacy()]; ok {
		return n
	}
	if in.Op.Info().Shape == ir.Replicated {
		return 1
	}
	return bits.OnesCount8(in.Mask())
}

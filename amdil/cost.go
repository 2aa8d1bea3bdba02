package amdil

import (
	"math/bits"

	"github.com/shaderlift/shaderlift/ir"
)

// reductions are the slots of a VLIW5 group that sums of products take whichever lanes
// they write: DOT4 takes all four vector slots ("R600-Family Instruction Set
// Architecture", section on ALU instructions), and what is added takes one more.
var reductions = map[ir.Op]int{
	ir.OpDp2: 4, ir.OpDp3: 4, ir.OpDp4: 4, ir.OpDp2Add: 5,
}

// Slots implements ir.Dialect. What all lanes share is computed once, anything else
// lane by lane. It is a rough count for passes to compare forms by; package machine
// prices kernels.
func (*Dialect) Slots(in *ir.Instr) int {
	if n, ok := reductions[in.Op.Legacy()]; ok {
		return n
	}
	if in.Op.Info().Shape == ir.Replicated {
		return 1
	}
	return bits.OnesCount8(in.Mask())
}

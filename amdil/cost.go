package amdil

import (
	"math/bits"

	"github.com/shaderlift/shaderlift/ir"
)

// reductions are the slots of a VLIW5 group that dot products take, for any write mask. DOT4 takes all four
// vector slots ("R600-Family Instruction Set Architecture", section on ALU instructions), and an added
// operand takes one more.
var reductions = map[ir.Op]int{
	ir.OpDp2: 4, ir.OpDp3: 4, ir.OpDp4: 4, ir.OpDp2Add: 5,
}

// Slots implements ir.Dialect. A value that all lanes share is computed once, any other value lane by lane.
// It is a rough count for passes to compare forms by; package machine prices kernels.
func (*Dialect) Slots(in *ir.Instr) int {
	if n, ok := reductions[in.Op.Legacy()]; ok {
		return n
	}
	if in.Op.Info().Shape == ir.Replicated {
		return 1
	}
	return bits.OnesCount8(in.Mask())
}

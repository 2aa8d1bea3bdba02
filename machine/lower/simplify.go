package lower

import (
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// onWords lists the integer operations that are folded on literals.
var onWords = map[r600.Op]func(a, b uint32) uint32{
	r600.OpAndInt:  func(a, b uint32) uint32 { return a & b },
	r600.OpOrInt:   func(a, b uint32) uint32 { return a | b },
	r600.OpXorInt:  func(a, b uint32) uint32 { return a ^ b },
	r600.OpAddInt:  func(a, b uint32) uint32 { return a + b },
	r600.OpSubInt:  func(a, b uint32) uint32 { return a - b },
	r600.OpLShlInt: func(a, b uint32) uint32 { return a << b },
	r600.OpLShrInt: func(a, b uint32) uint32 { return a >> b },
	r600.OpAShrInt: func(a, b uint32) uint32 { return uint32(int32(a) >> b) },
}

// simplified returns the result of an integer operation that needs no code: both operands are
// literals, or one of them changes nothing. Only the sequences of this package need it; operations
// of the kernel are folded earlier (folded).
func simplified(op r600.Op, args []mir.Arg) (mir.Arg, bool) {
	if len(args) == 3 && op == r600.OpCndEInt && args[0].Kind == mir.LiteralArg {
		if literal(args[0]).Bits == 0 {
			return args[1], true
		}
		return args[2], true
	}
	if len(args) != 2 || args[1].Kind != mir.LiteralArg {
		return mir.Arg{}, false
	}
	b := literal(args[1]).Bits
	if f := onWords[op]; f != nil && args[0].Kind == mir.LiteralArg {
		return mir.L(f(literal(args[0]).Bits, b)), true
	}
	switch op {
	case r600.OpAddInt, r600.OpSubInt, r600.OpOrInt, r600.OpXorInt, r600.OpLShlInt, r600.OpLShrInt, r600.OpAShrInt:
		return args[0], b == 0
	case r600.OpAndInt:
		return args[0], b == 0xFFFFFFFF
	}
	return mir.Arg{}, false
}

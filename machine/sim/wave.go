package sim

import (
	"math"
	"sync"

	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/machine/sim/internal/wave"
)

// waveEval computes one slot of a wavefront.
type waveEval = func(to, a, b, c *lanes)

// waveEvals returns the evals for whole wavefronts. Tracing spends most of its time here. The most
// frequent operations therefore avoid a call for each thread, or use assembly kernels if available.
// The first call builds the table.
func waveEvals() *[r600.Ops]waveEval {
	filled.Do(fillEvals)
	return &filledEvals
}

var (
	filledEvals [r600.Ops]waveEval
	filled      sync.Once
)

func fillEvals() {
	t := &filledEvals
	for op, f := range evals() {
		if f != nil {
			t[op] = func(to, a, b, c *lanes) {
				for i := range to {
					to[i] = f(a[i], b[i], c[i])
				}
			}
		}
	}
	for op, f := range inlineEvals {
		t[op] = f
	}
	for op, f := range wave.KernelTable() {
		if f != nil {
			t[op] = f
		}
	}
}

// inlineEvals repeats the most frequent rows of evals (a test compares them). It is used if there
// are no assembly kernels.
var inlineEvals = map[r600.Op]waveEval{
	r600.OpMov: func(to, a, b, c *lanes) { *to = *a },
	r600.OpAndInt: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = a[i] & b[i]
		}
	},
	r600.OpOrInt: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = a[i] | b[i]
		}
	},
	r600.OpXorInt: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = a[i] ^ b[i]
		}
	},
	r600.OpNotInt: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = ^a[i]
		}
	},
	r600.OpAddInt: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = a[i] + b[i]
		}
	},
	r600.OpSubInt: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = a[i] - b[i]
		}
	},
	r600.OpMulLoInt: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = a[i] * b[i]
		}
	},
	r600.OpMulHiUint: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = uint32(uint64(a[i]) * uint64(b[i]) >> 32)
		}
	},
	r600.OpMaxInt: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = uint32(max(int32(a[i]), int32(b[i])))
		}
	},
	r600.OpMinInt: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = uint32(min(int32(a[i]), int32(b[i])))
		}
	},
	r600.OpAShrInt: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = uint32(int32(a[i]) >> (b[i] & 31))
		}
	},
	r600.OpLShrInt: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = a[i] >> (b[i] & 31)
		}
	},
	r600.OpLShlInt: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = a[i] << (b[i] & 31)
		}
	},
	r600.OpBitAlignInt: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = uint32((uint64(a[i])<<32 | uint64(b[i])) >> (c[i] & 31))
		}
	},
	r600.OpBFIInt: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = a[i]&b[i] | ^a[i]&c[i]
		}
	},
	r600.OpSetEInt: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = choose(a[i] == b[i], ^uint32(0), 0)
		}
	},
	r600.OpSetNEInt: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = choose(a[i] != b[i], ^uint32(0), 0)
		}
	},
	r600.OpSetGTInt: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = choose(int32(a[i]) > int32(b[i]), ^uint32(0), 0)
		}
	},
	r600.OpSetGEInt: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = choose(int32(a[i]) >= int32(b[i]), ^uint32(0), 0)
		}
	},
	r600.OpSetGTUint: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = choose(a[i] > b[i], ^uint32(0), 0)
		}
	},
	r600.OpSetGEUint: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = choose(a[i] >= b[i], ^uint32(0), 0)
		}
	},
	r600.OpPredSetNEInt: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = choose(a[i] != b[i], ^uint32(0), 0)
		}
	},
	r600.OpPredSetEInt: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = choose(a[i] == b[i], ^uint32(0), 0)
		}
	},
	r600.OpSetGTDX10: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = choose(float(a[i]) > float(b[i]), ^uint32(0), 0)
		}
	},
	r600.OpSetGEDX10: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = choose(float(a[i]) >= float(b[i]), ^uint32(0), 0)
		}
	},
	r600.OpCndEInt: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = choose(a[i] == 0, b[i], c[i])
		}
	},
	r600.OpCndGEInt: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = choose(int32(a[i]) >= 0, b[i], c[i])
		}
	},
	r600.OpCndE: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = choose(float(a[i]) == 0, b[i], c[i])
		}
	},
	r600.OpCndGE: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = choose(float(a[i]) >= 0, b[i], c[i])
		}
	},
	r600.OpCndGT: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = choose(float(a[i]) > 0, b[i], c[i])
		}
	},
	r600.OpAdd: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = floatWord(float(a[i]) + float(b[i]))
		}
	},
	r600.OpMulIEEE: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = floatWord(float(a[i]) * float(b[i]))
		}
	},
	r600.OpMul: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = floatWord(mulZero(float(a[i]), float(b[i])))
		}
	},
	r600.OpMulAddIEEE: func(to, a, b, c *lanes) {
		for i := range to {
			product := float(a[i]) * float(b[i])
			to[i] = floatWord(product + float(c[i]))
		}
	},
	r600.OpMulAdd: func(to, a, b, c *lanes) {
		for i := range to {
			product := float(a[i]) * float(b[i])
			to[i] = floatWord(product + float(c[i]))
		}
	},
	r600.OpMax: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = floatWord(maxFloat(float(a[i]), float(b[i])))
		}
	},
	r600.OpMaxDX10: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = floatWord(maxFloat(float(a[i]), float(b[i])))
		}
	},
	r600.OpMinDX10: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = floatWord(minFloat(float(a[i]), float(b[i])))
		}
	},
	r600.OpFract: func(to, a, b, c *lanes) {
		for i := range to {
			x := float64(float(a[i]))
			to[i] = floatWord(float32(x - math.Floor(x)))
		}
	},
	r600.OpFloor: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = floatWord(float32(math.Floor(float64(float(a[i])))))
		}
	},
	r600.OpMin: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = floatWord(minFloat(float(a[i]), float(b[i])))
		}
	},
	r600.OpFltToInt: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = uint32(toInt(float(a[i])))
		}
	},
	r600.OpIntToFlt: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = floatWord(float32(int32(a[i])))
		}
	},
	r600.OpUintToFlt: func(to, a, b, c *lanes) {
		for i := range to {
			to[i] = floatWord(float32(a[i]))
		}
	},
}

// Package wave computes operations on all lanes of a wavefront at once, by assembly kernels on
// processors with AVX2. Package sim defines the operations; its loops in Go compute the same on
// other processors.
//
// The kernels come from bench/simdgen, a separate module, so that its assembler is not a dependency:
//
//go:generate go -C ../../../../bench/simdgen run . wave ../../machine/sim/internal/wave
package wave

// Lanes is a value of every thread of a wavefront.
type Lanes = [64]uint32

// Op computes an operation of up to three operands.
type Op = func(to, a, b, c *Lanes)

// Nonzero returns the mask of the lanes that are not zero.
func Nonzero(a *Lanes) (mask uint64) {
	if fast {
		return nonzero(a)
	}
	for lane, v := range a {
		if v != 0 {
			mask |= 1 << lane
		}
	}
	return mask
}

// Repeats returns the mask of the lanes that equal the previous lane.
func Repeats(a *Lanes) (mask uint64) {
	if fast {
		return repeats(a)
	}
	for lane := 1; lane < len(a); lane++ {
		if a[lane] == a[lane-1] {
			mask |= 1 << lane
		}
	}
	return mask
}

// Blend copies the lanes of a mask.
func Blend(to, from *Lanes, mask uint64) {
	switch {
	case mask == ^uint64(0):
		*to = *from
	case fast:
		blend(to, from, mask)
	default:
		for lane := range to {
			if mask>>lane&1 != 0 {
				to[lane] = from[lane]
			}
		}
	}
}

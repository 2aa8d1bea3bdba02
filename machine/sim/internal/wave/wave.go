// Package wave computes operations on all lanes of a wavefront at once, by kernels in assembly
// where the processor has AVX2. What they compute is said in package sim, whose loops in Go
// compute the same and run elsewhere.
//
// The kernels come from gen, a module of its own so that its assembler is no dependency:
//
//go:generate go -C gen run . ..
package wave

// Lanes is a value of every thread of a wavefront.
type Lanes = [64]uint32

// Op computes an operation of up to three operands.
type Op = func(to, a, b, c *Lanes)

// Nonzero is the lanes that are not zero.
func Nonzero(a *Lanes) (mask uint64) {
	if Fast {
		return nonzero(a)
	}
	for lane, v := range a {
		if v != 0 {
			mask |= 1 << lane
		}
	}
	return mask
}

// Repeats is the lanes that are as the one before.
func Repeats(a *Lanes) (mask uint64) {
	if Fast {
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
	case Fast:
		blend(to, from, mask)
	default:
		for lane := range to {
			if mask>>lane&1 != 0 {
				to[lane] = from[lane]
			}
		}
	}
}

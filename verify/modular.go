package verify

import (
	"math"
	"math/bits"
)

// prime is the order of the field that rung 3 computes in, the Mersenne prime
// 2^61-1. Powers of two are rotations of 61 bits in it, so every float32 has an
// exact image.
const prime = 1<<61 - 1

func addMod(a, b uint64) uint64 {
	s := a + b
	if s >= prime {
		s -= prime
	}
	return s
}

func negMod(a uint64) uint64 {
	if a == 0 {
		return 0
	}
	return prime - a
}

func mulMod(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return addMod(lo&prime, hi<<3|lo>>61)
}

// reduce brings any word into the field.
func reduce(x uint64) uint64 {
	if x = x&prime + x>>61; x >= prime {
		x -= prime
	}
	return x
}

// imageOf is the image of a finite float32 in the field.
func imageOf(f float32) uint64 {
	frac, exp := math.Frexp(float64(f))
	m := int64(frac * (1 << 24))
	neg := m < 0
	if neg {
		m = -m
	}
	shift := ((exp-24)%61 + 61) % 61
	x := uint64(m)
	x = (x<<shift | x>>(61-shift)) & prime
	if neg {
		x = negMod(x)
	}
	return x
}

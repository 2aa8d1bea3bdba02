package symbolic

import "github.com/shaderlift/shaderlift/ir"

// Mix spreads every bit of h over the result. It is a bijection of 64-bit words, with xorshifts and odd
// factors like the finalizers of MurmurHash3 and SplitMix64.
func Mix(h uint64) uint64 {
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h ^ h>>32
}

// Stream is a small random number generator: a counter with SplitMix64's increment, mixed (Steele, Lea and
// Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014). It does not use the standard
// library, whose generators may change.
type Stream uint64

// Next returns the next of all 64-bit numbers.
func (r *Stream) Next() uint64 {
	*r += 0x9e3779b97f4a7c15
	return Mix(uint64(*r))
}

// Float returns a uniform number in 0..1.
func (r *Stream) Float() float32 { return float32(r.Next()>>40) / (1 << 24) }

// Below returns a number below n. The bias of the remainder is below n/2^64.
func (r *Stream) Below(n int) int { return int(r.Next() % uint64(n)) }

// RegKey returns the number of a register component, below 2^40.
func RegKey(r ir.Reg) uint64 {
	return uint64(r.File)<<32 | uint64(r.Index)<<8 | uint64(r.Comp)
}

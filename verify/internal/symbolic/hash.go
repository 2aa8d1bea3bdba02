package symbolic

// Mix spreads every bit of h over all of the result. It is a bijection of 64-bit words: xorshifts and
// odd factors, in the manner of the finalizers of MurmurHash3 and SplitMix64.
func Mix(h uint64) uint64 {
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h ^ h>>32
}

// Stream is a small generator of numbers, a counter with SplitMix64's increment, mixed (Steele, Lea and
// Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014). It is written out here since
// what a check draws must not change with the library's.
type Stream uint64

// Next is the next number of all that have 64 bits.
func (r *Stream) Next() uint64 {
	*r += 0x9e3779b97f4a7c15
	return Mix(uint64(*r))
}

// Float is uniform in 0..1.
func (r *Stream) Float() float32 { return float32(r.Next()>>40) / (1 << 24) }

// Below is less than n. The bias of the remainder is below n/2^64.
func (r *Stream) Below(n int) int { return int(r.Next() % uint64(n)) }

package verify

// mix spreads every bit of h over all of the result.
func mix(h uint64) uint64 {
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h ^ h>>32
}

// stream is a small generator of numbers: what a check draws must not change
// with the library's.
type stream uint64

// next is the next number of all that have 64 bits.
func (r *stream) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	return mix(uint64(*r))
}

// float is uniform in 0..1.
func (r *stream) float() float32 { return float32(r.next()>>40) / (1 << 24) }

// below is less than n.
func (r *stream) below(n int) int { return int(r.next() % uint64(n)) }

package interp

// Random is the generator of case files: a linear congruential generator whose upper 24 bits give a number
// in [0, 1).
type Random uint32

// NewRandom returns a generator with the given seed.
func NewRandom(seed int) Random { return Random(uint32(seed)*2654435761 + 1) }

// Next returns the next word.
func (r *Random) Next() uint32 {
	*r = *r*1664525 + 1013904223
	return uint32(*r)
}

// Unit converts a word of the generator to a number in [0, 1).
func Unit(word uint32) float32 { return float32(word>>8) / (1 << 24) }

package interp

// Random is the generator that case files name: a linear congruence, whose upper 24
// bits make a number in [0, 1).
type Random uint32

// NewRandom starts the generator.
func NewRandom(seed int) Random { return Random(uint32(seed)*2654435761 + 1) }

// Next is the next word.
func (r *Random) Next() uint32 {
	*r = *r*1664525 + 1013904223
	return uint32(*r)
}

// Unit is the number in [0, 1) that a word of the generator stands for.
func Unit(word uint32) float32 { return float32(word>>8) / (1 << 24) }

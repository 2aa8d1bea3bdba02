package gen

import "math/rand/v2"

// Source makes the decisions of a generator.
type Source interface {
	// IntN returns a number from 0 to n-1; 0 is the simplest.
	IntN(n int) int
	// Last returns a number from 0 to n-1; n-1 is the simplest.
	Last(n int) int
	// Chance returns true with a probability in percent; false is simpler.
	Chance(percent int) bool
	// Uint32 returns any word.
	Uint32() uint32
	// Perm returns a permutation of the numbers from 0 to n-1.
	Perm(n int) []int
	// Repeat calls f until it returns false. A source that counts calls it about n times.
	Repeat(n int, f func() bool)
}

// Seeded returns a Source that depends on a seed and a stream number alone, on every machine.
func Seeded(seed, stream uint64) Source {
	return seeded{rand.New(rand.NewPCG(seed, stream))}
}

type seeded struct{ *rand.Rand }

func (s seeded) Last(n int) int          { return s.IntN(n) }
func (s seeded) Chance(percent int) bool { return s.IntN(100) < percent }

func (s seeded) Repeat(_ int, f func() bool) {
	for f() {
	}
}

package choice

import "math/rand/v2"

// Source decides.
type Source interface {
	// IntN is one of the n numbers from 0 on; 0 is the simplest.
	IntN(n int) int
	// Last is one of the n numbers from 0 on; n-1 is the simplest.
	Last(n int) int
	// Chance is true so many times out of a hundred; false is simpler.
	Chance(percent int) bool
	// Uint32 is any word.
	Uint32() uint32
	// Perm is an order of the n numbers from 0 on.
	Perm(n int) []int
	// Repeat calls f until it returns false, and where the source counts itself
	// about n times.
	Repeat(n int, f func() bool)
}

// Seeded decides by a seed and a stream of numbers of that seed, the same on every
// machine.
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

package gen

import (
	"math/bits"

	"pgregory.net/rapid"
)

// Rapid returns a Source of draws of a rapid test. Numbers consist of fair bits: rapid's own generators of
// numbers prefer small ones, which would exclude most of a language.
func Rapid(t *rapid.T) Source { return &drawn{t} }

type drawn struct{ t *rapid.T }

// bit is one generator, made once.
var bit = rapid.Bool()

// fairBits returns a number of n fair bits.
func (d *drawn) fairBits(n int) (v uint64) {
	for range n {
		v <<= 1
		if bit.Draw(d.t, "") {
			v |= 1
		}
	}
	return v
}

// slack is the number of extra bits drawn, so that all numbers have nearly the same probability.
const slack = 3

// IntN scales a number of k bits down to n alternatives (multiply and shift). Fewer set bits, to which
// rapid shrinks, give smaller numbers.
func (d *drawn) IntN(n int) int {
	if n <= 1 {
		return 0
	}
	k := bits.Len(uint(n - 1))
	if n&(n-1) != 0 {
		k += slack
	}
	return int(d.fairBits(k) * uint64(n) >> k)
}

func (d *drawn) Last(n int) int { return n - 1 - d.IntN(n) }

func (d *drawn) Chance(percent int) bool { return d.IntN(100) >= 100-percent }

func (d *drawn) Uint32() uint32 { return uint32(d.fairBits(32)) }

func (d *drawn) Perm(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	for i := range p {
		j := i + d.IntN(n-i)
		p[i], p[j] = p[j], p[i]
	}
	return p
}

// Repeat draws before each call whether to make it. Rapid removes a call by removing its draws, so later
// draws must not depend on the number of calls.
func (d *drawn) Repeat(n int, f func() bool) {
	outer := d.t
	defer func() { d.t = outer }()
	k := max(bits.Len(uint(n)), 1)
	one := rapid.Custom(func(t *rapid.T) bool {
		d.t = t
		return d.fairBits(k) != 0 && f()
	})
	for one.Draw(outer, "") {
	}
}

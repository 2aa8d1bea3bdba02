package reals

import (
	"math"

	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Position marks x, an input, as the centre of a pixel.
func (b *Bitwise) Position(x Element) Element {
	if r, ok := b.algebra.(*Reals); ok {
		x = r.Position(x)
	}
	return b.noted(x, bounded(positions))
}

// Integer decomposes the truncation of x into the conversion of rest, which is integral, plus n. The result
// ok requires that x is exact, and has a grid of integers or of one common fraction. If necessary, x must
// also be nonnegative.
func (b *Bitwise) Integer(x Element, unsigned bool) (rest Element, n int32, ok bool) {
	r := b.reading(x)
	floor := math.Floor(r.over)
	const most = 1 << 30 // far from where conversions saturate
	if !r.bounded || r.step < 1 || r.magnitude() > most || math.Abs(floor) > most ||
		(unsigned || r.over != floor) && r.lo < 0 {
		return x, 0, false
	}
	rest, ok = b.shifted(x, -r.over)
	return b.noted(rest, bounded(r.grid.add(literalGrid(-r.over)))), int32(floor), ok
}

// FromInteger returns the float of n plus a weighted sum of integral numbers that Integer returned. The
// result ok requires that the integer does not wrap, is not negative if unsigned, and has at most 24 bits,
// so that the conversion rounds nothing.
func (b *Bitwise) FromInteger(n int32, numbers []Element, by []int32, unsigned bool) (sum Element, ok bool) {
	if !symbolic.IsFloat(float64(n)) {
		return sum, false
	}
	sum, g := b.algebra.Const(float32(n)), literalGrid(float64(n))
	for i, x := range numbers {
		r := b.reading(x)
		if !r.bounded || !r.isWhole() || !symbolic.IsFloat(float64(by[i])) {
			return sum, false
		}
		sum = b.algebra.Add(sum, b.algebra.Mul(x, b.algebra.Const(float32(by[i]))))
		g = g.add(r.grid.mul(literalGrid(float64(by[i]))))
	}
	if !fitsFloat(g.magnitude(), 1) || unsigned && g.lo < 0 {
		return sum, false
	}
	return b.noted(sum, bounded(g)), true
}

// shifted returns x + d.
func (b *Bitwise) shifted(x Element, d float64) (y Element, ok bool) {
	if !symbolic.IsFloat(d) {
		return x, false
	}
	return b.algebra.Add(x, b.algebra.Const(float32(d))), true
}

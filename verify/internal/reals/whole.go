package reals

import (
	"math"

	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// whole describes a number minus a literal, over. If known is set it is an integer of magnitude at most
// size; up states that it is not negative.
type whole struct {
	known, up  bool
	over, size float64
}

// literally returns the description of a literal.
func literally(x float32) whole { return whole{known: true, up: true, over: float64(x)} }

// Position marks x, an input, as the centre of a pixel: an integer plus a half.
func (r *Reals) Position(x Element) Element {
	f := r.about(x)
	f.whole = whole{known: true, up: true, over: 0.5, size: maxPosition}
	return r.coefficient(x, f)
}

func (m whole) plus(n whole) whole {
	return whole{
		known: m.known && n.known && symbolic.ExactSum(m.over, n.over),
		up:    m.up && n.up,
		over:  m.over + n.over,
		size:  m.size + n.size,
	}
}

// times returns the product: (m+c)*(n+d) = m*n + c*n + d*m + c*d.
func (m whole) times(n whole) whole {
	c, d := m.over, n.over
	return whole{
		known: m.known && n.known && symbolic.IsFloat(c*d) && (n.size == 0 || c == math.Trunc(c)) &&
			(m.size == 0 || d == math.Trunc(d)),
		up:   m.up && n.up && (n.size == 0 || c >= 0) && (m.size == 0 || d >= 0),
		over: c * d,
		size: m.size*n.size + math.Abs(c)*n.size + math.Abs(d)*m.size,
	}
}

func (m whole) neg() whole { return whole{m.known, m.size == 0, -m.over, m.size} }

// counts reports whether the number itself is not negative.
func (m whole) counts() bool { return m.up && m.over >= 0 }

// rounded returns x rounded down, or towards zero if toZero is set. It reports whether that is known.
func (r *Reals) rounded(x Element, toZero bool) (Element, bool) {
	m := r.about(x).whole
	down := math.Floor(m.over)
	if hasTerms(x) || !m.known || toZero && m.over != down && !m.counts() || !symbolic.ExactSum(down, -m.over) {
		return x, false
	}
	return r.plus(x, r.number(float32(down-m.over))), true
}

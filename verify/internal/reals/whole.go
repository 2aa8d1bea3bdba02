package reals

import (
	"math"

	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// whole is what is known of a number of which a literal, over, is taken: that it is a whole one of at
// most size, and that it is not negative.
type whole struct {
	known, up  bool
	over, size float64
}

// literally is what is known of a literal.
func literally(x float32) whole { return whole{known: true, up: true, over: float64(x)} }

// maxPosition bounds where pixels are: the sides of what is rendered to. maxWhole bounds what is taken
// for the same number as an integer, far from where conversions saturate.
const (
	maxPosition = 1 << 14
	maxWhole    = 1 << 30
)

// Position is x, an input, as the centre of a pixel: a whole number and a half.
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

// times: (m+c)*(n+d) = m*n + c*n + d*m + c*d.
func (m whole) times(n whole) whole {
	c, d := m.over, n.over
	return whole{
		known: m.known && n.known && symbolic.IsFloat(c*d) && (n.size == 0 || c == math.Trunc(c)) && (m.size == 0 || d == math.Trunc(d)),
		up:    m.up && n.up && (n.size == 0 || c >= 0) && (m.size == 0 || d >= 0),
		over:  c * d,
		size:  m.size*n.size + math.Abs(c)*n.size + math.Abs(d)*m.size,
	}
}

func (m whole) neg() whole { return whole{m.known, m.size == 0, -m.over, m.size} }

// fits: integers do not end before it.
func (m whole) fits() bool { return m.known && m.size+math.Abs(m.over) <= maxWhole }

// counts: it is not negative with what was taken.
func (m whole) counts() bool { return m.up && m.over >= 0 }

// rounded is x without its fraction, if that is known: of what may be negative the way down.
func (r *Reals) rounded(x Element, toZero bool) (Element, bool) {
	m := r.about(x).whole
	down := math.Floor(m.over)
	if hasTerms(x) || !m.known || toZero && m.over != down && !m.counts() || !symbolic.ExactSum(down, -m.over) {
		return x, false
	}
	return r.plus(x, r.number(float32(down-m.over))), true
}

// Integer takes apart what becomes of x as an integer, rounded towards zero: that of rest, which is
// whole, and n more. It is ok if x is known to be whole, or not negative, which an unsigned one has to
// be, and far from where integers end.
func (r *Reals) Integer(x Element, unsigned bool) (rest Element, n int32, ok bool) {
	if hasTerms(x) || r.opaqueLiteral(x) {
		return x, 0, false
	}
	m := r.about(x).whole
	floor := math.Floor(m.over)
	if !m.fits() || (unsigned || m.over != floor) && !m.counts() {
		return x, 0, false
	}
	return r.plus(x, r.number(float32(-m.over))), int32(floor), true
}

// FromInteger is n and the sum of whole numbers, which Integer gave, each by a factor, as a float. It is
// ok if the integer does not wrap, and is not negative where it is unsigned.
func (r *Reals) FromInteger(n int32, numbers []Element, by []int32, unsigned bool) (sum Element, ok bool) {
	if !symbolic.IsFloat(float64(n)) {
		return sum, false
	}
	sum = r.number(float32(n))
	for i, x := range numbers {
		if !symbolic.IsFloat(float64(by[i])) {
			return sum, false
		}
		sum = r.plus(sum, r.times(x, r.number(float32(by[i]))))
	}
	m := r.about(sum).whole
	return sum, m.fits() && (!unsigned || m.counts())
}

package reals

import (
	"math"
	"math/bits"

	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// minPrime is less than any prime that is drawn (primes.go).
const minPrime = 1 << 60

// modulus computes in the field of integers modulo a prime p. Elements have Montgomery form (Modular
// Multiplication Without Trial Division, Mathematics of Computation 44, 1985): x represents x/2^64, so a
// product is reduced by two multiplications and no division. Elements are below p.
type modulus struct {
	p       uint64
	inverse uint64 // of p modulo 2^64
	one     uint64
	square  uint64 // of 2^64: a plain integer times it is an element
	// powers are 2^(minExponent+i) in a form whose product with a plain integer is an element.
	powers [maxExponent - minExponent + 1]uint64
}

// A finite float32 is m*2^e with an integer m below 2^24 and e between these.
const minExponent, maxExponent = -149, 104

// newMontgomery computes the constants for products modulo the odd number p.
func newMontgomery(p uint64) *modulus {
	m := &modulus{p: p, inverse: p}
	for range 5 { // Newton's iteration doubles the correct bits, initially three
		m.inverse *= 2 - p*m.inverse
	}
	_, m.one = bits.Div64(1, 0, p)
	_, m.square = bits.Div64(m.one, 0, p)
	return m
}

// tabulate computes the powers of two.
func (m *modulus) tabulate() {
	m.powers[-minExponent] = m.square
	for i := -minExponent; i < len(m.powers)-1; i++ {
		m.powers[i+1] = m.add(m.powers[i], m.powers[i])
	}
	for i := -minExponent; i > 0; i-- {
		half := m.powers[i]
		if half&1 != 0 {
			half += m.p
		}
		m.powers[i-1] = half / 2
	}
}

func (m *modulus) add(a, b uint64) uint64 {
	s := a + b
	if s >= m.p {
		s -= m.p
	}
	return s
}

func (m *modulus) neg(a uint64) uint64 {
	if a == 0 {
		return 0
	}
	return m.p - a
}

// mul returns a*b/2^64. lo*inverse*p has the same lower word as a*b, so the difference of the upper words
// is the quotient, up to p.
func (m *modulus) mul(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	sub, _ := bits.Mul64(lo*m.inverse, m.p) // its lower word is lo
	d, borrow := bits.Sub64(hi, sub, 0)
	return d + m.p&-borrow
}

// power returns a to the e.
func (m *modulus) power(a, e uint64) uint64 {
	x := m.one
	for ; e > 0; e >>= 1 {
		if e&1 != 0 {
			x = m.mul(x, a)
		}
		a = m.mul(a, a)
	}
	return x
}

// reduce maps a random word into the field by scaling, x*p/2^64. At most 2^64/minPrime = 16 words map to
// one element.
func (m *modulus) reduce(x uint64) uint64 {
	hi, _ := bits.Mul64(x, m.p)
	return hi
}

// image returns the element of a finite float32: its mantissa, as an integer, times a power of two.
func (m *modulus) image(f float32) uint64 {
	word := math.Float32bits(f)
	e, frac := word>>23&0xff, uint64(word&(1<<23-1))
	if e == 0 {
		e = 1
	} else {
		frac |= 1 << 23
	}
	x := m.mul(frac, m.powers[e-1])
	if word&symbolic.SignBit != 0 {
		x = m.neg(x)
	}
	return x
}

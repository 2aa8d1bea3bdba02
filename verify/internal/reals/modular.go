package reals

import (
	"math"
	"math/bits"
	"sync"

	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// primes is what the fields of rung 3 are chosen from. Programs contain powers of two and
// floats, which are short integers times such a power; modulo a prime that these are
// related to, some that differ over the reals are equal, as 2^61 and 1 are modulo the
// Mersenne prime 2^61-1. So for every p here
//
//   - (p-1)/2 is prime too: every element but 0, 1 and -1 has an order of at least
//     (p-1)/2 in the multiplicative group, 2 among them;
//   - p is no sum of few powers of two, of either sign;
//   - no two different finite float32 are equal modulo p.
//
// They were drawn at random; a test checks what is said here.
var primes = [64]uint64{
	0x1dcdcace9a5b807f, 0x1f138118476373ab, 0x1eca75b40bbc6627, 0x1e6bd39201c2d51b,
	0x1d4655c3d333eb8f, 0x1c91f1de61bb385b, 0x1edeeb120d323f07, 0x1f97fa169fd7438b,
	0x187c11bb5b1c8663, 0x18625b7836082f43, 0x1d32c0944b9cc0ab, 0x18c5883845b1d2b7,
	0x1c5b731a7e4d8ecf, 0x1acbf7cba9f858c3, 0x190c37510ae742e3, 0x1943461792ac4767,
	0x1d932de280be539f, 0x1ca7459bc89a26df, 0x1d81019dcab5c2db, 0x1c5f259354754663,
	0x19f9f089d2434b13, 0x1f9b90172b2a3053, 0x181f97773942196f, 0x1eb5c2fe51c58e3f,
	0x1ab297a5fa9b69bb, 0x1f8fefeb61925d23, 0x1b7e606e826bdc47, 0x1c25c0066c0d813b,
	0x1ccf393bc0ec10cb, 0x18da96207335efbf, 0x18a58f26c8645af7, 0x1963b75e13302963,
	0x1f960d1c5abe9607, 0x1e60c42f58f578fb, 0x1ba0788a73d9948b, 0x1f698fd7f1998903,
	0x197135fa7cbda1ef, 0x183f8819be466e77, 0x195dda74c3d13cf7, 0x1f1928ba1537f367,
	0x1e226e82307f21c3, 0x1c1cc585ca45711b, 0x1f1d67b7df08e06b, 0x1a3ee311c9e47b87,
	0x1c412c986dc8aafb, 0x19d16ca5db31e48b, 0x186d185862f6e9e3, 0x194477bc774909a3,
	0x1f279b0cfccb303f, 0x1c0ee0a23d09e42f, 0x1d4b91fa0416f9ef, 0x19409f230c3166f3,
	0x180a2e9b0bd964e7, 0x1dded07ea1dad0ff, 0x1c63b6c56503dad7, 0x1b5db7de9c787a33,
	0x1d31512b6d23b29f, 0x1ed80e1a03a3682b, 0x19b1c787faa6f28f, 0x199ecb60435cb6d3,
	0x1b651a79e2e026d3, 0x1a5a332e27cb3eaf, 0x1e84e0488c892ed3, 0x1a582b66d42a635f,
}

// minPrime is less than any of them.
const minPrime = 1 << 60

// modulus computes in the field of integers modulo a prime p. Elements are in Montgomery form
// (Modular Multiplication Without Trial Division, Mathematics of Computation 44, 1985): x stands for
// x/2^64, so that a product is reduced by two multiplications and no division. Elements are below p.
type modulus struct {
	p       uint64
	inverse uint64 // of p modulo 2^64
	one     uint64
	// powers are 2^(minExponent+i) in a form whose product with a plain integer is an
	// element.
	powers [maxExponent - minExponent + 1]uint64
}

// A finite float32 is m*2^e with an integer m below 2^24 and e between these.
const minExponent, maxExponent = -149, 104

// moduli are those of primes, made when first asked for.
var moduli [len(primes)]func() *modulus

func init() {
	for i, p := range primes {
		moduli[i] = sync.OnceValue(func() *modulus { return newModulus(p) })
	}
}

func newModulus(p uint64) *modulus {
	m := &modulus{p: p, inverse: p}
	for range 5 { // Newton's iteration doubles the bits that are right, at first three
		m.inverse *= 2 - p*m.inverse
	}
	_, m.one = bits.Div64(1, 0, p)
	_, square := bits.Div64(m.one, 0, p)
	m.powers[-minExponent] = square
	for i := -minExponent; i < len(m.powers)-1; i++ {
		m.powers[i+1] = m.add(m.powers[i], m.powers[i])
	}
	for i := -minExponent; i > 0; i-- {
		half := m.powers[i]
		if half&1 != 0 {
			half += p
		}
		m.powers[i-1] = half / 2
	}
	return m
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

// mul is a*b/2^64. lo*inverse*p has the same lower word as a*b, so that the difference of the upper
// words is the quotient, up to p.
func (m *modulus) mul(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	sub, _ := bits.Mul64(lo*m.inverse, m.p) // which has lo too
	d, borrow := bits.Sub64(hi, sub, 0)
	return d + m.p&-borrow
}

// reduce brings a random word into the field by scaling, x*p/2^64. No element comes of more than
// 2^64/minPrime = 16 words.
func (m *modulus) reduce(x uint64) uint64 {
	hi, _ := bits.Mul64(x, m.p)
	return hi
}

// image is the element of a finite float32: its mantissa, as an integer, times a power of two.
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

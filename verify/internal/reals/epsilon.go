package reals

import (
	"math"
	"math/bits"

	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// A polynomial of height h has coefficients that are multiples of 2^(-149*h), and whose magnitudes sum to
// at most 2^(128*h). So both the largest and the smallest float have height 1. Heights of products add, as
// degrees do.

// heightOf returns the height of a finite float.
func heightOf(word uint32) float32 {
	size := word &^ symbolic.SignBit
	if size == 0 {
		return 0
	}
	e, frac := max(int(size>>23), 1)+minExponent-1, size&(1<<23-1)
	if size>>23 != 0 {
		frac |= 1 << 23
	}
	high, low := e+bits.Len32(frac), e+bits.TrailingZeros32(frac)
	if frac&(frac-1) == 0 { // the logarithm of a power of two is known
		high--
	}
	return max(float32(high)/128, float32(-low)/149, 0)
}

// heightOfSum bounds log2(2^a + 2^b) by the larger of a and b plus log2(1 + 2^-d) for their distance d. The
// latter is at most 2^-d / ln 2.
func heightOfSum(a, b float32) float32 {
	if a < b {
		a, b = b, a
	}
	d := min((a-b)*128, 40)
	return a + min(1, math.Log2E/float32(uint64(1)<<uint(d)))/128
}

// weight returns a number proportional to the probability that x is zero in a field, see Epsilon.
func (x *Element) weight() float64 { return float64(x.deg) + 200*float64(x.height) }

// Epsilon bounds the probability that different versions look equal. It covers the outputs outs and a total
// number of compared values. The random choice is the hash of the programs, the options and the seed, which
// is the key (package verify). It chooses the primes, the point and the opaque functions. The bound holds
// for every pair of programs that is written before it is hashed.
//
// A failure in one field requires a coincidence of two among q different values (opaque applications,
// literals, values that [Reals] looks up), or of two different outputs. The union covers q*(q-1)/2 pairs,
// the tests and the outputs. The difference of a pair is a nonzero polynomial over the rationals. It can
// have the value zero for two reasons:
//
//   - The prime divides all coefficients. Times a power of two they are integers of at most 277*height bits,
//     so at most 277/60*height primes above 2^60 divide them. There are more than 2^54.6 primes of 61 bits.
//   - The point is a zero modulo the prime, with probability at most degree/2^60 (Schwartz and Zippel).
//
// Both together have a probability of at most (degree + 200*height)/2^60. This is the largest weight that
// was met, over 2^60. Inverses count as variables. No variable has a higher power than the degree, so the
// difference times that power of all denominators is a polynomial. Its weight is larger by the weights of
// the denominators (summed in spread) times the degree. The other field has another prime, point and
// functions, so the bound is squared. With 1,000 functions of degree 100 it is 2^-69.
func (f *Field) Epsilon(outs []Element, compared int) float64 {
	for _, x := range outs {
		f.recordWeight(x)
	}
	q, m := float64(f.opaque+f.values+f.literals), float64(compared)
	one := min(1, (q*(q-1)/2+2*f.tests+m)*max(f.weight+f.degree*f.spread, 1)/minPrime)
	return one * one
}

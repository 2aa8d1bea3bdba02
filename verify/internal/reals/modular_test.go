package reals

import (
	"math"
	"math/big"
	"math/bits"
	"testing"

	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

func integer(x uint64) *big.Int { return new(big.Int).SetUint64(x) }

// The primes are what their table says.
func TestPrimes(t *testing.T) {
	seen := map[uint64]bool{}
	for _, p := range primes {
		if p < minPrime || p >= 2*minPrime || seen[p] {
			t.Errorf("%#x is not of 61 bits, or not new", p)
		}
		seen[p] = true
		if !integer(p).ProbablyPrime(32) || !integer(p/2).ProbablyPrime(32) {
			t.Errorf("%#x is no prime, or half of it is not", p)
		}
		// The order of 2 divides p-1 = 2q, so that it is 1, 2, q or 2q.
		if four := new(big.Int).Exp(big.NewInt(2), big.NewInt(2), integer(p)); four.Cmp(big.NewInt(1)) == 0 {
			t.Errorf("2 is of order two modulo %#x", p)
		}
		if n := signedDigits(p); n < 16 {
			t.Errorf("%#x is a sum of %d powers of two", p, n)
		}
		if k := related(p); k >= 0 {
			t.Errorf("modulo %#x a float32 is 2^%d times another that it does not equal", p, k)
		}
	}
}

// signedDigits is how many powers of two, of either sign, sum up to x at least: the
// weight of its non-adjacent form.
func signedDigits(x uint64) (n int) {
	for ; x != 0; x >>= 1 {
		if x&1 != 0 {
			n++
			if x&3 == 3 {
				x++
			} else {
				x--
			}
		}
	}
	return n
}

// related finds an exponent e such that a*2^e = b modulo p for integers a and b of at
// most 24 bits that are not so related anyway, or returns -1. For each e the pairs (a, b)
// make a lattice, of which it finds the shortest vectors as Gauss does.
func related(p uint64) int {
	power := integer(1)
	for e := 0; e <= maxExponent-minExponent; e++ {
		if e > 24 { // else both sides are less than p/2
			u := [2]*big.Int{big.NewInt(1), new(big.Int).Set(power)}
			v := [2]*big.Int{big.NewInt(0), integer(p)}
			if short(reduced(u, v)) {
				return e
			}
		}
		power.Lsh(power, 1).Mod(power, integer(p))
	}
	return -1
}

func dot(a, b [2]*big.Int) *big.Int {
	x, y := new(big.Int).Mul(a[0], b[0]), new(big.Int).Mul(a[1], b[1])
	return x.Add(x, y)
}

// reduced is the shortest vector of the lattice that u and v span.
func reduced(u, v [2]*big.Int) [2]*big.Int {
	for {
		if dot(u, u).Cmp(dot(v, v)) < 0 {
			u, v = v, u
		}
		n := dot(v, v)
		q := new(big.Int).Lsh(dot(u, v), 1)
		q.Add(q, n).Div(q, new(big.Int).Lsh(n, 1)) // rounded to the nearest
		if q.Sign() == 0 {
			return v
		}
		for i := range u {
			u[i] = new(big.Int).Sub(u[i], new(big.Int).Mul(q, v[i]))
		}
	}
}

// short reports whether v may be two integers of 24 bits.
func short(v [2]*big.Int) bool { return dot(v, v).Cmp(big.NewInt(2<<48)) <= 0 }

// The fields agree with integer arithmetic done at length.
func TestModular(t *testing.T) {
	r := symbolic.Stream(1)
	for i := range primes {
		m := moduli[i]()
		p := integer(m.p)
		word := new(big.Int).ModInverse(new(big.Int).Lsh(big.NewInt(1), 64), p)
		plain := func(x uint64) *big.Int { // what an element stands for
			v := new(big.Int).Mul(integer(x), word)
			return v.Mod(v, p)
		}
		for range 500 {
			a, b := m.reduce(r.Next()), m.reduce(r.Next())
			x, y := plain(a), plain(b)
			for _, c := range []struct {
				name string
				got  uint64
				want *big.Int
			}{
				{"sum", m.add(a, b), new(big.Int).Add(x, y)},
				{"product", m.mul(a, b), new(big.Int).Mul(x, y)},
				{"negation", m.neg(a), new(big.Int).Neg(x)},
			} {
				if c.got >= m.p || plain(c.got).Cmp(c.want.Mod(c.want, p)) != 0 {
					t.Fatalf("%s of %d and %d modulo %d: %d, want %d", c.name, x, y, p, plain(c.got), c.want)
				}
			}
		}
		for _, a := range []uint64{0, m.one, m.p - 1} {
			if m.add(a, m.neg(a)) != 0 || m.mul(a, m.one) != a {
				t.Errorf("%d is not treated as an element", a)
			}
		}
		if hi, _ := bits.Mul64(math.MaxUint64, m.p); m.reduce(math.MaxUint64) != hi || hi >= m.p {
			t.Errorf("the last word becomes %d modulo %d", hi, m.p)
		}
	}
}

// Products and sums of floats that are exact are kept by their images.
func TestImage(t *testing.T) {
	floats := []float32{0, 1, -1, 0.5, 3, -0.75, 1.5e10, 0x1p-149, -0x1p-126, 0x1.fffffep127, 0.1, 0x1p-61, 0x1p61, 0x1p-122}
	for i := range primes {
		m := moduli[i]()
		if m.image(1) != m.one {
			t.Errorf("1 is %d modulo %d", m.image(1), m.p)
		}
		for _, a := range floats {
			for _, b := range floats {
				if x := a * b; float64(x) == float64(a)*float64(b) && !(x == 0 && a != 0 && b != 0) {
					if m.mul(m.image(a), m.image(b)) != m.image(x) {
						t.Errorf("%g * %g", a, b)
					}
				}
				exact := new(big.Float).SetPrec(400).Add(big.NewFloat(float64(a)), big.NewFloat(float64(b)))
				if x, acc := exact.Float32(); acc == big.Exact && m.add(m.image(a), m.image(b)) != m.image(x) {
					t.Errorf("%g + %g", a, b)
				}
				if a != b && m.image(a) == m.image(b) {
					t.Errorf("%g is %g", a, b)
				}
			}
		}
	}
}

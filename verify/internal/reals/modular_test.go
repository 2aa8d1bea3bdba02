package reals

import (
	"math"
	"math/big"
	"math/bits"
	"testing"

	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

func integer(x uint64) *big.Int { return new(big.Int).SetUint64(x) }

// TestPrimes checks that the drawn primes are different primes of 61 bits, and depend on the key alone. The
// test of Miller and Rabin must agree with math/big on composites too.
func TestPrimes(t *testing.T) {
	seen := map[uint64]bool{}
	for key := range uint64(200) {
		pair := moduliOf(key)
		for _, m := range pair {
			if m.p < minPrime || m.p >= 2*minPrime || seen[m.p] || !integer(m.p).ProbablyPrime(32) {
				t.Errorf("key %d draws %#x, which is no new prime of 61 bits", key, m.p)
			}
			seen[m.p] = true
		}
		clear(drawn.moduli)
		if again := moduliOf(key); again[0].p != pair[0].p || again[1].p != pair[1].p {
			t.Errorf("key %d draws %#x and %#x, then %#x and %#x", key, pair[0].p, pair[1].p, again[0].p, again[1].p)
		}
	}
	r := symbolic.Stream(1)
	// Composites: products of two primes of 31 bits, of the form (k+1)(2k+1), which fool single bases.
	for range 2000 {
		k := r.Next()>>35 | 1<<28
		for _, x := range []uint64{(2*k + 1) * (4*k + 1), r.Next()>>3 | 1} {
			if newMontgomery(x).isPrime() != integer(x).ProbablyPrime(20) {
				t.Errorf("%d is judged wrongly", x)
			}
		}
	}
}

// TestModular compares the fields with integer arithmetic by math/big.
func TestModular(t *testing.T) {
	r := symbolic.Stream(1)
	for key := range uint64(64) {
		m := moduliOf(key)[0]
		p := integer(m.p)
		word := new(big.Int).ModInverse(new(big.Int).Lsh(big.NewInt(1), 64), p)
		plain := func(x uint64) *big.Int { // the number of an element
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

// TestImage checks that images preserve exact products and sums of floats.
func TestImage(t *testing.T) {
	floats := []float32{0, 1, -1, 0.5, 3, -0.75, 1.5e10, 0x1p-149, -0x1p-126, 0x1.fffffep127, 0.1, 0x1p-61, 0x1p61,
		0x1p-122}
	for key := range uint64(64) {
		m := moduliOf(key)[0]
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

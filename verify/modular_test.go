package verify

import (
	"math"
	"math/big"
	"testing"
)

// The field agrees with integer arithmetic done at length.
func TestModular(t *testing.T) {
	p := big.NewInt(prime)
	if !p.ProbablyPrime(20) {
		t.Fatal("the order of the field is not a prime")
	}
	r := stream(1)
	for range 10000 {
		a, b := reduce(r.next()), reduce(r.next())
		x, y := new(big.Int).SetUint64(a), new(big.Int).SetUint64(b)
		for _, c := range []struct {
			name string
			got  uint64
			want *big.Int
		}{
			{"sum", addMod(a, b), new(big.Int).Add(x, y)},
			{"product", mulMod(a, b), new(big.Int).Mul(x, y)},
			{"negation", negMod(a), new(big.Int).Neg(x)},
		} {
			if want := c.want.Mod(c.want, p).Uint64(); c.got != want {
				t.Fatalf("%s of %d and %d: %d, want %d", c.name, a, b, c.got, want)
			}
		}
	}
	for _, a := range []uint64{0, 1, prime - 1} {
		if addMod(a, negMod(a)) != 0 || mulMod(a, 1) != a || reduce(a) != a {
			t.Errorf("%d is not treated as an element", a)
		}
	}
}

// Products and sums of floats that are exact are kept by their images.
func TestImage(t *testing.T) {
	floats := []float32{0, 1, -1, 0.5, 3, -0.75, 1.5e10, 0x1p-149, -0x1p-126, 0x1.fffffep127, 0.1}
	for _, a := range floats {
		for _, b := range floats {
			if x := a * b; float64(x) == float64(a)*float64(b) && !(x == 0 && a != 0 && b != 0) {
				if mulMod(imageOf(a), imageOf(b)) != imageOf(x) {
					t.Errorf("%g * %g", a, b)
				}
			}
			if x := a + b; float64(x) == float64(a)+float64(b) && math.Abs(float64(a)-float64(x)+float64(b)) == 0 {
				exact := new(big.Float).SetPrec(400).Add(big.NewFloat(float64(a)), big.NewFloat(float64(b)))
				if f, acc := exact.Float32(); acc == big.Exact && f == x && addMod(imageOf(a), imageOf(b)) != imageOf(x) {
					t.Errorf("%g + %g", a, b)
				}
			}
		}
	}
}

package reals

import "testing"

// BenchmarkPrimes measures the cost of the two primes of a key.
func BenchmarkPrimes(b *testing.B) {
	for key := range uint64(b.N) {
		d := &drawer{key: key}
		d.prime()
		d.prime()
	}
}

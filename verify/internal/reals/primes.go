package reals

import (
	"crypto/sha256"
	"encoding/binary"
	"sync"
)

// drawer draws 61-bit primes from the SHA-256 hashes of a key and a counter. The key is itself a hash of
// the programs under comparison (package verify, budget.go). So nobody knows the primes of a comparison
// before both programs are written, and no program can hold a constant that is zero modulo them.
type drawer struct {
	key, blocks uint64
	rest        []byte // rest of the last hash
}

func (d *drawer) next() uint64 {
	if len(d.rest) == 0 {
		var block [16]byte
		binary.LittleEndian.PutUint64(block[:], d.key)
		binary.LittleEndian.PutUint64(block[8:], d.blocks)
		d.blocks++
		sum := sha256.Sum256(block[:])
		d.rest = sum[:]
	}
	x := binary.LittleEndian.Uint64(d.rest)
	d.rest = d.rest[8:]
	return x
}

// prime draws one of the primes between minPrime and 2*minPrime, each with the same probability: it takes
// the first prime among independent odd numbers. About 21 numbers are drawn on average.
func (d *drawer) prime() *modulus {
	for {
		p := d.next()%minPrime | minPrime | 1
		if !hasSmallFactor(p) {
			if m := newMontgomery(p); m.isPrime() {
				m.tabulate()
				return m
			}
		}
	}
}

// smallPrimes sieve candidates. They leave one odd number in four to isPrime.
var smallPrimes = [...]uint64{3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89,
	97}

func hasSmallFactor(x uint64) bool {
	for _, p := range smallPrimes {
		if x%p == 0 {
			return true
		}
	}
	return false
}

// bases are the first twelve primes. A number below 2^64 that is a strong probable prime to all of them
// is prime (Sorenson and Webster, Strong pseudoprimes to twelve prime bases, Mathematics of Computation
// 86, 2017).
var bases = [...]uint64{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37}

// isPrime reports whether the odd number m.p is prime, by the test of Miller and Rabin. math/big's
// ProbablyPrime agrees (TestPrimes) and takes ten times as long.
func (m *modulus) isPrime() bool {
	odd, twos := m.p-1, 0
	for ; odd&1 == 0; odd >>= 1 {
		twos++
	}
	minusOne := m.neg(m.one)
	for _, b := range bases {
		x := m.power(m.mul(b, m.square), odd)
		probable := x == m.one || x == minusOne
		for i := 1; i < twos && !probable; i++ {
			x = m.mul(x, x)
			probable = x == minusOne
		}
		if !probable {
			return false
		}
	}
	return true
}

// drawn caches the moduli of recent keys: the proofs of one comparison use the same ones several times. It
// is cleared when it holds maxDrawn keys of 4 KiB each.
var drawn = struct {
	sync.Mutex
	moduli map[uint64][2]*modulus
}{moduli: map[uint64][2]*modulus{}}

const maxDrawn = 64

// moduliOf draws two different primes for a key.
func moduliOf(key uint64) [2]*modulus {
	drawn.Lock()
	defer drawn.Unlock()
	pair, ok := drawn.moduli[key]
	if ok {
		return pair
	}
	d := &drawer{key: key}
	pair[0], pair[1] = d.prime(), d.prime()
	for pair[1].p == pair[0].p {
		pair[1] = d.prime()
	}
	if len(drawn.moduli) == maxDrawn {
		clear(drawn.moduli)
	}
	drawn.moduli[key] = pair
	return pair
}

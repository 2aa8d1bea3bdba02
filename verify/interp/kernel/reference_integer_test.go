package kernel_test

import (
	"math/bits"
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// rc5 is RC5 with words of 32 bits, 12 rounds and a key of 16 bytes.
type rc5 [26]uint32

func newRC5(key [4]uint32) (s rc5) {
	s[0] = 0xB7E15163
	for i := 1; i < len(s); i++ {
		s[i] = s[i-1] + 0x9E3779B9
	}
	var a, b uint32
	for i := range 3 * len(s) {
		a = bits.RotateLeft32(s[i%len(s)]+a+b, 3)
		s[i%len(s)] = a
		b = bits.RotateLeft32(key[i%4]+a+b, int((a+b)%32))
		key[i%4] = b
	}
	return s
}

func (s *rc5) encrypt(a, b uint32) (uint32, uint32) {
	a, b = a+s[0], b+s[1]
	for i := 2; i < len(s); i += 2 {
		a = bits.RotateLeft32(a^b, int(b%32)) + s[i]
		b = bits.RotateLeft32(b^a, int(a%32)) + s[i+1]
	}
	return a, b
}

// TestRC5Reference checks the reference with Rivest's first example, a key and plain text of zeros.
func TestRC5Reference(t *testing.T) {
	s := newRC5([4]uint32{})
	if a, b := s.encrypt(0, 0); a != 0xEEDBA521 || b != 0x6D8F4B15 {
		t.Errorf("nought is encrypted as %08X %08X", a, b)
	}
}

func TestRC5(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 1))
	for _, key := range [][4]uint32{{}, {0x91CEA910, 0x01A55563, 0x51B241BE, 0x19465F91},
		{r.Uint32(), r.Uint32(), r.Uint32(), r.Uint32()}} {
		blocks := make([]uint32, 4*128)
		for i := 4; i < len(blocks); i++ {
			blocks[i] = r.Uint32()
		}
		s := newRC5(key)
		want := make([]uint32, len(blocks))
		for i := 0; i < len(blocks); i += 2 {
			want[i], want[i+1] = s.encrypt(blocks[i], blocks[i+1])
		}
		l := newLaunch(t, 128, 1)
		l.constant(0, 0, key)
		l.global(blocks)
		same(t, "encrypted", l.run(filepath.Join(ownKernels, "rc5.il")).Global, want)
	}
}

// collatz counts the steps to one, at most a hundred: even numbers by remainder 0 and 2 modulo four, odd
// ones by remainder 1 and 3.
func collatz(n uint32) (even0, even2, odd1, odd3 uint32) {
	for steps := 0; n > 1 && steps < 100; steps++ {
		switch n % 4 {
		case 0:
			even0, n = even0+1, n/2
		case 1:
			odd1, n = odd1+1, 3*n+1
		case 2:
			even2, n = even2+1, n/2
		case 3:
			odd3, n = odd3+1, 3*n+1
		}
	}
	return even0, even2, odd1, odd3
}

func TestCollatz(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 1))
	numbers := []uint32{0, 1, 2, 3, 27, 97, 871, 1 << 31}
	for len(numbers) < 4*64 {
		numbers = append(numbers, r.Uint32()>>r.IntN(32))
	}
	want := make([]uint32, len(numbers))
	for i, n := range numbers {
		at := i &^ 3
		a, b, c, d := collatz(n)
		want[at], want[at+1], want[at+2], want[at+3] = want[at]+a, want[at+1]+b, want[at+2]+c, want[at+3]+d
	}
	l := newLaunch(t, len(numbers)/4, 1)
	l.global(numbers)
	same(t, "counts", l.run(filepath.Join(ownKernels, "collatz.il")).Global, want)
}

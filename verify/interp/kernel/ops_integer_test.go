package kernel

import (
	"math"
	"math/big"
	"math/bits"
)

func s64(a uint32) int64 { return int64(int32(a)) }

func field(width, offset uint32) *big.Int {
	m := new(big.Int).Lsh(big.NewInt(1), uint(width&31))
	return m.Lsh(m.Sub(m, big.NewInt(1)), uint(offset&31))
}

func bytesOf(w uint32) [4]int {
	return [4]int{int(w & 255), int(w >> 8 & 255), int(w >> 16 & 255), int(w >> 24)}
}

var integerCases = []opCase{
	{"iadd", 2, intWords, false, func(a, b, _, _ uint32) uint32 { return uint32(s64(a) + s64(b)) }},
	{"imul", 2, intWords, false, func(a, b, _, _ uint32) uint32 { return uint32(s64(a) * s64(b)) }},
	{"umul", 2, intWords, false, func(a, b, _, _ uint32) uint32 { return uint32(uint64(a) * uint64(b)) }},
	{"imad", 3, intWords, false, func(a, b, c, _ uint32) uint32 { return uint32(s64(a)*s64(b) + s64(c)) }},
	{"umad", 3, intWords, false, func(a, b, c, _ uint32) uint32 { return uint32(uint64(a)*uint64(b) + uint64(c)) }},
	{"imul_high", 2, intWords, false, func(a, b, _, _ uint32) uint32 { return uint32(uint64(s64(a)*s64(b)) >> 32) }},
	{"umul_high", 2, intWords, false, func(a, b, _, _ uint32) uint32 { hi, _ := bits.Mul32(a, b); return hi }},
	{"imul24", 2, intWords, false, func(a, b, _, _ uint32) uint32 { return uint32(s64(a<<8) / 256 * (s64(b<<8) / 256)) }},
	{"umul24", 2, intWords, false, func(a, b, _,
		_ uint32) uint32 {
		return uint32(uint64(a%(1<<24)) * uint64(b%(1<<24)))
	}},
	{"imad24", 3, intWords, false, func(a, b, c,
		_ uint32) uint32 {
		return uint32(s64(a<<8)/256*(s64(b<<8)/256) + s64(c))
	}},
	{"umad24", 3, intWords, false, func(a, b, c, _ uint32) uint32 {
		return uint32(uint64(a%(1<<24))*uint64(b%(1<<24)) + uint64(c))
	}},
	{"inegate", 1, intWords, false, func(a, _, _, _ uint32) uint32 { return uint32(-s64(a)) }},
	{"imin", 2, intWords, false, func(a, b, _, _ uint32) uint32 { return uint32(min(s64(a), s64(b))) }},
	{"imax", 2, intWords, false, func(a, b, _, _ uint32) uint32 { return uint32(max(s64(a), s64(b))) }},
	{"umin", 2, intWords, false, func(a, b, _, _ uint32) uint32 { return uint32(min(uint64(a), uint64(b))) }},
	{"umax", 2, intWords, false, func(a, b, _, _ uint32) uint32 { return uint32(max(uint64(a), uint64(b))) }},
	{"udiv", 2, intWords, false, func(a, b, _, _ uint32) uint32 {
		if b == 0 {
			return 0xffffffff
		}
		q, _ := bits.Div32(0, a, b)
		return q
	}},
	{"umod", 2, intWords, false, func(a, b, _, _ uint32) uint32 {
		if b == 0 {
			return 0xffffffff
		}
		return bits.Rem32(0, a, b)
	}},
	{"icarry", 2, intWords, false, func(a, b, _, _ uint32) uint32 { _, c := bits.Add32(a, b, 0); return c }},
	{"iborrow", 2, intWords, false, func(a, b, _, _ uint32) uint32 { _, c := bits.Sub32(a, b, 0); return c }},
	{"ieq", 2, intWords, false, func(a, b, _, _ uint32) uint32 { return truth(a == b) }},
	{"ine", 2, intWords, false, func(a, b, _, _ uint32) uint32 { return truth(a != b) }},
	{"ilt", 2, intWords, false, func(a, b, _, _ uint32) uint32 { return truth(s64(a) < s64(b)) }},
	{"ige", 2, intWords, false, func(a, b, _, _ uint32) uint32 { return truth(s64(a) >= s64(b)) }},
	{"ult", 2, intWords, false, func(a, b, _, _ uint32) uint32 { return truth(uint64(a) < uint64(b)) }},
	{"uge", 2, intWords, false, func(a, b, _, _ uint32) uint32 { return truth(uint64(a) >= uint64(b)) }},
	{"inot", 1, intWords, false, func(a, _, _, _ uint32) uint32 { return uint32(-1 - s64(a)) }},
	{"iand", 2, intWords, false, func(a, b, _, _ uint32) uint32 { return ^(^a | ^b) }},
	{"ior", 2, intWords, false, func(a, b, _, _ uint32) uint32 { return ^(^a & ^b) }},
	{"ixor", 2, intWords, false, func(a, b, _, _ uint32) uint32 { return (a | b) - (a & b) }},
	{"ishl", 2, intWords, false, func(a, b, _, _ uint32) uint32 { return uint32(uint64(a) * uint64(1<<(b%32))) }},
	{"ishr", 2, intWords, false, func(a, b, _,
		_ uint32) uint32 {
		return uint32(math.Floor(float64(s64(a)) / float64(int64(1)<<(b%32))))
	}},
	{"ushr", 2, intWords, false, func(a, b, _, _ uint32) uint32 { return uint32(uint64(a) / (1 << (b % 32))) }},
	{"ubit_extract", 3, intWords, false, func(a, b, c, _ uint32) uint32 {
		x := new(big.Int).And(field(a, b), new(big.Int).SetUint64(uint64(c)))
		return uint32(x.Rsh(x, uint(b&31)).Uint64())
	}},
	{"ibit_extract", 3, intWords, false, func(a, b, c, _ uint32) uint32 {
		w, o := a&31, b&31
		if w == 0 {
			return 0
		}
		r := int64(0)
		for k := range w { // the sign is the last bit of the field inside the word
			r |= int64(c>>min(o+k, 31)&1) << k
		}
		if r>>(w-1)&1 != 0 {
			r -= 1 << w
		}
		return uint32(r)
	}},
	{"ubit_insert", 4, []uint32{0, 1, 5, 8, 31, 32, 0xffffffff, 0x12345678}, false, func(a, b, c, d uint32) uint32 {
		m := uint32(field(a, b).Uint64())
		return c<<(b&31)&m + d&^m
	}},
	{"bfi", 3, intWords, false, func(a, b, c, _ uint32) uint32 { return (b^c)&a ^ c }},
	{"ubit_reverse", 1, intWords, false, func(a, _, _, _ uint32) (r uint32) {
		for k := range 32 {
			r |= a >> k & 1 << (31 - k)
		}
		return r
	}},
	{"icbits", 1, intWords, false, func(a, _, _, _ uint32) (n uint32) {
		for ; a != 0; a >>= 1 {
			n += a & 1
		}
		return n
	}},
	{"ffb_lo", 1, intWords, false, func(a, _, _, _ uint32) uint32 {
		for k := range uint32(32) {
			if a>>k&1 != 0 {
				return k
			}
		}
		return 0xffffffff
	}},
	{"ffb_hi", 1, intWords, false, func(a, _, _, _ uint32) uint32 {
		for k := range uint32(32) {
			if a<<k>>31 != 0 {
				return k
			}
		}
		return 0xffffffff
	}},
	{"ffb_shi", 1, intWords, false, func(a, _, _, _ uint32) uint32 {
		for k := range uint32(32) {
			if a<<k>>31 != a>>31 {
				return k
			}
		}
		return 0xffffffff
	}},
	{"bitalign", 3, intWords, false, func(a, b, c, _ uint32) uint32 {
		n := c % 32
		if n == 0 {
			return b
		}
		return a<<(32-n) | b>>n
	}},
	{"bytealign", 3, intWords, false, func(a, b, c, _ uint32) uint32 {
		x, y := bytesOf(b), bytesOf(a)
		all := append(x[:], y[:]...)[c%4:]
		return uint32(all[0] | all[1]<<8 | all[2]<<16 | all[3]<<24)
	}},
	{"sad", 3, intWords, false, func(a, b, c, _ uint32) uint32 {
		x, y := bytesOf(a), bytesOf(b)
		for k := range x {
			c += uint32(math.Abs(float64(x[k] - y[k])))
		}
		return c
	}},
	{"u4lerp", 3, intWords, false, func(a, b, c, _ uint32) (r uint32) {
		x, y, z := bytesOf(a), bytesOf(b), bytesOf(c)
		for k := range x {
			r += uint32((x[k]+y[k]+z[k]%2)/2) << (8 * k)
		}
		return r
	}},
	{"unpack0", 1, intWords, false, func(a, _, _, _ uint32) uint32 { return to(float64(bytesOf(a)[0])) }},
	{"unpack1", 1, intWords, false, func(a, _, _, _ uint32) uint32 { return to(float64(bytesOf(a)[1])) }},
	{"unpack2", 1, intWords, false, func(a, _, _, _ uint32) uint32 { return to(float64(bytesOf(a)[2])) }},
	{"unpack3", 1, intWords, false, func(a, _, _, _ uint32) uint32 { return to(float64(bytesOf(a)[3])) }},

	{"ftoi", 1, floatWords, false, func(a, _, _,
		_ uint32) uint32 {
		return uint32(int64(clampTo(f(a), -1<<31, 1<<31-1)))
	}},
	{"ftou", 1, floatWords, false, func(a, _, _, _ uint32) uint32 { return uint32(int64(clampTo(f(a), 0, 1<<32-1))) }},
	{"itof", 1, intWords, false, func(a, _, _, _ uint32) uint32 { return to(float64(int32(a))) }},
	{"utof", 1, intWords, false, func(a, _, _, _ uint32) uint32 { return to(float64(a)) }},
	{"f162f", 1, append([]uint32{0x3c00, 0xbc00, 0x7bff, 0x0400, 0x0001, 0x83ff, 0x7c00, 0xfc00, 0x7e01, 0x3555},
		intWords...), false,
		func(a, _, _, _ uint32) uint32 { return to(half(a)) }},
	{"f2f16", 1, append([]uint32{0x477fefff, 0x477ff000, 0x387fffff, 0x33000000, 0x33000001, 0x3f801000, 0x3f803000,
		0x3f801001}, floatWords...), false,
		func(a, _, _, _ uint32) uint32 { return nearestHalf(f(a)) }},
}

// half returns the number with these 16 bits.
func half(w uint32) float64 {
	e, m := int(w>>10&31), float64(w&1023)
	s := 1 - 2*float64(w>>15&1)
	switch {
	case e == 31 && m != 0:
		return math.NaN()
	case e == 31:
		return s * math.Inf(1)
	case e == 0:
		return s * m * 0x1p-24
	}
	return s * math.Ldexp(1024+m, e-25)
}

// nearestHalf searches all 16-bit floats.
func nearestHalf(x float64) uint32 {
	if x != x {
		return 0x7e00
	}
	sign := uint32(0)
	if math.Signbit(x) {
		sign, x = 0x8000, -x
	}
	if x >= 65520 {
		return sign | 0x7c00
	}
	best := uint32(0)
	for w := range uint32(0x7c00) {
		d, least := math.Abs(half(w)-x), math.Abs(half(best)-x)
		if d < least || d == least && w%2 == 0 {
			best = w
		}
	}
	return sign | best
}

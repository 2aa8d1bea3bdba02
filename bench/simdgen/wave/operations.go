package wave

import (
	"math"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/shaderlift/shaderlift/bench/simdgen/avx"
)

// operation is a function of up to three operands.
type operation struct {
	name    string
	sources int
	body    func(k *kernel) reg.VecVirtual
}

var operations = []operation{
	{"and", 2, func(k *kernel) reg.VecVirtual { return k.Do(k.VPAND, k.a(), k.Src[1]) }},
	{"or", 2, func(k *kernel) reg.VecVirtual { return k.Do(k.VPOR, k.a(), k.Src[1]) }},
	{"xor", 2, func(k *kernel) reg.VecVirtual { return k.Do(k.VPXOR, k.a(), k.Src[1]) }},
	{"not", 1, func(k *kernel) reg.VecVirtual { return k.not(k.a()) }},
	{"addInt", 2, func(k *kernel) reg.VecVirtual { return k.Do(k.VPADDD, k.a(), k.Src[1]) }},
	{"subInt", 2, func(k *kernel) reg.VecVirtual { return k.Do(k.VPSUBD, k.a(), k.Src[1]) }},
	{"mulLo", 2, func(k *kernel) reg.VecVirtual { return k.Do(k.VPMULLD, k.a(), k.Src[1]) }},
	{"mulHi", 2, func(k *kernel) reg.VecVirtual { // the products of even lanes, then of odd ones
		a, b := k.a(), k.b()
		even, odd := k.Do(k.VPMULUDQ, a, b), k.Do(k.VPMULUDQ, k.shift(a), k.shift(b))
		k.VPBLENDD(U8(0xaa), odd, k.shift(even), even)
		return even
	}},
	{"maxInt", 2, func(k *kernel) reg.VecVirtual { return k.Do(k.VPMAXSD, k.a(), k.Src[1]) }},
	{"minInt", 2, func(k *kernel) reg.VecVirtual { return k.Do(k.VPMINSD, k.a(), k.Src[1]) }},
	{"maxUint", 2, func(k *kernel) reg.VecVirtual { return k.Do(k.VPMAXUD, k.a(), k.Src[1]) }},
	{"minUint", 2, func(k *kernel) reg.VecVirtual { return k.Do(k.VPMINUD, k.a(), k.Src[1]) }},
	{"aShr", 2, func(k *kernel) reg.VecVirtual { return k.Do(k.VPSRAVD, k.a(), k.Do(k.VPAND, k.b(), k.Word(31))) }},
	{"lShr", 2, func(k *kernel) reg.VecVirtual { return k.Do(k.VPSRLVD, k.a(), k.Do(k.VPAND, k.b(), k.Word(31))) }},
	{"lShl", 2, func(k *kernel) reg.VecVirtual { return k.Do(k.VPSLLVD, k.a(), k.Do(k.VPAND, k.b(), k.Word(31))) }},
	{"bitAlign", 3, func(k *kernel) reg.VecVirtual { // a shift by 32 leaves nothing
		by := k.Do(k.VPAND, k.c(), k.Word(31))
		high := k.Do(k.VPSLLVD, k.a(), k.Do(k.VPSUBD, k.Word(32), by))
		return k.Do(k.VPOR, high, k.Do(k.VPSRLVD, k.b(), by))
	}},
	{"insert", 3, func(k *kernel) reg.VecVirtual {
		a := k.a()
		return k.Do(k.VPOR, k.Do(k.VPAND, a, k.Src[1]), k.Do(k.VPANDN, a, k.Src[2]))
	}},

	{"setEInt", 2, func(k *kernel) reg.VecVirtual { return k.Do(k.VPCMPEQD, k.a(), k.Src[1]) }},
	{"setNEInt", 2, func(k *kernel) reg.VecVirtual { return k.not(k.Do(k.VPCMPEQD, k.a(), k.Src[1])) }},
	{"setGTInt", 2, func(k *kernel) reg.VecVirtual { return k.Do(k.VPCMPGTD, k.a(), k.Src[1]) }},
	{"setGEInt", 2, func(k *kernel) reg.VecVirtual { return k.not(k.Do(k.VPCMPGTD, k.b(), k.Src[0])) }},
	{"setGEUint", 2, func(k *kernel) reg.VecVirtual {
		a := k.a()
		return k.Do(k.VPCMPEQD, k.Do(k.VPMAXUD, a, k.Src[1]), a)
	}},
	{"setGTUint", 2, func(k *kernel) reg.VecVirtual {
		b := k.b()
		return k.not(k.Do(k.VPCMPEQD, k.Do(k.VPMAXUD, b, k.Src[0]), b))
	}},
	{"chooseEInt", 3, func(k *kernel) reg.VecVirtual { return k.choose(k.Do(k.VPCMPEQD, k.Zeros(), k.Src[0])) }},
	{"chooseGTInt", 3, func(k *kernel) reg.VecVirtual { return k.choose(k.Do(k.VPCMPGTD, k.a(), k.Zeros())) }},
	{"chooseGEInt", 3, func(k *kernel) reg.VecVirtual { return k.choose(k.not(k.a())) }}, // by the sign

	{"add", 2, func(k *kernel) reg.VecVirtual { return k.Do(k.VADDPS, k.a(), k.Src[1]) }},
	{"mulIEEE", 2, func(k *kernel) reg.VecVirtual { return k.Do(k.VMULPS, k.a(), k.Src[1]) }},
	{"mul", 2, func(k *kernel) reg.VecVirtual { // 0 times anything is 0
		a, b, zero := k.a(), k.b(), k.Zeros()
		some := k.Do(k.VANDPS, k.Compare(avx.NotEqual, a, zero), k.Compare(avx.NotEqual, b, zero))
		return k.Do(k.VANDPS, k.Do(k.VMULPS, a, b), some)
	}},
	{"mulAdd", 3, func(k *kernel) reg.VecVirtual { return k.Do(k.VADDPS, k.Do(k.VMULPS, k.a(), k.Src[1]), k.Src[2]) }},
	{"max", 2, func(k *kernel) reg.VecVirtual { return k.extreme(avx.AtLeast) }},
	{"min", 2, func(k *kernel) reg.VecVirtual { return k.extreme(avx.Less) }},
	{"floor", 1, func(k *kernel) reg.VecVirtual { return k.Round(avx.Down, k.Src[0]) }},
	{"ceil", 1, func(k *kernel) reg.VecVirtual { return k.Round(avx.Up, k.Src[0]) }},
	{"trunc", 1, func(k *kernel) reg.VecVirtual { return k.Round(avx.TowardsZero, k.Src[0]) }},
	{"fract", 1, func(k *kernel) reg.VecVirtual {
		a := k.a()
		return k.Do(k.VSUBPS, a, k.Round(avx.Down, a))
	}},
	{"sqrt", 1, func(k *kernel) reg.VecVirtual {
		y := k.YMM()
		k.VSQRTPS(k.Src[0], y)
		return y
	}},
	{"recip", 1, func(k *kernel) reg.VecVirtual { return k.Do(k.VDIVPS, k.Word(math.Float32bits(1)), k.Src[0]) }},
	{"recipUint", 1, func(k *kernel) reg.VecVirtual { // exact: no quotient is that close to a whole number
		low, high := k.XMM(), k.XMM()
		a := k.a()
		k.VEXTRACTI128(U8(0), a, low)
		k.VEXTRACTI128(U8(1), a, high)
		return k.join(k.quotients(low), k.quotients(high))
	}},

	{"setEDX10", 2, func(k *kernel) reg.VecVirtual { return k.Compare(avx.Equal, k.a(), k.b()) }},
	{"setNEDX10", 2, func(k *kernel) reg.VecVirtual { return k.Compare(avx.NotEqual, k.a(), k.b()) }},
	{"setGTDX10", 2, func(k *kernel) reg.VecVirtual { return k.Compare(avx.Greater, k.a(), k.b()) }},
	{"setGEDX10", 2, func(k *kernel) reg.VecVirtual { return k.Compare(avx.AtLeast, k.a(), k.b()) }},
	{"chooseE", 3, func(k *kernel) reg.VecVirtual { return k.choose(k.Compare(avx.Equal, k.a(), k.Zeros())) }},
	{"chooseGT", 3, func(k *kernel) reg.VecVirtual { return k.choose(k.Compare(avx.Greater, k.a(), k.Zeros())) }},
	{"chooseGE", 3, func(k *kernel) reg.VecVirtual { return k.choose(k.Compare(avx.AtLeast, k.a(), k.Zeros())) }},

	{"toInt", 1, func(k *kernel) reg.VecVirtual { // correct if too small; too large and NaN need a fix
		a, limit, y := k.a(), k.Word(math.Float32bits(1<<31)), k.YMM()
		k.VCVTTPS2DQ(a, y)
		y = k.Do(k.VPXOR, y, k.Compare(avx.AtLeast, a, limit))
		return k.Do(k.VPAND, y, k.Compare(avx.Equal, a, a))
	}},
	{"fromInt", 1, func(k *kernel) reg.VecVirtual { return k.fromInt(k.Src[0]) }},
	{"fromUint", 1, func(k *kernel) reg.VecVirtual { // by halves, so that only the sum is rounded
		a, high := k.a(), k.YMM()
		k.VPSRLD(U8(16), a, high)
		upper := k.Do(k.VMULPS, k.fromInt(high), k.Word(math.Float32bits(1<<16)))
		return k.Do(k.VADDPS, upper, k.fromInt(k.Do(k.VPAND, a, k.Word(0xffff))))
	}},
}

func (k *kernel) a() reg.VecVirtual { return k.Load8(k.Src[0]) }
func (k *kernel) b() reg.VecVirtual { return k.Load8(k.Src[1]) }
func (k *kernel) c() reg.VecVirtual { return k.Load8(k.Src[2]) }

func (k *kernel) not(x reg.VecVirtual) reg.VecVirtual { return k.Do(k.VPXOR, x, k.Word(1<<32-1)) }

// shift returns the odd lanes of x in the places of the even ones.
func (k *kernel) shift(x reg.VecVirtual) reg.VecVirtual {
	y := k.YMM()
	k.VPSRLQ(U8(32), x, y)
	return y
}

// choose returns b in the lanes where the mask has its sign bit set, else c.
func (k *kernel) choose(mask reg.VecVirtual) reg.VecVirtual { return k.Choose(mask, k.Src[1], k.c()) }

// extreme returns a if the comparison holds or b is NaN, else b.
func (k *kernel) extreme(p U8) reg.VecVirtual {
	a, b, y := k.a(), k.b(), k.YMM()
	k.VBLENDVPS(k.Do(k.VORPS, k.Compare(p, a, b), k.Compare(avx.Unordered, b, b)), a, b, y)
	return y
}

func (k *kernel) fromInt(x Op) reg.VecVirtual {
	y := k.YMM()
	k.VCVTDQ2PS(x, y)
	return y
}

// quotients returns 2^32 divided by each of four words, clamped to the largest word, in the low
// halves of four places. Adding 2^52 leaves a whole number there.
func (k *kernel) quotients(x reg.VecVirtual) reg.VecVirtual {
	magic := k.Long(math.Float64bits(1 << 52))
	y := k.YMM()
	k.VPMOVZXDQ(x, y)
	divisor := k.Do(k.VSUBPD, k.Do(k.VPOR, y, magic), magic)
	q := k.Do(k.VDIVPD, k.Long(math.Float64bits(1<<32)), divisor)
	k.VROUNDPD(avx.Down, q, q)
	q = k.Do(k.VMINPD, q, k.Long(math.Float64bits(1<<32-1)))
	return k.Do(k.VADDPD, q, magic)
}

// join returns the low halves of the places of two registers.
func (k *kernel) join(low, high reg.VecVirtual) reg.VecVirtual {
	y := k.YMM()
	k.VSHUFPS(U8(0x88), high, low, y)
	k.VPERMQ(U8(0xd8), y, y)
	return y
}

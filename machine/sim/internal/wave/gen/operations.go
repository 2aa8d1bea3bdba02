package main

import (
	"math"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// operation is a function of up to three operands.
type operation struct {
	name    string
	sources int
	body    func(k *kernel) reg.VecVirtual
}

// Predicates of comparisons: false on NaN, except for notEqual.
const (
	equal    = U8(0)
	notEqual = U8(4)
	greaterE = U8(0x1d)
	greater  = U8(0x1e)
)

// Directions of rounding, without an exception.
const (
	down  = U8(9)
	up    = U8(10)
	trunc = U8(11)
)

var operations = []operation{
	{"and", 2, func(k *kernel) reg.VecVirtual { return k.do(k.VPAND, k.a(), k.src[1]) }},
	{"or", 2, func(k *kernel) reg.VecVirtual { return k.do(k.VPOR, k.a(), k.src[1]) }},
	{"xor", 2, func(k *kernel) reg.VecVirtual { return k.do(k.VPXOR, k.a(), k.src[1]) }},
	{"not", 1, func(k *kernel) reg.VecVirtual { return k.not(k.a()) }},
	{"addInt", 2, func(k *kernel) reg.VecVirtual { return k.do(k.VPADDD, k.a(), k.src[1]) }},
	{"subInt", 2, func(k *kernel) reg.VecVirtual { return k.do(k.VPSUBD, k.a(), k.src[1]) }},
	{"mulLo", 2, func(k *kernel) reg.VecVirtual { return k.do(k.VPMULLD, k.a(), k.src[1]) }},
	{"mulHi", 2, func(k *kernel) reg.VecVirtual { // the products of even lanes, then of odd ones
		a, b := k.a(), k.b()
		even, odd := k.do(k.VPMULUDQ, a, b), k.do(k.VPMULUDQ, k.shift(a), k.shift(b))
		k.VPBLENDD(U8(0xaa), odd, k.shift(even), even)
		return even
	}},
	{"maxInt", 2, func(k *kernel) reg.VecVirtual { return k.do(k.VPMAXSD, k.a(), k.src[1]) }},
	{"minInt", 2, func(k *kernel) reg.VecVirtual { return k.do(k.VPMINSD, k.a(), k.src[1]) }},
	{"maxUint", 2, func(k *kernel) reg.VecVirtual { return k.do(k.VPMAXUD, k.a(), k.src[1]) }},
	{"minUint", 2, func(k *kernel) reg.VecVirtual { return k.do(k.VPMINUD, k.a(), k.src[1]) }},
	{"aShr", 2, func(k *kernel) reg.VecVirtual { return k.do(k.VPSRAVD, k.a(), k.do(k.VPAND, k.b(), k.word(31))) }},
	{"lShr", 2, func(k *kernel) reg.VecVirtual { return k.do(k.VPSRLVD, k.a(), k.do(k.VPAND, k.b(), k.word(31))) }},
	{"lShl", 2, func(k *kernel) reg.VecVirtual { return k.do(k.VPSLLVD, k.a(), k.do(k.VPAND, k.b(), k.word(31))) }},
	{"bitAlign", 3, func(k *kernel) reg.VecVirtual { // a shift by 32 leaves nothing
		by := k.do(k.VPAND, k.c(), k.word(31))
		high := k.do(k.VPSLLVD, k.a(), k.do(k.VPSUBD, k.word(32), by))
		return k.do(k.VPOR, high, k.do(k.VPSRLVD, k.b(), by))
	}},
	{"insert", 3, func(k *kernel) reg.VecVirtual {
		a := k.a()
		return k.do(k.VPOR, k.do(k.VPAND, a, k.src[1]), k.do(k.VPANDN, a, k.src[2]))
	}},

	{"setEInt", 2, func(k *kernel) reg.VecVirtual { return k.do(k.VPCMPEQD, k.a(), k.src[1]) }},
	{"setNEInt", 2, func(k *kernel) reg.VecVirtual { return k.not(k.do(k.VPCMPEQD, k.a(), k.src[1])) }},
	{"setGTInt", 2, func(k *kernel) reg.VecVirtual { return k.do(k.VPCMPGTD, k.a(), k.src[1]) }},
	{"setGEInt", 2, func(k *kernel) reg.VecVirtual { return k.not(k.do(k.VPCMPGTD, k.b(), k.src[0])) }},
	{"setGEUint", 2, func(k *kernel) reg.VecVirtual {
		a := k.a()
		return k.do(k.VPCMPEQD, k.do(k.VPMAXUD, a, k.src[1]), a)
	}},
	{"setGTUint", 2, func(k *kernel) reg.VecVirtual {
		b := k.b()
		return k.not(k.do(k.VPCMPEQD, k.do(k.VPMAXUD, b, k.src[0]), b))
	}},
	{"chooseEInt", 3, func(k *kernel) reg.VecVirtual { return k.choose(k.do(k.VPCMPEQD, k.zero(), k.src[0])) }},
	{"chooseGTInt", 3, func(k *kernel) reg.VecVirtual { return k.choose(k.do(k.VPCMPGTD, k.a(), k.zero())) }},
	{"chooseGEInt", 3, func(k *kernel) reg.VecVirtual { return k.choose(k.not(k.a())) }}, // by the sign

	{"add", 2, func(k *kernel) reg.VecVirtual { return k.do(k.VADDPS, k.a(), k.src[1]) }},
	{"mulIEEE", 2, func(k *kernel) reg.VecVirtual { return k.do(k.VMULPS, k.a(), k.src[1]) }},
	{"mul", 2, func(k *kernel) reg.VecVirtual { // 0 times anything is 0
		a, b, zero := k.a(), k.b(), k.zero()
		some := k.do(k.VANDPS, k.compare(notEqual, a, zero), k.compare(notEqual, b, zero))
		return k.do(k.VANDPS, k.do(k.VMULPS, a, b), some)
	}},
	{"mulAdd", 3, func(k *kernel) reg.VecVirtual { return k.do(k.VADDPS, k.do(k.VMULPS, k.a(), k.src[1]), k.src[2]) }},
	{"max", 2, func(k *kernel) reg.VecVirtual { return k.extreme(greaterE) }},
	{"min", 2, func(k *kernel) reg.VecVirtual { return k.extreme(U8(0x11)) }},
	{"floor", 1, func(k *kernel) reg.VecVirtual { return k.round(down, k.src[0]) }},
	{"ceil", 1, func(k *kernel) reg.VecVirtual { return k.round(up, k.src[0]) }},
	{"trunc", 1, func(k *kernel) reg.VecVirtual { return k.round(trunc, k.src[0]) }},
	{"fract", 1, func(k *kernel) reg.VecVirtual {
		a := k.a()
		return k.do(k.VSUBPS, a, k.round(down, a))
	}},
	{"sqrt", 1, func(k *kernel) reg.VecVirtual {
		y := k.YMM()
		k.VSQRTPS(k.src[0], y)
		return y
	}},
	{"recip", 1, func(k *kernel) reg.VecVirtual { return k.do(k.VDIVPS, k.word(math.Float32bits(1)), k.src[0]) }},
	{"recipUint", 1, func(k *kernel) reg.VecVirtual { // exact: no quotient is that close to a whole number
		low, high := k.XMM(), k.XMM()
		a := k.a()
		k.VEXTRACTI128(U8(0), a, low)
		k.VEXTRACTI128(U8(1), a, high)
		return k.join(k.quotients(low), k.quotients(high))
	}},

	{"setEDX10", 2, func(k *kernel) reg.VecVirtual { return k.compare(equal, k.a(), k.b()) }},
	{"setNEDX10", 2, func(k *kernel) reg.VecVirtual { return k.compare(notEqual, k.a(), k.b()) }},
	{"setGTDX10", 2, func(k *kernel) reg.VecVirtual { return k.compare(greater, k.a(), k.b()) }},
	{"setGEDX10", 2, func(k *kernel) reg.VecVirtual { return k.compare(greaterE, k.a(), k.b()) }},
	{"chooseE", 3, func(k *kernel) reg.VecVirtual { return k.choose(k.compare(equal, k.a(), k.zero())) }},
	{"chooseGT", 3, func(k *kernel) reg.VecVirtual { return k.choose(k.compare(greater, k.a(), k.zero())) }},
	{"chooseGE", 3, func(k *kernel) reg.VecVirtual { return k.choose(k.compare(greaterE, k.a(), k.zero())) }},

	{"toInt", 1, func(k *kernel) reg.VecVirtual { // correct if too small; too large and NaN need a fix
		a, limit, y := k.a(), k.word(math.Float32bits(1<<31)), k.YMM()
		k.VCVTTPS2DQ(a, y)
		y = k.do(k.VPXOR, y, k.compare(greaterE, a, limit))
		return k.do(k.VPAND, y, k.compare(equal, a, a))
	}},
	{"fromInt", 1, func(k *kernel) reg.VecVirtual { return k.fromInt(k.src[0]) }},
	{"fromUint", 1, func(k *kernel) reg.VecVirtual { // by halves, so that only the sum is rounded
		a, high := k.a(), k.YMM()
		k.VPSRLD(U8(16), a, high)
		upper := k.do(k.VMULPS, k.fromInt(high), k.word(math.Float32bits(1<<16)))
		return k.do(k.VADDPS, upper, k.fromInt(k.do(k.VPAND, a, k.word(0xffff))))
	}},
}

func (k *kernel) load(m Mem) reg.VecVirtual {
	y := k.YMM()
	k.VMOVDQU(m, y)
	return y
}

func (k *kernel) a() reg.VecVirtual { return k.load(k.src[0]) }
func (k *kernel) b() reg.VecVirtual { return k.load(k.src[1]) }
func (k *kernel) c() reg.VecVirtual { return k.load(k.src[2]) }

// do returns a new register with the result of an instruction. The operands are in the order of the
// reference, not of Go's assembler.
func (k *kernel) do(f any, x reg.VecVirtual, y Op) reg.VecVirtual {
	to := k.YMM()
	switch f := f.(type) {
	case func(...Op):
		f(y, x, to)
	case func(y, x, to Op):
		f(y, x, to)
	}
	return to
}

func (k *kernel) zero() reg.VecVirtual {
	y := k.YMM()
	k.VPXOR(y, y, y)
	return y
}

func (k *kernel) not(x reg.VecVirtual) reg.VecVirtual { return k.do(k.VPXOR, x, k.word(1<<32-1)) }

// shift returns the odd lanes of x in the places of the even ones.
func (k *kernel) shift(x reg.VecVirtual) reg.VecVirtual {
	y := k.YMM()
	k.VPSRLQ(U8(32), x, y)
	return y
}

func (k *kernel) compare(p U8, a, b reg.VecVirtual) reg.VecVirtual {
	y := k.YMM()
	k.VCMPPS(p, b, a, y)
	return y
}

// choose returns b in the lanes where the mask has its sign bit set, else c.
func (k *kernel) choose(mask reg.VecVirtual) reg.VecVirtual {
	y := k.YMM()
	k.VBLENDVPS(mask, k.src[1], k.c(), y)
	return y
}

// extreme returns a if the comparison holds or b is NaN, else b.
func (k *kernel) extreme(p U8) reg.VecVirtual {
	a, b, y := k.a(), k.b(), k.YMM()
	k.VBLENDVPS(k.do(k.VORPS, k.compare(p, a, b), k.compare(U8(3), b, b)), a, b, y)
	return y
}

func (k *kernel) round(direction U8, x Op) reg.VecVirtual {
	y := k.YMM()
	k.VROUNDPS(direction, x, y)
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
	magic := k.double(math.Float64bits(1 << 52))
	y := k.YMM()
	k.VPMOVZXDQ(x, y)
	divisor := k.do(k.VSUBPD, k.do(k.VPOR, y, magic), magic)
	q := k.do(k.VDIVPD, k.double(math.Float64bits(1<<32)), divisor)
	k.VROUNDPD(down, q, q)
	q = k.do(k.VMINPD, q, k.double(math.Float64bits(1<<32-1)))
	return k.do(k.VADDPD, q, magic)
}

// join returns the low halves of the places of two registers.
func (k *kernel) join(low, high reg.VecVirtual) reg.VecVirtual {
	y := k.YMM()
	k.VSHUFPS(U8(0x88), high, low, y)
	k.VPERMQ(U8(0xd8), y, y)
	return y
}

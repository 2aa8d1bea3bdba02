package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// operation is a function of up to three operands.
type operation struct {
	name    string
	sources int
	body    func(k *kernel) reg.VecVirtual
}

// Predicates of comparisons. All except unequal and unordered are false on NaN.
const (
	equal     = U8(0)
	unordered = U8(3)
	unequal   = U8(4)
	less      = U8(0x11)
	atLeast   = U8(0x1d)
)

const down = U8(9) // without an exception

var operations = []operation{
	{"Add", 2, func(k *kernel) reg.VecVirtual { return k.settled(k.do(k.VADDPS, k.float(0), k.float(1))) }},
	{"Sub", 2, func(k *kernel) reg.VecVirtual { return k.settled(k.do(k.VSUBPS, k.float(0), k.float(1))) }},
	{"Mul", 2, func(k *kernel) reg.VecVirtual { return k.legacy() }},
	{"MulIEEE", 2, func(k *kernel) reg.VecVirtual { return k.product() }},
	{"Mad", 3, func(k *kernel) reg.VecVirtual { return k.settled(k.do(k.VADDPS, k.legacy(), k.float(2))) }},
	{"MadIEEE", 3, func(k *kernel) reg.VecVirtual { return k.settled(k.do(k.VADDPS, k.product(), k.float(2))) }},
	{"Min", 2, func(k *kernel) reg.VecVirtual { return k.settled(k.do(k.VMINPS, k.float(0), k.float(1))) }},
	{"Max", 2, func(k *kernel) reg.VecVirtual {
		a, b := k.float(0), k.float(1)
		return k.settled(k.choose(k.compare(atLeast, a, b), a, b))
	}},
	{"MinIEEE", 2, func(k *kernel) reg.VecVirtual {
		a, b := k.float(0), k.float(1)
		return k.settled(k.choose(k.compare(unordered, b, b), a, k.do(k.VMINPS, a, b)))
	}},
	{"MaxIEEE", 2, func(k *kernel) reg.VecVirtual {
		a, b := k.float(0), k.float(1)
		first := k.do(k.VORPS, k.compare(atLeast, a, b), k.compare(unordered, b, b))
		return k.settled(k.choose(first, a, b))
	}},
	{"Equal", 2, func(k *kernel) reg.VecVirtual { return k.compare(equal, k.float(0), k.float(1)) }},
	{"Unequal", 2, func(k *kernel) reg.VecVirtual { return k.compare(unequal, k.float(0), k.float(1)) }},
	{"Less", 2, func(k *kernel) reg.VecVirtual { return k.compare(less, k.float(0), k.float(1)) }},
	{"AtLeast", 2, func(k *kernel) reg.VecVirtual { return k.compare(atLeast, k.float(0), k.float(1)) }},
	{"Select", 3, func(k *kernel) reg.VecVirtual {
		return k.choose(k.do(k.VPCMPEQD, k.zero(), k.src[0]), k.load(2), k.load(1))
	}},
	{"Fraction", 1, func(k *kernel) reg.VecVirtual {
		a := k.float(0)
		return k.settled(k.do(k.VSUBPS, a, k.floor(a)))
	}},
	{"Floor", 1, func(k *kernel) reg.VecVirtual { return k.settled(k.floor(k.float(0))) }},
	{"Sqrt", 1, func(k *kernel) reg.VecVirtual { // rounding the float64 root gives the same result
		y := k.YMM()
		k.VSQRTPS(k.float(0), y)
		return k.settled(y)
	}},
}

func (k *kernel) load(i int) reg.VecVirtual {
	y := k.YMM()
	k.VMOVDQU(k.src[i], y)
	return y
}

// float returns operand i as a number.
func (k *kernel) float(i int) reg.VecVirtual { return k.flushed(k.load(i)) }

// flushed replaces subnormal numbers by zeros of the same sign.
func (k *kernel) flushed(x reg.VecVirtual) reg.VecVirtual {
	small := k.do(k.VPCMPEQD, k.do(k.VPAND, x, k.word(0x7f800000)), k.zero())
	k.VPSRLD(U8(1), small, small) // all but the sign
	return k.do(k.VPANDN, small, x)
}

// settled returns a result as a word: it flushes subnormal numbers and makes all NaN equal.
func (k *kernel) settled(x reg.VecVirtual) reg.VecVirtual {
	return k.choose(k.compare(unordered, x, x), k.word(0x7fc00000), k.flushed(x))
}

func (k *kernel) product() reg.VecVirtual {
	return k.settled(k.do(k.VMULPS, k.float(0), k.float(1)))
}

// legacy returns a product where 0 times anything is 0. Products of finite numbers keep their sign.
func (k *kernel) legacy() reg.VecVirtual {
	a, b := k.float(0), k.float(1)
	p := k.do(k.VMULPS, a, b)
	none := k.do(k.VORPS, k.compare(equal, a, k.zero()), k.compare(equal, b, k.zero()))
	none = k.do(k.VANDPS, none, k.compare(unordered, p, p))
	return k.do(k.VANDNPS, none, k.settled(p))
}

func (k *kernel) floor(x reg.VecVirtual) reg.VecVirtual {
	y := k.YMM()
	k.VROUNDPS(down, x, y)
	return y
}

// do returns a new register with the result of an instruction. Operands have the order of the reference,
// not of Go's assembler.
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

func (k *kernel) compare(p U8, a, b reg.VecVirtual) reg.VecVirtual {
	y := k.YMM()
	k.VCMPPS(p, b, a, y)
	return y
}

// choose returns a in the lanes where the mask has its sign bit set, else b.
func (k *kernel) choose(mask, a, b reg.VecVirtual) reg.VecVirtual {
	y := k.YMM()
	k.VBLENDVPS(mask, a, b, y)
	return y
}

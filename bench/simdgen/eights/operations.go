package eights

import (
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
	{"Add", 2, func(k *kernel) reg.VecVirtual { return k.settled(k.Do(k.VADDPS, k.float(0), k.float(1))) }},
	{"Sub", 2, func(k *kernel) reg.VecVirtual { return k.settled(k.Do(k.VSUBPS, k.float(0), k.float(1))) }},
	{"Mul", 2, func(k *kernel) reg.VecVirtual { return k.legacy() }},
	{"MulIEEE", 2, func(k *kernel) reg.VecVirtual { return k.product() }},
	{"Mad", 3, func(k *kernel) reg.VecVirtual { return k.settled(k.Do(k.VADDPS, k.legacy(), k.float(2))) }},
	{"MadIEEE", 3, func(k *kernel) reg.VecVirtual { return k.settled(k.Do(k.VADDPS, k.product(), k.float(2))) }},
	{"Min", 2, func(k *kernel) reg.VecVirtual { return k.settled(k.Do(k.VMINPS, k.float(0), k.float(1))) }},
	{"Max", 2, func(k *kernel) reg.VecVirtual {
		a, b := k.float(0), k.float(1)
		return k.settled(k.Choose(k.Compare(avx.AtLeast, a, b), a, b))
	}},
	{"MinIEEE", 2, func(k *kernel) reg.VecVirtual {
		a, b := k.float(0), k.float(1)
		return k.settled(k.Choose(k.Compare(avx.Unordered, b, b), a, k.Do(k.VMINPS, a, b)))
	}},
	{"MaxIEEE", 2, func(k *kernel) reg.VecVirtual {
		a, b := k.float(0), k.float(1)
		first := k.Do(k.VORPS, k.Compare(avx.AtLeast, a, b), k.Compare(avx.Unordered, b, b))
		return k.settled(k.Choose(first, a, b))
	}},
	{"Equal", 2, func(k *kernel) reg.VecVirtual { return k.Compare(avx.Equal, k.float(0), k.float(1)) }},
	{"Unequal", 2, func(k *kernel) reg.VecVirtual { return k.Compare(avx.NotEqual, k.float(0), k.float(1)) }},
	{"Less", 2, func(k *kernel) reg.VecVirtual { return k.Compare(avx.Less, k.float(0), k.float(1)) }},
	{"AtLeast", 2, func(k *kernel) reg.VecVirtual { return k.Compare(avx.AtLeast, k.float(0), k.float(1)) }},
	{"Select", 3, func(k *kernel) reg.VecVirtual {
		return k.Choose(k.Do(k.VPCMPEQD, k.Zeros(), k.Src[0]), k.Load8(k.Src[2]), k.Load8(k.Src[1]))
	}},
	{"Fraction", 1, func(k *kernel) reg.VecVirtual {
		a := k.float(0)
		return k.settled(k.Do(k.VSUBPS, a, k.Round(avx.Down, a)))
	}},
	{"Floor", 1, func(k *kernel) reg.VecVirtual { return k.settled(k.Round(avx.Down, k.float(0))) }},
	{"Sqrt", 1, func(k *kernel) reg.VecVirtual { // rounding the float64 root gives the same result
		y := k.YMM()
		k.VSQRTPS(k.float(0), y)
		return k.settled(y)
	}},
}

// float returns operand i as a number.
func (k *kernel) float(i int) reg.VecVirtual { return k.flushed(k.Load8(k.Src[i])) }

// flushed replaces subnormal numbers by zeros of the same sign.
func (k *kernel) flushed(x reg.VecVirtual) reg.VecVirtual {
	small := k.Do(k.VPCMPEQD, k.Do(k.VPAND, x, k.Word(0x7f800000)), k.Zeros())
	k.VPSRLD(U8(1), small, small) // all but the sign
	return k.Do(k.VPANDN, small, x)
}

// settled returns a result as a word: it flushes subnormal numbers and makes all NaN equal.
func (k *kernel) settled(x reg.VecVirtual) reg.VecVirtual {
	return k.Choose(k.Compare(avx.Unordered, x, x), k.Word(0x7fc00000), k.flushed(x))
}

func (k *kernel) product() reg.VecVirtual {
	return k.settled(k.Do(k.VMULPS, k.float(0), k.float(1)))
}

// legacy returns a product where 0 times anything is 0. Products of finite numbers keep their sign.
func (k *kernel) legacy() reg.VecVirtual {
	a, b := k.float(0), k.float(1)
	p := k.Do(k.VMULPS, a, b)
	none := k.Do(k.VORPS, k.Compare(avx.Equal, a, k.Zeros()), k.Compare(avx.Equal, b, k.Zeros()))
	none = k.Do(k.VANDPS, none, k.Compare(avx.Unordered, p, p))
	return k.Do(k.VANDNPS, none, k.settled(p))
}

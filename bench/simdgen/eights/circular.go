package eights

import (
	"math"
	"math/big"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/shaderlift/shaderlift/bench/simdgen/avx"
)

// circular writes the function that computes the sine of eight numbers, shifted by on quadrants; one
// quadrant gives the cosine. It subtracts multiples of a quarter turn in three parts (Cody and Waite,
// Software Manual for the Elementary Functions, 1980) and sums the Taylor series in float64. It returns the
// lanes where the float32 rounding is uncertain: results too near to a rounding boundary, and arguments far
// from 0. The truncation of the series and the roundings are below 2^-50 of the result and 2^-65; the code
// assumes 2^-44 and 2^-60.
func (k *kernel) circular() {
	k.Function("circular")
	k.Attributes(attr.NOSPLIT)
	k.SignatureExpr("func(d, a *[8]uint32, on uint64) (missed uint32)")
	d, a := k.Load(k.Param("d"), k.GP64()), k.Load(k.Param("a"), k.GP64())
	k.Src[0] = Mem{Base: a}
	start, on := k.XMM(), k.YMM()
	k.VMOVQ(k.Load(k.Param("on"), k.GP64()), start)
	k.VPBROADCASTQ(start, on)
	x := k.float(0)
	near := k.Compare(avx.Less, k.Do(k.VANDPS, x, k.Word(0x7fffffff)), k.Word(math.Float32bits(1<<20)))
	var y, same [2]reg.VecVirtual
	for half := range y {
		part, wide := k.XMM(), k.YMM()
		k.VEXTRACTF128(U8(half), x, part)
		k.VCVTPS2PD(part, wide)
		y[half], same[half] = k.half(wide, on)
	}
	k.VINSERTF128(U8(1), y[1], y[0].AsY(), y[0].AsY())
	k.VINSERTF128(U8(1), same[1], same[0].AsY(), same[0].AsY())
	k.VMOVDQU(y[0].AsY(), Mem{Base: d})
	known, missed := k.YMM(), k.GP32()
	k.VANDPS(same[0].AsY(), near, known)
	k.VMOVMSKPS(known, missed)
	k.XORL(U32(0xff), missed)
	k.Store(missed, k.ReturnIndex(0))
	k.VZEROUPPER()
	k.RET()
}

// half returns the results for four numbers in float32, shifted by on quadrants, and reports which are
// certain.
func (k *kernel) half(x, on reg.VecVirtual) (y, same reg.VecVirtual) {
	turns := k.Do(k.VMULPD, x, k.double(2/math.Pi))
	k.VROUNDPD(U8(8), turns, turns)
	part, q := k.XMM(), k.YMM()
	k.VCVTPD2DQY(turns, part)
	k.VPMOVSXDQ(part, q)
	q = k.Do(k.VPADDQ, q, on)
	r := x
	for _, p := range quarterTurn() {
		r = k.Do(k.VSUBPD, r, k.Do(k.VMULPD, turns, k.double(p)))
	}
	z := k.Do(k.VMULPD, r, r)
	sin := k.Do(k.VMULPD, k.series(z, 3), z)
	sin = k.Do(k.VADDPD, k.Do(k.VMULPD, sin, r), r)
	cos := k.Do(k.VADDPD, k.Do(k.VMULPD, k.series(z, 2), z), k.double(1))
	odd, v, sign := k.YMM(), k.YMM(), k.YMM()
	k.VPSLLQ(U8(63), q, odd)
	k.VBLENDVPD(odd, cos, sin, v)
	k.VPSRLQ(U8(1), q, sign)
	k.VPSLLQ(U8(63), sign, sign)
	v = k.Do(k.VXORPD, v, sign)
	off := k.Do(k.VMULPD, k.Do(k.VANDPD, v, k.Long(1<<63-1)), k.double(0x1p-44))
	off = k.Do(k.VADDPD, off, k.double(0x1p-60))
	low, high, equal := k.XMM(), k.XMM(), k.XMM()
	k.VCVTPD2PSY(k.Do(k.VSUBPD, v, off), low)
	k.VCVTPD2PSY(k.Do(k.VADDPD, v, off), high)
	k.VPCMPEQD(low, high, equal)
	return low, equal
}

// terms is the number of summed terms of a series. The next term is below 2^-54 up to an eighth of a turn.
const terms = 8

// series returns 1/n! - z/(n+2)! + ..., with alternating signs.
func (k *kernel) series(z reg.VecVirtual, n int) reg.VecVirtual {
	coefficient := func(i int) float64 {
		x := -1.0
		for j := 2; j <= n+2*i; j++ {
			x /= float64(j)
		}
		if i%2 == 1 {
			x = -x
		}
		return x
	}
	sum := k.double(coefficient(terms - 1))
	for i := terms - 2; i >= 0; i-- {
		sum = k.Do(k.VADDPD, k.Do(k.VMULPD, sum, z), k.double(coefficient(i)))
	}
	return sum
}

// quarterTurn returns pi/2 in three parts. The first two have 33 bits, so that their multiples are exact.
func quarterTurn() (parts [3]float64) {
	rest, _, err := big.ParseFloat("1.57079632679489661923132169163975144209858469968755291048747", 10, 200,
		big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	for i := range parts {
		x, _ := rest.Float64()
		if i < 2 {
			frac, exp := math.Frexp(x)
			x = math.Ldexp(math.Trunc(math.Ldexp(frac, 33)), exp-33)
		}
		parts[i] = x
		rest.Sub(rest, big.NewFloat(x))
	}
	return parts
}

// double returns a register with the same number in all four places.
func (k *kernel) double(x float64) reg.VecVirtual { return k.Long(math.Float64bits(x)) }

package lanes

import (
	"math"

	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The layout of Texels, which texels.go of package lanes declares.
const (
	dataAt   = 0  // the address of the texels, of 16 bytes each
	sizeAt   = 8  // width and height, as floats
	countAt  = 16 // and as integers
	lastAt   = 24 // less one
	wrapAt   = 32 // how addresses beyond the texture are mapped into it
	clamping = 0
	masking  = 1 // a power of two that repeats
)

// sampler writes a function that samples a level of a two-dimensional texture in all lanes. It processes
// eight lanes at a time, with four texels for each under linear filtering.
type sampler struct {
	*build.Context
	linear bool
}

var (
	texels  = reg.RAX
	data    = reg.DI.As64()
	offset  = reg.RBX // of the current lanes, in bytes
	outputs = []reg.GPPhysical{reg.R10, reg.R11, reg.R12, reg.R13}
)

// sampling writes the two functions, for linear and for nearest filtering.
func sampling() (*build.Context, string) {
	ctx := newContext()
	(&sampler{Context: ctx, linear: true}).write("linear")
	(&sampler{Context: ctx}).write("nearest")
	return ctx, ""
}

// write writes the function for eight lanes at a time. It computes the texel numbers along both axes and
// the corner offsets, which pass through the stack. It then loads the texels of two lanes into one
// register, and computes their mean.
func (s *sampler) write(name string) {
	s.Function(name)
	s.Attributes(nosplit &^ noframe)
	s.SignatureExpr("func(t, u, v, out uintptr)") // pointers in Go
	corners := 1
	if s.linear {
		corners = 4
	}
	at := s.AllocLocal(32 * corners)
	s.Load(s.ParamIndex(0), texels)
	s.Load(s.ParamIndex(1), reg.RSI)
	s.Load(s.ParamIndex(2), reg.RDX)
	s.Load(s.ParamIndex(3), reg.RCX)
	s.MOVQ(Mem{Base: texels, Disp: dataAt}, data)
	for i, r := range outputs {
		s.MOVQ(Mem{Base: reg.RCX, Disp: 8 * i}, r)
	}
	s.XORL(offset.As32(), offset.As32())
	s.Label(name + "Lanes")

	// Texel numbers and weights: of x in Y0, Y1 and Y2, of y in Y3, Y4 and Y5.
	s.axis(name, reg.RSI, 0, reg.Y0, reg.Y1, reg.Y2)
	s.axis(name, reg.RDX, 1, reg.Y3, reg.Y4, reg.Y5)
	s.VPBROADCASTD(Mem{Base: texels, Disp: countAt}, reg.Y6)
	s.VPMULLD(reg.Y6, reg.Y3, reg.Y3)
	if s.linear {
		s.VPMULLD(reg.Y6, reg.Y4, reg.Y4)
	}
	// Offsets of the corners in bytes, x first: (y*width + x) * 16.
	for c := range corners {
		x, y := []Op{reg.Y0, reg.Y1}[c&1], []Op{reg.Y3, reg.Y4}[c>>1]
		s.VPADDD(x, y, reg.Y6)
		s.VPSLLD(U8(4), reg.Y6, reg.Y6)
		s.VMOVDQU(reg.Y6, at.Offset(32*c))
	}
	for j := range 4 { // a register holds lanes j and j+4
		r := []reg.VecPhysical{reg.Y8, reg.Y9, reg.Y10, reg.Y11}[j]
		if !s.linear {
			s.texel(at, 0, j, r)
			continue
		}
		s.VMOVUPS(spreadLanes(j), reg.Y12)
		s.VPERMPS(reg.Y2, reg.Y12, reg.Y13)
		s.texel(at, 0, j, r)
		s.texel(at, 1, j, reg.Y14)
		s.lerp(r, reg.Y14, reg.Y13)
		s.texel(at, 2, j, reg.Y15)
		s.texel(at, 3, j, reg.Y14)
		s.lerp(reg.Y15, reg.Y14, reg.Y13)
		s.VPERMPS(reg.Y5, reg.Y12, reg.Y13)
		s.lerp(r, reg.Y15, reg.Y13)
	}
	s.transpose()
	s.ADDQ(U8(32), offset)
	s.CMPQ(offset, U32(4*lanesOf))
	s.JNE(LabelRef(name + "Lanes"))
	s.VZEROUPPER()
	s.RET()
}

// axis computes texel numbers i0 and i1, and the weight f of the second, from eight coordinates. Linear
// filtering measures from texel centres, hence half a texel less. Nearest filtering has only i0. Numbers
// beyond the texture are mapped into it in one of three ways, chosen once for all lanes: by clamping to the
// edge, by a mask or by a remainder.
func (s *sampler) axis(name string, coords reg.Register, n int, i0, i1, f reg.Register) {
	x, t := reg.Y6, reg.Y7
	s.VBROADCASTSS(Mem{Base: texels, Disp: sizeAt + 4*n}, t)
	s.VMULPS(Mem{Base: coords, Index: offset, Scale: 1}, t, x)
	if s.linear {
		s.VBROADCASTSS(wordAt(math.Float32bits(0.5)), t)
		s.VSUBPS(t, x, x)
	}
	// NaN counts as 0, and distant coordinates are clamped.
	s.VCMPPS(U8(7), x, x, t)
	s.VANDPS(t, x, x)
	s.VBROADCASTSS(wordAt(math.Float32bits(1<<30)), t)
	s.VMINPS(t, x, x)
	s.VBROADCASTSS(wordAt(math.Float32bits(-1<<30)), t)
	s.VMAXPS(t, x, x)
	s.VROUNDPS(U8(9), x, t)
	s.VCVTTPS2DQ(t, i0)
	if s.linear {
		s.VCVTDQ2PS(i0, t)
		s.VSUBPS(t, x, f)
		// All ones is -1: i1 = i0 - -1.
		s.VPCMPEQD(t, t, t)
		s.VPSUBD(t, i0, i1)
	}
	label := func(what string) string { return name + what + "XY"[n:n+1] }
	wrap := Mem{Base: texels, Disp: wrapAt + 4*n}
	s.CMPL(wrap, U8(masking))
	s.JEQ(LabelRef(label("Mask")))
	s.JGT(LabelRef(label("Divide")))

	s.VPBROADCASTD(Mem{Base: texels, Disp: lastAt + 4*n}, t)
	s.VPXOR(x, x, x)
	for _, i := range s.numbers(i0, i1) {
		s.VPMINSD(t, i, i)
		s.VPMAXSD(x, i, i)
	}
	s.JMP(LabelRef(label("Done")))

	s.Label(label("Mask"))
	s.VPBROADCASTD(Mem{Base: texels, Disp: lastAt + 4*n}, t)
	for _, i := range s.numbers(i0, i1) {
		s.VPAND(t, i, i)
	}
	s.JMP(LabelRef(label("Done")))

	// A repeating texture whose size is not a power of two needs a division. Rounding i/n in float64 never
	// crosses an integer, so i - floor(i/n)*n is exact.
	s.Label(label("Divide"))
	s.VPBROADCASTD(Mem{Base: texels, Disp: countAt + 4*n}, reg.X7)
	s.VCVTDQ2PD(reg.X7, reg.Y8)
	for _, i := range s.numbers(i0, i1) {
		y := i.(reg.VecPhysical)
		s.VEXTRACTI128(U8(1), y, reg.X9)
		s.remainder(y.AsX(), reg.Y10)
		s.remainder(reg.X9, reg.Y9)
		s.VINSERTI128(U8(1), reg.X9, reg.Y10, y)
	}
	s.Label(label("Done"))
}

// remainder computes i modulo Y8 into the lower half of r.
func (s *sampler) remainder(i Op, r reg.VecPhysical) {
	s.VCVTDQ2PD(i, r)
	s.VDIVPD(reg.Y8, r, reg.Y11)
	s.VROUNDPD(U8(9), reg.Y11, reg.Y11)
	s.VMULPD(reg.Y8, reg.Y11, reg.Y11)
	s.VSUBPD(reg.Y11, r, r)
	s.VCVTTPD2DQY(r, r.AsX())
}

// numbers returns the texel numbers that the filter uses.
func (s *sampler) numbers(i0, i1 reg.Register) []reg.Register {
	if s.linear {
		return []reg.Register{i0, i1}
	}
	return []reg.Register{i0}
}

// texel loads a corner of lanes j and j+4.
func (s *sampler) texel(at Mem, corner, j int, r reg.VecPhysical) {
	s.MOVLQSX(at.Offset(32*corner+4*j), reg.R8)
	s.MOVLQSX(at.Offset(32*corner+4*j+16), reg.R9)
	s.VMOVUPS(Mem{Base: data, Index: reg.R8, Scale: 1}, r.AsX())
	s.VINSERTF128(U8(1), Mem{Base: data, Index: reg.R9, Scale: 1}, r, r)
}

// lerp computes a = a + f*(b-a), each step rounded; it overwrites b.
func (s *sampler) lerp(a, b, f reg.Register) {
	s.VSUBPS(a, b, b)
	s.VMULPS(b, f, b)
	s.VADDPS(b, a, a)
}

// transpose stores Y8 to Y11, with a texel in each half, as components: it transposes two blocks of four by
// four.
func (s *sampler) transpose() {
	s.VUNPCKLPS(reg.Y9, reg.Y8, reg.Y0)
	s.VUNPCKHPS(reg.Y9, reg.Y8, reg.Y1)
	s.VUNPCKLPS(reg.Y11, reg.Y10, reg.Y2)
	s.VUNPCKHPS(reg.Y11, reg.Y10, reg.Y3)
	for c, r := range outputs {
		low, high := []Op{reg.Y0, reg.Y1}[c>>1], []Op{reg.Y2, reg.Y3}[c>>1]
		if c&1 == 0 {
			s.VUNPCKLPD(high, low, reg.Y4)
		} else {
			s.VUNPCKHPD(high, low, reg.Y4)
		}
		s.VMOVUPS(reg.Y4, Mem{Base: r, Index: offset, Scale: 1})
	}
}

// spreadLanes selects lane j for one half of a register and lane j+4 for the other.
func spreadLanes(j int) Mem {
	var values []Constant
	for i := range 8 {
		values = append(values, U32(j+i/4*4))
	}
	return constant("lanes"+string(rune('0'+j)), values...)
}

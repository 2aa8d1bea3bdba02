package main

import (
	"math"

	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// interpolating writes the functions that evaluate planes in float64, four lanes at a time: a
// plane v + dx*x + dy*y times w, rounded to float32, and what w is, 1 by a plane.
func interpolating() (*build.Context, string) {
	ctx := newContext()
	for _, name := range []string{"interpolate", "weigh"} {
		ctx.Function(name)
		ctx.Attributes(nosplit)
		ctx.SignatureExpr("func(p, x, y, w, d uintptr, n int)") // pointers in Go
		for i, r := range []reg.GPPhysical{reg.RAX, reg.RSI, reg.RDX, reg.RBX, reg.RDI, reg.RCX} {
			ctx.Load(ctx.ParamIndex(i), r)
		}
		for i, r := range []reg.Register{reg.Y0, reg.Y1, reg.Y2} {
			ctx.VBROADCASTSD(Mem{Base: reg.RAX, Disp: 8 * i}, r)
		}
		ctx.VBROADCASTSD(doubleAt(math.Float64bits(1)), reg.Y3)
		lane := reg.R8
		ctx.XORL(lane.As32(), lane.As32())
		ctx.Label(name + "Lanes")
		four := func(base reg.Register, size uint8) Mem { return Mem{Base: base, Index: lane, Scale: size} }
		ctx.VMULPD(four(reg.RSI, 8), reg.Y1, reg.Y4)
		ctx.VADDPD(reg.Y4, reg.Y0, reg.Y4)
		ctx.VMULPD(four(reg.RDX, 8), reg.Y2, reg.Y5)
		ctx.VADDPD(reg.Y5, reg.Y4, reg.Y4)
		if name == "weigh" {
			ctx.VDIVPD(reg.Y4, reg.Y3, reg.Y4)
			ctx.VMOVUPD(reg.Y4, four(reg.RBX, 8))
		} else {
			ctx.VMULPD(four(reg.RBX, 8), reg.Y4, reg.Y4)
			ctx.VCVTPD2PSY(reg.Y4, reg.X4)
			ctx.VMOVUPS(reg.X4, four(reg.RDI, 4))
		}
		ctx.ADDQ(U8(4), lane)
		ctx.CMPQ(lane, reg.RCX)
		ctx.JLT(LabelRef(name + "Lanes"))
		ctx.VZEROUPPER()
		ctx.RET()
	}
	return ctx, ""
}

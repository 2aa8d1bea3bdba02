package lanes

import (
	"math"

	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// interpolating writes the functions that evaluate planes in float64, four lanes at a time. interpolate
// computes v + dx*x + dy*y times w, rounded to float32. weigh computes w as the reciprocal of a plane. n is
// a multiple of four. Every product and sum is rounded, not fused, as in the Go code.
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
		// Y0, Y1 and Y2 are v, dx and dy: Y4 = (v + dx*x) + dy*y.
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
	centres(ctx)
	store(ctx)
	return ctx, ""
}

// centres writes the function that computes pixel centres from quad positions in float64, relative to an
// origin: (at + right) + 0.5 - origin, four lanes of a quad at a time.
func centres(ctx *build.Context) {
	const name = "centres"
	ctx.Function(name)
	ctx.Attributes(nosplit)
	ctx.SignatureExpr("func(at, right, origin, d uintptr, quads int)") // pointers in Go
	at, origin, d, quads, lane := reg.RSI, reg.RAX, reg.RDI, reg.RCX, reg.R8
	for i, r := range []reg.GPPhysical{at, reg.RDX, origin, d, quads} {
		ctx.Load(ctx.ParamIndex(i), r)
	}
	// right is the offset of each lane of a quad from the quad's position, as integers.
	ctx.VMOVUPS(Mem{Base: reg.RDX}, reg.X0)
	ctx.VBROADCASTSD(doubleAt(math.Float64bits(0.5)), reg.Y1)
	ctx.VBROADCASTSD(Mem{Base: origin}, reg.Y2)
	ctx.XORL(lane.As32(), lane.As32())
	ctx.Label(name + "Quads")
	ctx.VPBROADCASTD(Mem{Base: at, Index: lane, Scale: 4}, reg.X3)
	ctx.VPADDD(reg.X0, reg.X3, reg.X3)
	ctx.VCVTDQ2PD(reg.X3, reg.Y3)
	ctx.VADDPD(reg.Y1, reg.Y3, reg.Y3)
	ctx.VSUBPD(reg.Y2, reg.Y3, reg.Y3)
	ctx.VMOVUPD(reg.Y3, Mem{Base: d})
	ctx.ADDQ(U8(32), d)
	ctx.INCQ(lane)
	ctx.CMPQ(lane, quads)
	ctx.JLT(LabelRef(name + "Quads"))
	ctx.VZEROUPPER()
	ctx.RET()
}

// store writes the function that stores the live lanes in a target with row bytes per row, quad by quad. It
// transposes four components of four pixels, and stores each live pixel at once.
func store(ctx *build.Context) {
	const name = "store"
	ctx.Function(name)
	ctx.Attributes(nosplit)
	ctx.SignatureExpr("func(target uintptr, row int, x, y uintptr, live uint64, from uintptr, quads int)") // pointers in Go
	target, row, x, y, live, quads, quad, at := reg.RDI, reg.RBX, reg.RSI, reg.RDX, reg.RAX, reg.RCX, reg.R8, reg.R9
	for i, r := range []reg.GPPhysical{target, row, x, y, live, reg.R13, quads} {
		ctx.Load(ctx.ParamIndex(i), r)
	}
	sources := []reg.GPPhysical{reg.R10, reg.R11, reg.R12, reg.R13}
	for i, r := range sources {
		ctx.MOVQ(Mem{Base: reg.R13, Disp: 8 * i}, r)
	}
	ctx.XORL(quad.As32(), quad.As32())
	ctx.Label(name + "Quads")
	// The low four bits of live are the current quad; shifts advance to the next.
	ctx.TESTB(U8(15), live.As8())
	ctx.JEQ(LabelRef(name + "Next"))
	for i, r := range sources {
		ctx.VMOVUPS(Mem{Base: r}, []reg.Register{reg.X0, reg.X1, reg.X2, reg.X3}[i])
	}
	// Transpose: X0 to X3 hold components, and then pixels.
	ctx.VUNPCKLPS(reg.X1, reg.X0, reg.X4)
	ctx.VUNPCKHPS(reg.X1, reg.X0, reg.X5)
	ctx.VUNPCKLPS(reg.X3, reg.X2, reg.X6)
	ctx.VUNPCKHPS(reg.X3, reg.X2, reg.X7)
	pixels := []reg.Register{reg.X0, reg.X1, reg.X2, reg.X3}
	ctx.VUNPCKLPD(reg.X6, reg.X4, pixels[0])
	ctx.VUNPCKHPD(reg.X6, reg.X4, pixels[1])
	ctx.VUNPCKLPD(reg.X7, reg.X5, pixels[2])
	ctx.VUNPCKHPD(reg.X7, reg.X5, pixels[3])
	// The address of the upper left pixel, of 16 bytes.
	ctx.MOVLQSX(Mem{Base: y, Index: quad, Scale: 4}, at)
	ctx.IMULQ(row, at)
	ctx.MOVLQSX(Mem{Base: x, Index: quad, Scale: 4}, reg.R14)
	ctx.SHLQ(U8(4), reg.R14)
	ctx.ADDQ(reg.R14, at)
	ctx.ADDQ(target, at)
	for i, px := range pixels {
		skip := name + "Skip" + string(rune('0'+i))
		ctx.TESTB(U8(1<<i), live.As8())
		ctx.JEQ(LabelRef(skip))
		to := Mem{Base: at, Disp: i % 2 * 16}
		if i >= 2 {
			to.Index, to.Scale = row, 1
		}
		ctx.VMOVUPS(px, to)
		ctx.Label(skip)
	}
	ctx.Label(name + "Next")
	for _, r := range sources {
		ctx.ADDQ(U8(16), r)
	}
	ctx.SHRQ(U8(4), live)
	ctx.INCQ(quad)
	ctx.CMPQ(quad, quads)
	ctx.JLT(LabelRef(name + "Quads"))
	ctx.RET()
}

// Package wave writes the kernels of package machine/sim/internal/wave.
package wave

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/shaderlift/shaderlift/bench/simdgen/avx"
)

// Write writes the kernels into the directory of package wave.
func Write(dir string) error {
	k := &kernel{avx.New()}
	for _, o := range operations {
		k.define(o)
	}
	k.nonzero()
	k.blend()
	k.repeats()
	return k.Write(dir, "wave")
}

// kernel is the function that is being written. It works on all lanes of a wavefront, eight at a
// time.
type kernel struct{ *avx.Kernel }

// size is the size of all lanes in bytes, and step the size of the lanes computed at a time.
const (
	size = 4 * 64
	step = 32
)

// begin starts a function, and returns its parameters in registers.
func (k *kernel) begin(name, signature string, pointers ...string) (list []reg.Register) {
	k.Function(name)
	k.Attributes(attr.NOSPLIT)
	k.SignatureExpr("func(" + signature + ")")
	for _, p := range pointers {
		list = append(list, k.Load(k.Param(p), k.GP64()))
	}
	return list
}

// each emits a loop that runs body for all lanes; at is the byte offset of the current lanes.
func (k *kernel) each(body func(at reg.Register)) {
	at := k.GP64()
	k.XORQ(at, at)
	k.Label("next")
	body(at)
	k.ADDQ(U32(step), at)
	k.CMPQ(at, U32(size))
	k.JNE(LabelRef("next"))
}

func (k *kernel) end() {
	k.VZEROUPPER()
	k.RET()
}

// define writes the function of an operation, without a loop: operations are short, and a loop
// would take a sixth of their time.
func (k *kernel) define(o operation) {
	p := k.begin(o.name, "to, a, b, c *[64]uint32", []string{"to", "a", "b", "c"}[:1+o.sources]...)
	for at := 0; at < size; at += step {
		for i, base := range p[1:] {
			k.Src[i] = Mem{Base: base, Disp: at}
		}
		k.VMOVDQU(o.body(k), Mem{Base: p[0], Disp: at})
	}
	k.end()
}

// nonzero writes the function that returns the mask of nonzero lanes.
func (k *kernel) nonzero() {
	p := k.begin("nonzero", "a *[64]uint32) (mask uint64", "a")
	mask, zero := k.GP64(), k.YMM()
	k.VPXOR(zero, zero, zero)
	k.XORQ(mask, mask)
	k.each(func(at reg.Register) {
		is, bits := k.YMM(), k.GP32()
		k.VPCMPEQD(Mem{Base: p[0], Index: at, Scale: 1}, zero, is)
		k.VMOVMSKPS(is, bits)
		k.ORQ(bits.As64(), mask)
		k.RORQ(U8(8), mask)
	})
	k.NOTQ(mask)
	k.Store(mask, k.ReturnIndex(0))
	k.end()
}

// repeats writes the function that returns the mask of lanes that equal the previous lane.
func (k *kernel) repeats() {
	p := k.begin("repeats", "a *[64]uint32) (mask uint64", "a")
	mask, before := k.GP64(), k.YMM()
	k.XORQ(mask, mask)
	k.VMOVDQU(k.Data("laneBefore", U32(0), U32(0), U32(1), U32(2), U32(3), U32(4), U32(5), U32(6)), before)
	for at := 0; at < size; at += step {
		is, bits := k.YMM(), k.GP32()
		if at == 0 {
			k.VPERMD(Mem{Base: p[0]}, before, is)
		} else {
			k.VMOVDQU(Mem{Base: p[0], Disp: at - 4}, is)
		}
		k.VPCMPEQD(Mem{Base: p[0], Disp: at}, is, is)
		k.VMOVMSKPS(is, bits)
		k.ORQ(bits.As64(), mask)
		k.RORQ(U8(8), mask)
	}
	k.ANDQ(I32(-2), mask) // the first lane has no previous one
	k.Store(mask, k.ReturnIndex(0))
	k.end()
}

// blend writes the function that copies the lanes of a mask.
func (k *kernel) blend() {
	p := k.begin("blend", "to, from *[64]uint32, mask uint64", "to", "from", "mask")
	bit := k.YMM()
	k.VMOVDQU(k.Data("laneBits", U32(1), U32(2), U32(4), U32(8), U32(16), U32(32), U32(64), U32(128)), bit)
	k.each(func(at reg.Register) {
		on, v, x := k.YMM(), k.YMM(), k.XMM()
		k.VMOVQ(p[2], x)
		k.VPBROADCASTD(x, on)
		k.VPAND(on, bit, on)
		k.VPCMPEQD(on, bit, on)
		k.VMOVDQU(Mem{Base: p[1], Index: at, Scale: 1}, v)
		k.VPMASKMOVD(v, on, Mem{Base: p[0], Index: at, Scale: 1})
		k.SHRQ(U8(8), p[2])
	})
	k.end()
}

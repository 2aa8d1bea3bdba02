// Command gen writes the kernels of package wave.
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/buildtags"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: gen DIR")
	}
	k := &kernel{Context: build.NewContext(), made: map[string]bool{}}
	k.Constraints(buildtags.And(buildtags.Term("amd64"), buildtags.Not("purego")).ToConstraints())
	for _, o := range operations {
		k.define(o)
	}
	k.nonzero()
	k.blend()
	k.repeats()
	f, err := k.Result()
	if err != nil {
		log.Fatal(err)
	}
	if err := pass.Compile.Execute(f); err != nil {
		log.Fatal(err)
	}
	data, err := printer.NewGoAsm(printer.Config{Name: "gen", Pkg: "wave"}).Print(f)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(os.Args[1], "kernels_amd64.s"), data, 0o644); err != nil {
		log.Fatal(err)
	}
}

// kernel is the function that is being written. It works on all lanes of a wavefront, eight at a
// time.
type kernel struct {
	*build.Context
	src  [3]Mem // eight lanes of each operand
	made map[string]bool
}

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
			k.src[i] = Mem{Base: base, Disp: at}
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
	k.VMOVDQU(k.data("laneBefore", U32(0), U32(0), U32(1), U32(2), U32(3), U32(4), U32(5), U32(6)), before)
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
	k.VMOVDQU(k.data("laneBits", U32(1), U32(2), U32(4), U32(8), U32(16), U32(32), U32(64), U32(128)), bit)
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

// data returns a symbol with numbers, defined at its first use.
func (k *kernel) data(name string, values ...Constant) Mem {
	if !k.made[name] {
		k.made[name] = true
		k.StaticGlobal(name)
		k.DataAttributes(attr.RODATA | attr.NOPTR)
		for _, v := range values {
			k.AppendDatum(v)
		}
	}
	return NewDataAddr(NewStaticSymbol(name), 0)
}

// word returns a register with the same word in all lanes.
func (k *kernel) word(w uint32) reg.VecVirtual {
	y := k.YMM()
	k.VPBROADCASTD(k.data(fmt.Sprintf("word%08x", w), U32(w)), y)
	return y
}

// double returns a register with the same number in all four places.
func (k *kernel) double(bits uint64) reg.VecVirtual {
	y := k.YMM()
	k.VBROADCASTSD(k.data(fmt.Sprintf("double%016x", bits), U64(bits)), y)
	return y
}

// Command gen writes the kernels of package eights.
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
	k.circular()
	f, err := k.Result()
	if err != nil {
		log.Fatal(err)
	}
	if err := pass.Compile.Execute(f); err != nil {
		log.Fatal(err)
	}
	data, err := printer.NewGoAsm(printer.Config{Name: "gen", Pkg: "eights"}).Print(f)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(os.Args[1], "kernels_amd64.s"), data, 0o644); err != nil {
		log.Fatal(err)
	}
}

// kernel is the state of the current function.
type kernel struct {
	*build.Context
	src  [3]Mem          // eight lanes of each operand
	made map[string]bool // the constants
}

// define writes the function of an operation: a loop over eight lanes at a time.
func (k *kernel) define(o operation) {
	k.Function(o.name)
	k.Attributes(attr.NOSPLIT)
	k.SignatureExpr("func(d, a, b, c []uint32)")
	to, left := k.Load(k.Param("d").Base(), k.GP64()), k.Load(k.Param("d").Len(), k.GP64())
	at := k.GP64()
	for i, name := range []string{"a", "b", "c"}[:o.sources] {
		k.src[i] = Mem{Base: k.Load(k.Param(name).Base(), k.GP64()), Index: at, Scale: 4}
	}
	k.XORQ(at, at)
	k.Label("next")
	k.VMOVDQU(o.body(k), Mem{Base: to, Index: at, Scale: 4})
	k.ADDQ(U8(8), at)
	k.CMPQ(at, left)
	k.JNE(LabelRef("next"))
	k.VZEROUPPER()
	k.RET()
}

// word returns a register with the same word in all lanes.
func (k *kernel) word(w uint32) reg.VecVirtual {
	y := k.YMM()
	k.VPBROADCASTD(k.constant(fmt.Sprintf("word%08x", w), U32(w)), y)
	return y
}

// long returns a register with the same 64 bits in all four places.
func (k *kernel) long(bits uint64) reg.VecVirtual {
	y := k.YMM()
	k.VBROADCASTSD(k.constant(fmt.Sprintf("long%016x", bits), U64(bits)), y)
	return y
}

// constant returns the location of a constant, and creates it on first use.
func (k *kernel) constant(name string, c Constant) Mem {
	if !k.made[name] {
		k.made[name] = true
		k.StaticGlobal(name)
		k.DataAttributes(attr.RODATA | attr.NOPTR)
		k.AppendDatum(c)
	}
	return NewDataAddr(NewStaticSymbol(name), 0)
}

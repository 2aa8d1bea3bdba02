// Package eights writes the kernels of package verify/interp/kernel/internal/eights.
package eights

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/operand"

	"github.com/shaderlift/shaderlift/bench/simdgen/avx"
)

// Write writes the kernels into the directory of package eights.
func Write(dir string) error {
	k := &kernel{avx.New()}
	for _, o := range operations {
		k.define(o)
	}
	k.circular()
	return k.Write(dir, "eights")
}

// kernel is the function that is being written.
type kernel struct{ *avx.Kernel }

// define writes the function of an operation: a loop over eight lanes at a time.
func (k *kernel) define(o operation) {
	k.Function(o.name)
	k.Attributes(attr.NOSPLIT)
	k.SignatureExpr("func(d, a, b, c []uint32)")
	to, left := k.Load(k.Param("d").Base(), k.GP64()), k.Load(k.Param("d").Len(), k.GP64())
	at := k.GP64()
	for i, name := range []string{"a", "b", "c"}[:o.sources] {
		k.Src[i] = Mem{Base: k.Load(k.Param(name).Base(), k.GP64()), Index: at, Scale: 4}
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

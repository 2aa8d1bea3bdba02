package passtest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/verify"
)

// accesses reports whether in is a load or a store, of a view, a local memory or an array.
func accesses(in *il.Inst) bool {
	found := in.Op.Kind() == il.MemoryOp || in.HasDst && in.Dst.File.IsArray() && in.Op.Kind() != il.Declaration
	for _, s := range in.Sources() {
		found = found || s.File == il.Global || s.File == il.TempArray
	}
	return found
}

// wrongMemory are changes of statement i, an access to memory.
var wrongMemory = []func(r *rand.Rand, k *il.Kernel, i int){
	func(_ *rand.Rand, k *il.Kernel, i int) { k.Insts = slices.Delete(k.Insts, i, i+1) },
	func(r *rand.Rand, k *il.Kernel, i int) { // another word: an address is 4 bytes or an element behind
		for _, j := range r.Perm(len(k.Insts)) {
			if in := &k.Insts[j]; in.Op == il.OpDclLiteral {
				in.Imm[r.IntN(4)] += 4
				return
			}
		}
	},
	func(r *rand.Rand, k *il.Kernel, i int) { // other components
		m := &k.Insts[i].Dst.Mask
		*m = *m<<2 | *m>>6
	},
	func(r *rand.Rand, k *il.Kernel, i int) {
		in := &k.Insts[i]
		if s := &in.Src[max(in.NSrc, 1)-1]; in.NSrc > 0 {
			v := s.Swz.Vector()
			s.Swz = il.MakeSwizzle(v[1], v[2], v[3], v[0])
			if s.Swz.Len() == 1 {
				s.Swz = il.MakeSwizzle((v[0] + 1) % 4)
			}
		}
	},
	func(r *rand.Rand, k *il.Kernel, i int) { // another place, also over the beginning or the end of a loop
		in := k.Insts[i]
		k.Insts = slices.Delete(k.Insts, i, i+1)
		k.Insts = slices.Insert(k.Insts, max(0, min(i+r.IntN(13)-6, len(k.Insts)-1)), in)
	},
	func(r *rand.Rand, k *il.Kernel, i int) { k.Insts[i].Ctl.ID ^= 1 },
	func(r *rand.Rand, k *il.Kernel, i int) { // another register
		if s := &k.Insts[i].Src[r.IntN(max(int(k.Insts[i].NSrc), 1))]; s.File == il.Temp {
			s.Num = uint16(r.IntN(int(s.Num) + 2))
		}
	},
}

// Refused checks n variants of after with another access to memory. It returns how many of the changed ones are
// refused, and fails if a proof accepts one that an execution refutes. Variants that are accepted may be correct.
func Refused(t *testing.T, before, after *il.Kernel, o verify.Options, r *rand.Rand, n int) (refused, accepted int) {
	t.Helper()
	for range n {
		k := &il.Kernel{Stage: after.Stage, Insts: slices.Clone(after.Insts)}
		var at []int
		for i := range k.Insts {
			if k.Insts[i].Lead, k.Insts[i].Text = "", ""; accesses(&k.Insts[i]) {
				at = append(at, i)
			}
		}
		if len(at) == 0 {
			return refused, accepted
		}
		right := il.Print(k)
		wrongMemory[r.IntN(len(wrongMemory))](r, k, at[r.IntN(len(at))])
		wrong, err := il.Parse("wrong", il.Print(k))
		if err != nil || len(il.Check(wrong)) > 0 || slices.Equal(il.Print(k), right) {
			continue
		}
		v := verify.CheckKernel(before, wrong, o)
		switch {
		case v.Contradicted:
			t.Errorf("a proof accepts what an execution refutes (%s)\n%s\n%s", v.Why, il.Print(before), il.Print(wrong))
		case v.Verdict.OK():
			accepted++
		default:
			refused++
		}
	}
	return refused, accepted
}

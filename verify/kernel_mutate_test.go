package verify

import (
	"flag"
	"fmt"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/trial"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

var kernelSeed = flag.Uint64("kernel-seed", 11, "which mutants TestUnrolledMutants makes")

// kernelMutation changes statement i, or reports that it does not apply.
type kernelMutation struct {
	name  string
	apply func(r *symbolic.Stream, k *il.Kernel, i int) bool
}

func computes(in *il.Inst) bool {
	return in.Op.Kind() != il.Declaration && in.Op.Kind() != il.Flow
}

// kernelSource picks a source operand that reads a value.
func kernelSource(r *symbolic.Stream, in *il.Inst) *il.Src {
	if in.NSrc == 0 || in.Op.Kind() == il.Declaration {
		return nil
	}
	return &in.Src[pick(r, int(in.NSrc))]
}

var otherOp = map[il.Op]il.Op{
	il.OpAdd: il.OpMul, il.OpMul: il.OpAdd, il.OpMin: il.OpMax, il.OpMax: il.OpMin, il.OpLt: il.OpGe, il.OpGe: il.OpLt, il.OpEq: il.OpNe, il.OpNe: il.OpEq,
	il.OpIAdd: il.OpIMul, il.OpIMul: il.OpIAdd, il.OpILt: il.OpULt, il.OpULt: il.OpILt, il.OpIGe: il.OpILt, il.OpUGe: il.OpIGe, il.OpIEq: il.OpINe, il.OpINe: il.OpIEq,
	il.OpIAnd: il.OpIOr, il.OpIOr: il.OpIXor, il.OpIXor: il.OpIAnd, il.OpIShl: il.OpUShr, il.OpUShr: il.OpIShr, il.OpIShr: il.OpUShr, il.OpUDiv: il.OpUMod, il.OpUMod: il.OpUDiv,
	il.OpFToI: il.OpFToU, il.OpFToU: il.OpFToI, il.OpIToF: il.OpUToF, il.OpUToF: il.OpIToF, il.OpFlr: il.OpFrc, il.OpFrc: il.OpFlr, il.OpMad: il.OpCmovLogical, il.OpCmovLogical: il.OpMad,
	il.OpDAdd: il.OpDMul, il.OpDMul: il.OpDAdd, il.OpIfLogicalNZ: il.OpIfLogicalZ, il.OpIfLogicalZ: il.OpIfLogicalNZ, il.OpDp4: il.OpDp3, il.OpDp3: il.OpDp4,
	il.OpBreakLogicalNZ: il.OpBreakLogicalZ, il.OpBreakLogicalZ: il.OpBreakLogicalNZ, il.OpDiscardLogicalNZ: il.OpDiscardLogicalZ, il.OpRcp: il.OpRsq, il.OpSqrt: il.OpRsq,
}

var kernelMutations = []kernelMutation{
	{"removed", func(r *symbolic.Stream, k *il.Kernel, i int) bool {
		if !computes(&k.Insts[i]) {
			return false
		}
		k.Insts = append(k.Insts[:i:i], k.Insts[i+1:]...)
		return true
	}},
	{"operands exchanged", func(r *symbolic.Stream, k *il.Kernel, i int) bool {
		in := &k.Insts[i]
		if in.NSrc < 2 || !computes(in) {
			return false
		}
		a, b := pick(r, int(in.NSrc)), pick(r, int(in.NSrc))
		same := in.Src[a].Same(&in.Src[b])
		in.Src[a], in.Src[b] = in.Src[b], in.Src[a]
		return !same
	}},
	{"literal", func(r *symbolic.Stream, k *il.Kernel, i int) bool {
		in := &k.Insts[i]
		if in.Op != il.OpDclLiteral {
			return false
		}
		c := pick(r, 4)
		in.Imm[c] += []uint32{1, 0x80000000, 0x00800000, 0xffffffff}[pick(r, 4)]
		return true
	}},
	{"mask", func(r *symbolic.Stream, k *il.Kernel, i int) bool {
		in := &k.Insts[i]
		if !in.HasDst || !computes(in) {
			return false
		}
		c := pick(r, 4)
		old := in.Dst.Mask
		in.Dst.Mask = in.Dst.Mask&^(3<<(2*c)) | il.Mask(pick(r, 4))<<(2*c)
		return in.Dst.Mask != old && in.Dst.Mask.Computed() != 0
	}},
	{"swizzle", func(r *symbolic.Stream, k *il.Kernel, i int) bool {
		s := kernelSource(r, &k.Insts[i])
		if s == nil || s.Swz.Len() == 0 {
			return false
		}
		n := s.Swz.Len()
		places := make([]il.Sel, n)
		for p := range places {
			places[p] = s.Swz.SelectionAt(p)
		}
		places[pick(r, n)] = il.Sel(pick(r, 4))
		old := s.Swz
		s.Swz = il.MakeSwizzle(places...)
		return s.Swz != old
	}},
	{"negation", func(r *symbolic.Stream, k *il.Kernel, i int) bool {
		s := kernelSource(r, &k.Insts[i])
		if s == nil || k.Insts[i].Op.Kind() == il.Flow {
			return false
		}
		s.Neg ^= il.AllLanes
		return true
	}},
	{"op", func(r *symbolic.Stream, k *il.Kernel, i int) bool {
		op, ok := otherOp[k.Insts[i].Op]
		k.Insts[i].Op = op
		return ok
	}},
	{"register", func(r *symbolic.Stream, k *il.Kernel, i int) bool {
		s := kernelSource(r, &k.Insts[i])
		if s == nil || s.File != il.Temp && s.File != il.ConstBuf {
			return false
		}
		if s.File == il.Temp {
			old := s.Num
			s.Num = uint16(pick(r, int(old)+3))
			return s.Num != old
		}
		old := s.Offset
		s.Offset = uint32(pick(r, int(old)+2))
		return s.Offset != old
	}},
	{"destination", func(r *symbolic.Stream, k *il.Kernel, i int) bool {
		in := &k.Insts[i]
		if !in.HasDst || in.Dst.File != il.Temp || !computes(in) {
			return false
		}
		old := in.Dst.Num
		in.Dst.Num = uint16(pick(r, int(old)+2))
		return in.Dst.Num != old
	}},
	{"statements exchanged", func(r *symbolic.Stream, k *il.Kernel, i int) bool {
		if i+1 >= len(k.Insts) || !computes(&k.Insts[i]) || !computes(&k.Insts[i+1]) {
			return false
		}
		k.Insts[i], k.Insts[i+1] = k.Insts[i+1], k.Insts[i]
		return true
	}},
	{"memory ops exchanged", func(r *symbolic.Stream, k *il.Kernel, i int) bool {
		memory := func(in *il.Inst) bool {
			ok := in.Op.Kind() == il.MemoryOp || in.HasDst && in.Dst.File.IsArray()
			for s := range in.Sources() {
				ok = ok || in.Src[s].File == il.Global || in.Src[s].File == il.TempArray
			}
			return ok && computes(in)
		}
		if !memory(&k.Insts[i]) {
			return false
		}
		for j := i + 1; j < len(k.Insts) && computes(&k.Insts[j]); j++ {
			if memory(&k.Insts[j]) {
				k.Insts[i], k.Insts[j] = k.Insts[j], k.Insts[i]
				return true
			}
		}
		return false
	}},
	{"resource", func(r *symbolic.Stream, k *il.Kernel, i int) bool {
		in := &k.Insts[i]
		if in.Op.Kind() != il.Fetch {
			return false
		}
		in.Ctl.Texel[pick(r, 2)] += 2
		return true
	}},
	{"saturation", func(r *symbolic.Stream, k *il.Kernel, i int) bool {
		in := &k.Insts[i]
		if in.Op.Kind() != il.Float {
			return false
		}
		in.Dst.Sat = !in.Dst.Sat
		return true
	}},
	{"offset", func(r *symbolic.Stream, k *il.Kernel, i int) bool {
		in := &k.Insts[i]
		if !in.HasDst || !in.Dst.File.IsArray() || in.Op.Kind() == il.Declaration {
			return false
		}
		in.Dst.Offset++
		return true
	}},
}

// kernelMutant returns a kernel that differs from k in one place.
func kernelMutant(r *symbolic.Stream, k *il.Kernel) (*il.Kernel, string) {
	for range 200 {
		m := &kernelMutations[pick(r, len(kernelMutations))]
		c := cloneKernel(k)
		i := pick(r, len(c.Insts))
		text := c.Insts[i].Text
		for j := range c.Insts {
			c.Insts[j].Text = ""
		}
		if m.apply(r, c, i) {
			if again, err := il.Parse("mutant", il.Print(c)); err == nil {
				return again, fmt.Sprintf("%s in statement %d: %s", m.name, i, text)
			}
		}
	}
	return nil, ""
}

// launchBoth executes two kernels on many inputs and describes the first difference that
// the verdict rules out.
func launchBoth(t *testing.T, before, after *il.Kernel, v Verdict) string {
	c := &kernelChecker{comparison: comparison{Options: Options{Numerics: Real, Effort: Full, Seed: 99}}, before: before,
		after: after}
	c.terms.why = "not proved"
	equal := trial.CloseBy
	if v == Proved {
		c.terms.why = ""
		equal = trial.SameBits
	}
	list := c.launches()
	if v == Proved {
		list = append(list, trial.SpecialLaunch(kernel.DefaultCase(before, 5), 6),
			trial.SpecialLaunch(kernel.DefaultCase(before, 8), 9))
	}
	programs, err := c.compile()
	if err != nil {
		t.Fatal(err)
	}
	for k, l := range list {
		run := c.runner(programs, shot{l, launchSteps}, uint64(k)).execute
		b, err := run(0, 0)
		if err != nil {
			continue
		}
		a, err := run(1, 0)
		if err != nil {
			return err.Error()
		}
		if x := trial.Compare(b, a, equal); x.Differing > 0 || x.Shape != "" {
			return fmt.Sprintf("%s%s: %#x, was %#x at %d of %d points", x.Shape, x.First.Output, x.First.After, x.First.Before,
				x.Differing, x.Points)
		}
	}
	return ""
}

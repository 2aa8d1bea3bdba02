package vectorize

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// maxTrials bounds how many instructions takeApart tries to split: each trial is priced.
const maxTrials = 64

// takeApart splits instructions of function k of u whose operands cannot be read, where that saves slots. A
// move costs one slot, and so does each additional instruction for one component. Each trial builds a new
// layout, because it changes the instructions; n counts through them.
//
//	mul r0.xy, r1.xw, c0    ->    mul r0.x, r1.x, c0.x
//	                              mul r0.y, r1.w, c0.y
func takeApart(c *passes.Ctx, u *passes.Unit, k int, swz *ir.Swizzles) {
	trials := 0
	for n := 0; trials < maxTrials && !c.Stopped(); n++ {
		l := newLayout(u.Funcs()[k], swz)
		for n < len(l.nodes) && !(l.nodes[n].cost > 0 && canPart(c, l.nodes[n].in)) {
			n++
		}
		if n == len(l.nodes) || !c.Spend(n) {
			return
		}
		trials++
		tryChange(c, u, k, func(t *passes.Unit) bool { return splitInstr(c, t.Funcs()[k], n) })
	}
}

// canPart reports whether part can split in: lane by lane if it has several lanes, and dp2add into products.
// Other dot products take too many instructions.
func canPart(c *passes.Ctx, in *ir.Instr) bool {
	if in.IsPredicated() || len(in.Sub) > 0 || !in.Op.HasFormula() || in.Op.Has(ir.Special) || in.Op.Has(ir.IsFetch) {
		return false
	}
	if in.Op == ir.OpDp2Add {
		return c.Allows(passes.Real, in)
	}
	return in.Op.Info().Shape == ir.Lanewise && in.Mask()&(in.Mask()-1) != 0
}

// splitInstr splits instruction n of f, numbered as in [ir.Func.Walk] and the nodes. The parts replace it in place.
func splitInstr(c *passes.Ctx, f *ir.Func, n int) (done bool) {
	var what *ir.Instr
	f.Walk(func(in *ir.Instr) {
		if n--; n == -1 {
			what = in
		}
	})
	f.EachRegion(func(r *ir.Region) {
		for i, in := range r.Code {
			if in != what || done || !c.ShouldRewrite(in, "taken-apart", "taken apart") {
				continue
			}
			var parts []*ir.Instr
			if in.Op == ir.OpDp2Add {
				parts = splitSum(f, in)
			} else {
				parts = lanes(in)
			}
			r.Code = append(append(append([]*ir.Instr{}, r.Code[:i]...), parts...), r.Code[i+1:]...)
			done = true
			return
		}
	})
	return done
}

// lanes returns in as one instruction for each component; in becomes the last of them.
func lanes(in *ir.Instr) []*ir.Instr {
	var list []*ir.Instr
	for i := range in.Out {
		if bit := uint8(1) << i; in.Mask()&bit != 0 && in.Mask() != bit {
			one, err := ir.Split(in, bit)
			if err != nil {
				break
			}
			one.Orig = -1
			list = append(list, one)
		}
	}
	in.Orig = -1
	return append(list, in)
}

// splitSum returns a two-component dot product and a sum as two multiply-adds: a.y*b.y + (a.x*b.x + c). The order
// of roundings changes, so the rewrite is of class Real.
func splitSum(f *ir.Func, in *ir.Instr) []*ir.Instr {
	first := &ir.Instr{Op: ir.OpMad, Mods: in.Mods & ir.Half, Orig: -1, Pos: in.Pos, Also: in.Also,
		Src: make([]ir.Operand, 3)}
	rest := &ir.Instr{Op: ir.OpMad, Mods: in.Mods, Orig: -1, Pos: in.Pos, Also: in.Also, Src: make([]ir.Operand, 3)}
	var sum *ir.Value
	for i, v := range in.Out {
		if v == nil {
			continue
		}
		if sum == nil {
			sum = f.Define(first, i, ir.Reg{})
			for s := range first.Src {
				first.Src[s][i] = in.Src[s][0]
			}
		}
		rest.Out[i], v.Def = v, rest
		rest.Src[0][i], rest.Src[1][i], rest.Src[2][i] = in.Src[0][1], in.Src[1][1], ir.Lane{V: sum}
	}
	return []*ir.Instr{first, rest}
}

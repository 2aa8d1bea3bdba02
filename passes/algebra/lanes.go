package algebra

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// maxTrials bounds how many instructions are tried without some of their lanes: each trial is priced.
const maxTrials = 32

// neutralLanes removes lanes of instructions where only these lanes have a neutral operand: x*1 in one
// component, next to products in others. Their readers read x. This frees the literal's place, but may cost a
// move instead, so the price decides.
func neutralLanes(c *passes.Ctx, u *passes.Unit) {
	for k := range u.Funcs() {
		trials, code := 0, listed(u.Funcs()[k])
		for n := 0; n < len(code) && trials < maxTrials && !c.Stopped() && c.Spend(1); n++ {
			if !mixed(code[n], u.Kernel != nil) {
				continue
			}
			trials++
			t := c.TrialOf(u, k)
			f := t.Funcs()[k]
			if in, r := instrAt(f, n); !newFolder(c, f).leave(r, in) {
				continue
			}
			before, unfit := c.Measure(u)
			after, err := c.Measure(t)
			if err == nil && (unfit != nil || after.Less(before)) {
				c.Adopt(u, t)
				code = listed(f)
			}
		}
	}
}

// listed returns the instructions of f, region by region.
func listed(f *ir.Func) (code []*ir.Instr) {
	f.EachRegion(func(r *ir.Region) { code = append(code, r.Code...) })
	return code
}

// instrAt returns instruction n of f in the order of [listed], and its region.
func instrAt(f *ir.Func, n int) (found *ir.Instr, in *ir.Region) {
	f.EachRegion(func(r *ir.Region) {
		if n >= 0 && n < len(r.Code) {
			found, in = r.Code[n], r
		}
		n -= len(r.Code)
	})
	return found, in
}

// mixed reports whether an operand of in is a literal in some lanes only, or different literals if each lane
// costs, as in kernels. Moves are left to copyprop.
func mixed(in *ir.Instr, lanes bool) bool {
	if in.Op == ir.OpMov || !in.Op.HasFormula() || in.Op.Info().Shape != ir.Lanewise || in.IsPredicated() || in.Mods != 0 {
		return false
	}
	for s := range in.Src {
		literals, others := false, false
		var first *ir.Value
		for _, l := range in.Src[s] {
			switch {
			case l.V == nil:
			case l.V.Kind != ir.Literal:
				others = true
			case first == nil:
				literals, first = true, l.V
			default:
				others = others || lanes && l.V.Bits != first.Bits
			}
		}
		if literals && others {
			return true
		}
	}
	return false
}

// leave removes the lanes of in, an instruction of r, that simplify to moves: their readers read the source.
// It reports whether there are any. Each lane is split off, simplified alone, and joined again if it did not
// become a move.
func (x *folder) leave(r *ir.Region, in *ir.Instr) (some bool) {
	for i, v := range in.Out {
		if v == nil || in.Mask() == 1<<i {
			continue
		}
		one, err := ir.Split(in, 1<<i)
		if err != nil {
			return some
		}
		if x.simplify(one); one.Op == ir.OpMov && one.Src[0][i].Mod == 0 && one.Src[0][i].V.Kind != ir.Literal {
			x.replaced[v], some = one.Src[0][i], true
		} else if one.Op != in.Op || ir.Join(in, one) != nil {
			return false
		}
	}
	in.Orig = -1
	x.f.Replace(x.replaced)
	return some
}

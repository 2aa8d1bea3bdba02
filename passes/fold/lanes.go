package fold

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// maxTrials bounds how many instructions are tried without some of their lanes: each trial is
// priced.
const maxTrials = 32

// neutralLanes takes lanes out of instructions of which an operand is neutral there alone:
// x*1 in one component, beside products in others. What reads them reads x, which saves the
// literal its place and may cost a move instead. That is for the price to decide.
func neutralLanes(c *passes.Ctx, u *passes.Unit) {
	for k := range u.Funcs() {
		trials, code := 0, listed(u.Funcs()[k])
		for n := 0; n < len(code) && trials < maxTrials && !c.Stopped() && c.Spend(1); n++ {
			if !mixed(code[n], u.Kernel != nil) {
				continue
			}
			trials++
			t := c.Trial(u)
			f := t.Funcs()[k]
			if in, r := nth(f, n); !newFolder(c, f).leave(r, in) {
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

// listed is the instructions of f, region by region.
func listed(f *ir.Func) (code []*ir.Instr) {
	f.EachRegion(func(r *ir.Region) { code = append(code, r.Code...) })
	return code
}

// nth is instruction n of f as [listed] has them, and the region that it is in.
func nth(f *ir.Func, n int) (found *ir.Instr, in *ir.Region) {
	f.EachRegion(func(r *ir.Region) {
		if n >= 0 && n < len(r.Code) {
			found, in = r.Code[n], r
		}
		n -= len(r.Code)
	})
	return found, in
}

// mixed reports whether an operand of in is a literal in some lanes only, or different ones if
// lanes cost, as those of kernels do. Moves are for copyprop.
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

// leave has what reads lanes of in, of r, that are moves by themselves read what they
// move. It reports whether there are any. Each lane is split off, simplified alone, and
// joined again if it did not become a move.
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

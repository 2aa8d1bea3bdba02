package merge

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// explain remarks on what keeps values and instructions as they are, on each reason where
// it is met first.
func explain(c *passes.Ctx, u *passes.Unit) {
	said := map[asm.Code]bool{}
	remark := func(in *ir.Instr, code asm.Code, why string) {
		if !said[code] {
			said[code] = true
			c.Remarkf(in.Pos, code, "%s", why)
		}
	}
	for _, f := range u.Funcs() {
		if !free(f) && len(f.Body.Code) > 0 {
			remark(f.Body.Code[0], "swizzles", "values keep their components: this model cannot read any of them in any place")
		}
		f.EachRegion(func(r *ir.Region) {
			for i, in := range r.Code {
				switch {
				case in.IsPredicated():
					remark(in, "predicated", "a conditional write keeps its components, and its order among others")
				case in.Op.Has(ir.Convergent) && !in.Op.Has(ir.IsFetch):
					remark(in, "convergent", "derivatives are not joined, and keep their order")
				case in.Op.Has(ir.Effect) && !in.Op.Has(ir.Structured) && i > 0 && i+1 < len(r.Code):
					remark(in, "boundary", "code does not move across this")
				case in.Op.Has(ir.Special) || keepsOrder(in) && !in.Op.Has(ir.Convergent):
					remark(in, "indexed", "what depends on an address or a predicate register keeps its order")
				}
			}
		})
		if !mixed(f) {
			continue
		}
		b := newBins(f, new(scratch))
		b.pairs(func(in *ir.Instr) {
			remark(in, "precision", "this is not joined with what does the same in another precision")
		})
	}
}

// mixed reports whether f has operations of both precisions.
func mixed(f *ir.Func) bool {
	var seen [2]bool
	f.Walk(func(in *ir.Instr) {
		if in.Mask() != 0 && permutable(in) {
			k := 0
			if in.Mods&ir.Half != 0 {
				k = 1
			}
			seen[k] = true
		}
	})
	return seen[0] && seen[1]
}

package merge

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// explain adds remarks about the properties that keep values and instructions unchanged. It reports
// each reason once, at its first occurrence.
func explain(c *passes.Ctx, u *passes.Unit) {
	said := map[asm.Code]bool{}
	remark := func(in *ir.Instr, code asm.Code, why string) {
		if !said[code] {
			said[code] = true
			c.Remarkf(in.Pos, code, "%s", why)
		}
	}
	for _, f := range u.Funcs() {
		if !anySwizzle(f) && len(f.Body.Code) > 0 {
			remark(f.Body.Code[0], "swizzles", "values keep their components: this model has few swizzles")
		}
		f.EachRegion(func(r *ir.Region) {
			for i, in := range r.Code {
				switch {
				case in.IsPredicated():
					remark(in, "predicated", "a predicated write keeps its components and its order")
				case in.Op.Has(ir.Convergent) && !in.Op.Has(ir.IsFetch):
					remark(in, "convergent", "derivatives are not joined and keep their order")
				case in.Op.Has(ir.Effect) && !in.Op.Has(ir.Structured) && i > 0 && i+1 < len(r.Code):
					remark(in, "boundary", "code does not move across this statement")
				case in.Op.Has(ir.Special) || keepsOrder(in) && !in.Op.Has(ir.Convergent):
					remark(in, "indexed", "an instruction that uses an address or predicate register keeps its order")
				}
			}
		})
		if !mixed(f) {
			continue
		}
		b := newBins(f, new(scratch))
		b.pairs(func(in *ir.Instr) {
			remark(in, "precision", "this is not joined with the same instruction in another precision")
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

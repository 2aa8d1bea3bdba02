package pair

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// SplitUndefined separates reads of components that an instruction left undefined from the other
// errors. They are harmless if nothing depends on them, as in a copy of a whole register.
func SplitUndefined(wrong asm.Diags) (left, undefined asm.Diags) {
	for _, d := range wrong {
		if d.Code == "undefined-register" {
			undefined = append(undefined, d)
		} else {
			left = append(left, d)
		}
	}
	return left, undefined
}

// Tolerated returns the diagnostics of rules that existing programs break, as listed by
// [d3d9.Tolerated].
func Tolerated(all asm.Diags) (some asm.Diags) {
	for _, d := range all {
		if d3d9.Tolerated(d.Code) {
			some = append(some, d)
		}
	}
	return some
}

// DependsOnUndefined reports whether an output or an effect of f may depend on a component that an
// instruction left undefined. It reports true for a program that was not lifted.
func DependsOnUndefined(f *ir.Func) bool {
	if f == nil {
		return true
	}
	needs := f.Needs(true)
	return f.HasLeaf(func(v *ir.Value) bool { return v.Kind == ir.Undef && v.Home == ir.Reg{} && needs.Live[v.ID] })
}

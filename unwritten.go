package shaderlift

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
)

// Tools that edit programs of games copy whole registers of which a component is written
// later, over the copy. Microsoft's assembler refuses that, the runtime and drivers do not.
// Where nothing depends on what is read, the program says clearly what it computes.

// splitUnwritten takes the reads of components that nothing may have written out of what is wrong.
func splitUnwritten(wrong asm.Diags) (left, unwritten asm.Diags) {
	for _, d := range wrong {
		if d.Code == "uninitialized-register" {
			unwritten = append(unwritten, d)
		} else {
			left = append(left, d)
		}
	}
	return left, unwritten
}

// dependsOnUnwritten reports whether an output or an effect of f may depend on what nothing
// has written. Of a program that is not understood that cannot be told.
func dependsOnUnwritten(f *ir.Func) bool {
	if f == nil {
		return true
	}
	live := f.Needs(true).Live
	return f.HasLeaf(func(v *ir.Value) bool { return v.Kind == ir.Undef && live[v.ID] })
}

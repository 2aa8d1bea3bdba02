package iface

import (
	"fmt"
	"github.com/shaderlift/shaderlift/asm"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
)

// CompareKernels runs the form check for kernels. After obeys the rules of AMD IL, has the declarations of before, and
// lifts to the same structure after printing and parsing. CompareKernels returns the parsed kernel, which the
// other methods judge. After may break rules that before breaks, except for declarations: an undeclared or
// redeclared name has no meaning to compare.
func CompareKernels(before, after *il.Kernel) (*il.Kernel, error) {
	// A rule that before breaks does not bind this kernel, wherever after breaks it.
	if diags := il.Check(after); len(diags) > 0 {
		broken := map[asm.Code]bool{}
		for _, d := range il.Check(before) {
			broken[d.Code] = true
		}
		for _, d := range diags {
			if !broken[d.Code] || d.Code == "undeclared" || d.Code == "redeclared" {
				return nil, d
			}
		}
	}
	if err := sameKernelInterface(before, after); err != nil {
		return nil, err
	}
	again, err := il.Parse("written "+after.Stage.String(), il.Print(after))
	if err != nil {
		return nil, err
	}
	if !SameHeader(after, again) || len(again.Insts) != len(after.Insts) {
		return nil, fmt.Errorf("%d statements read back as %d of il_%s_2_0", len(after.Insts), len(again.Insts), again.Stage)
	}
	for i := range after.Insts {
		if !after.Insts[i].Same(&again.Insts[i]) {
			return nil, fmt.Errorf("statement %d reads back as %q", i, again.Insts[i].Text)
		}
		again.Insts[i].Pos = after.Insts[i].Pos // messages refer to the writer's positions
	}
	f, err := amdil.Lift(after)
	if err != nil {
		return again, nil // left to the method that does not lift
	}
	g, err := amdil.Lift(again)
	if err == nil && f.StructuralHash() != g.StructuralHash() {
		err = fmt.Errorf("the kernel read back lifts to another structure")
	}
	return again, err
}

package verify

import (
	"fmt"
	"github.com/shaderlift/shaderlift/asm"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
)

// kernelForm is rung 0 for kernels: after obeys the rules of AMD IL, declares what
// surrounds it as before does, and means the same when it is printed and read back. It
// returns what was read back, which is what the other rungs judge. What before broke
// already, after may break as well, but for declarations: what is not declared, or more
// than once, means nothing that could be compared.
func kernelForm(before, after *il.Kernel) (*il.Kernel, error) {
	// A rule that before breaks is no rule of this kernel, wherever after breaks it.
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
	if !sameHeader(after, again) || len(again.Insts) != len(after.Insts) {
		return nil, fmt.Errorf("%d statements read back as %d of il_%s_2_0", len(after.Insts), len(again.Insts), again.Stage)
	}
	for i := range after.Insts {
		if !after.Insts[i].Same(&again.Insts[i]) {
			return nil, fmt.Errorf("statement %d reads back as %q", i, again.Insts[i].Text)
		}
		again.Insts[i].Pos = after.Insts[i].Pos // what is said of it is said to who wrote after
	}
	f, err := amdil.Lift(after)
	if err != nil {
		return again, nil // left to the rung that does not lift
	}
	g, err := amdil.Lift(again)
	if err == nil && f.Hash() != g.Hash() {
		err = fmt.Errorf("the kernel read back lifts to another structure")
	}
	return again, err
}

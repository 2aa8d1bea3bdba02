package verify

import (
	"fmt"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
)

// kernelForm is rung 0 for kernels: after obeys the rules of AMD IL, declares what
// surrounds it as before does, and means the same when it is printed and read back. It
// returns what was read back, which is what the other rungs judge. What before broke
// already, after may break as well.
func kernelForm(before, after *il.Kernel) (*il.Kernel, error) {
	if diags := il.Check(after); len(diags) > 0 {
		broken := map[string]bool{}
		for _, d := range il.Check(before) {
			broken[d.Code] = true
		}
		for _, d := range diags {
			if !broken[d.Code] {
				return nil, d
			}
		}
	}
	if err := sameFrame(before, after); err != nil {
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

// declared is what a declaration is about.
type declared struct {
	op  il.Op
	id  uint16
	reg il.Reg
}

// sameFrame compares the declarations that give names their meaning. What one side
// alone declares the other cannot use; but work groups, local memory and flags are
// there whether they are named or not. Literals are values, and part of no frame.
func sameFrame(before, after *il.Kernel) error {
	frames := [2]map[declared][]*il.Inst{}
	for i, k := range []*il.Kernel{before, after} {
		frames[i] = map[declared][]*il.Inst{}
		for _, in := range statements(k) {
			if in.Op.Kind() == il.Declaration && in.Op != il.OpDclLiteral {
				d := declared{in.Op, in.Ctl.ID, in.Dst.Reg}
				frames[i][d] = append(frames[i][d], in)
			}
		}
	}
	for i, k := range []*il.Kernel{before, after} {
		for _, in := range statements(k) {
			d := declared{in.Op, in.Ctl.ID, in.Dst.Reg}
			ours, others := frames[i][d], frames[1-i][d]
			switch {
			case len(ours) == 0:
			case len(others) == 0:
				if global(in.Op) {
					return fmt.Errorf("%s is declared on one side only", in.Op)
				}
			case i == 0 && !sameDeclarations(ours, others):
				return fmt.Errorf("%s is declared differently", name(in))
			}
		}
	}
	return nil
}

// sameDeclarations compares the declarations of one thing. An output can be declared
// component by component, which says nothing about its values.
func sameDeclarations(a, b []*il.Inst) bool {
	if a[0].Op == il.OpDclOutput {
		return true
	}
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !a[i].Same(b[i]) {
			return false
		}
	}
	return true
}

// global reports whether a declaration is about the kernel as a whole.
func global(op il.Op) bool {
	switch op {
	case il.OpDclGlobalFlags, il.OpDclLdsSharingMode, il.OpDclLdsSizePerThread, il.OpDclMaxThreadPerGroup,
		il.OpDclNumThreadPerGroup, il.OpDclTotalNumThreadGroup:
		return true
	}
	return false
}

func name(in *il.Inst) string {
	if in.HasDst {
		return in.Op.String() + " " + in.Dst.Reg.String()
	}
	return in.Op.String()
}

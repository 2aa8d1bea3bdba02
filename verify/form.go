package verify

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/vsps"
)

// valid reports whether after is a program of its shader model. What before broke already,
// after may break as well.
func valid(before, after *d3d9.Program) error {
	if err := worse(before, after); err != nil {
		return err
	}
	return sameSeries(before, after)
}

// readBack writes after as bytes and reads these back, which has to give the same statements. It
// returns what was read, which is what the other rungs judge, and what that lifts to, if it can be
// lifted: so that the verdict is about the bytes, and a writer that is wrong does not pass.
func readBack(after *d3d9.Program) (*d3d9.Program, *ir.Func, error) {
	data, err := d3d9.Write(after)
	if err != nil {
		return nil, nil, err
	}
	again, err := d3d9.Read("written "+after.Model.String(), data)
	if err != nil {
		return nil, nil, err
	}
	if again.Model != after.Model || len(again.Insts) != len(after.Insts) {
		return nil, nil, fmt.Errorf("%d statements of %s read back as %d of %s", len(after.Insts), after.Model, len(again.Insts), again.Model)
	}
	for i := range after.Insts {
		if !after.Insts[i].Same(&again.Insts[i]) {
			return nil, nil, fmt.Errorf("statement %d reads back as %q", i, d3d9.Format(again.Model, &again.Insts[i]))
		}
		again.Insts[i].Pos = after.Insts[i].Pos // what is said of it is said to who wrote after
	}
	fn, err := vsps.Lift(again) // to what after lifts to, whose statements are the same
	if err != nil {
		return again, nil, nil // left to the rungs that do not lift
	}
	return again, fn, fn.Check()
}

// worse returns the first rule of its model that after breaks and before does not: a program that was
// never valid may be optimized, but breaks no further rules. Where declarations are broken it has to be
// the same message about the same register: what a register holds depends on them.
func worse(before, after *d3d9.Program) error {
	diags := d3d9.Validate(after)
	if len(diags) == 0 {
		return nil
	}
	broken := map[asm.Code]bool{}
	for _, d := range d3d9.Validate(before) {
		broken[d.Code], broken[d.Code+asm.Code(d.Msg)] = true, true
	}
	for _, d := range diags {
		key := d.Code
		switch key {
		case "declaration", "duplicate-declaration", "undeclared-register", "undeclared-component":
			key += asm.Code(d.Msg)
		}
		if !broken[key] {
			return d
		}
	}
	return nil
}

package iface

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/vsps"
)

// Valid reports whether after is a program of its shader model. It accepts errors that before has too.
func Valid(before, after *d3d9.Program) error {
	if err := worse(before, after); err != nil {
		return err
	}
	return sameSeries(before, after)
}

// ReadBack writes after as bytes and reads them back, which has to give the same statements. It returns the
// program that was read, and its lifted form if it can be lifted. The other methods judge that program, so that
// the verdict is about the bytes and a wrong writer does not pass.
func ReadBack(after *d3d9.Program) (*d3d9.Program, *ir.Func, error) {
	data, err := d3d9.Write(after)
	if err != nil {
		return nil, nil, err
	}
	again, err := d3d9.Read("written "+after.Model.String(), data)
	if err != nil {
		return nil, nil, err
	}
	if again.Model != after.Model || len(again.Insts) != len(after.Insts) {
		return nil, nil, fmt.Errorf("%d statements of %s read back as %d of %s", len(after.Insts), after.Model,
			len(again.Insts), again.Model)
	}
	for i := range after.Insts {
		if !after.Insts[i].Same(&again.Insts[i]) {
			return nil, nil, fmt.Errorf("statement %d reads back as %q", i, d3d9.Format(again.Model, &again.Insts[i]))
		}
		again.Insts[i].Pos = after.Insts[i].Pos // messages refer to the writer's positions
	}
	fn, err := vsps.Lift(again) // equals the lifted form of after, whose statements are the same
	if err != nil {
		return again, nil, nil // left to the methods that do not lift
	}
	return again, fn, fn.Check()
}

// worse returns the first rule of its model that after breaks and before does not. An invalid program may be
// optimized, but must not break further rules. A broken declaration must give the same message about the same
// register in both, because the contents of a register depend on it.
func worse(before, after *d3d9.Program) error {
	diags := d3d9.Validate(after)
	if len(diags) == 0 {
		return nil
	}
	broken := map[asm.Code]bool{}
	for _, d := range d3d9.Validate(unsaturated(before)) {
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

// unsaturated returns p without _sat if its model has none, as for colours that are promised to be within
// 0..1. Validation of such a program ends before it checks outputs.
func unsaturated(p *d3d9.Program) *d3d9.Program {
	if p.Model.Stage != d3d9.Vertex || p.Model.Major >= 3 {
		return p
	}
	q := *p
	q.Insts = slices.Clone(p.Insts)
	for i := range q.Insts {
		q.Insts[i].Dst.Mods &^= d3d9.Saturate
	}
	return &q
}

// Identical reports whether two programs consist of the same statements, except comments that do not belong
// to the program's interface.
func Identical(a, b *d3d9.Program) bool {
	if a == nil || b == nil || a.Model != b.Model {
		return a == b
	}
	// next skips comment blocks other than constant tables and preshaders, which the application
	// or the framework reads.
	next := func(p *d3d9.Program, i int) int {
		for i < len(p.Insts) && p.Insts[i].Op == d3d9.OpComment && !p.Insts[i].IsConstantTable() &&
			!p.Insts[i].IsPreshader() {
			i++
		}
		return i
	}
	i, k := next(a, 0), next(b, 0)
	for i < len(a.Insts) && k < len(b.Insts) && a.Insts[i].Same(&b.Insts[k]) {
		i, k = next(a, i+1), next(b, k+1)
	}
	return i == len(a.Insts) && k == len(b.Insts)
}

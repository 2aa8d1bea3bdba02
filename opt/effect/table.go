package effect

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// CompactTable drops unused data from the constant table of a rewritten program of an effect: the compiler's
// name, and parameters whose registers the program does not read. A read by an index counts as a read
// of the parameter at its base register.
func CompactTable(p *d3d9.Program) error {
	t, err := p.ConstantTable()
	if t == nil || err != nil {
		return nil // keep an unreadable table for its users
	}
	// The registers that instructions read, with all rows of matrices.
	read := map[d3d9.Reg]bool{}
	for i := range p.Insts {
		in := &p.Insts[i]
		for k, s := range in.Sources() {
			for row := range in.SourceRegisters(k) {
				r := d3d9.Reg{File: s.File, Index: s.Index + uint16(row)}
				if read[r] = true; s.Rel != (d3d9.Rel{}) && t.Lookup(r) == nil {
					return nil // the parameter is unknown
				}
			}
		}
	}
	old := len(t.Constants)
	// Samplers of ps_1_x are implied by the stage, so no entry is known to be unused.
	if p.Model.AtLeast(2, 0) {
		t.Constants = slices.DeleteFunc(t.Constants, func(c d3d9.Constant) bool {
			for n := range c.Count {
				if read[d3d9.Reg{File: c.Set.File(), Index: uint16(c.Index + n)}] {
					return false
				}
			}
			return true
		})
	}
	if len(t.Constants) == old && t.Creator == "" {
		return nil
	}
	t.Creator = ""
	p.Insts = slices.Clone(p.Insts)
	return p.SetConstantTable(t)
}

// TableOf reads the one constant table of a program.
func TableOf(p *d3d9.Program) (*d3d9.ConstantTable, error) {
	t, err := p.ConstantTable()
	if err == nil && t == nil {
		err = fmt.Errorf("the %s program has no constant table", p.Model.Stage)
	}
	return t, err
}

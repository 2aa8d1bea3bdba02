package effect

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Constants are the constants of a pixel program that the host sets: by name, according to Table, or
// computed by the preshader. Either may be nil.
type Constants struct {
	Table    *d3d9.ConstantTable
	Computed *Computed
}

// constantsOf returns the constants of p; a program without a table has none.
func constantsOf(p *d3d9.Program) *Constants {
	t, err := p.ConstantTable()
	if err != nil || t == nil {
		return &Constants{}
	}
	return &Constants{t, computedFor(p)}
}

// hasAny reports whether c has any constants.
func (c *Constants) hasAny() bool {
	return c.Computed != nil || c.Table != nil &&
		slices.ContainsFunc(c.Table.Constants, func(e d3d9.Constant) bool { return e.Set == d3d9.SetFloat4 })
}

// Has reports whether a float constant is in c.
func (c *Constants) Has(register uint16) bool {
	return c.entry(register) != nil || c.Computed.computesRegister(register)
}

// entry returns the table entry of a float constant, or nil.
func (c *Constants) entry(register uint16) *d3d9.Constant {
	return c.Table.Lookup(d3d9.Reg{File: d3d9.Const, Index: register})
}

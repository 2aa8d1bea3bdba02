package hostconst

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Constants are the constants of a pixel program that the host sets: by their names, which Table
// lists, or to what the preshader computes. Either may be nil.
type Constants struct {
	Table    *d3d9.ConstantTable
	Computed *Computed
}

// Of are those of p, none of a program without a table.
func Of(p *d3d9.Program) *Constants {
	t, err := p.ConstantTable()
	if err != nil || t == nil {
		return &Constants{}
	}
	return &Constants{t, computedFor(p)}
}

// Some reports whether there are any.
func (c *Constants) Some() bool {
	return c.Computed != nil || c.Table != nil && slices.ContainsFunc(c.Table.Constants, func(e d3d9.Constant) bool { return e.Set == d3d9.SetFloat4 })
}

// Has reports whether a float constant is one of them.
func (c *Constants) Has(register uint16) bool {
	return c.entry(register) != nil || c.Computed.in(register)
}

// entry is what the table says of a float constant, nil if nothing.
func (c *Constants) entry(register uint16) *d3d9.Constant {
	return c.Table.Lookup(d3d9.Reg{File: d3d9.Const, Index: register})
}

package iface

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/verify/draws"
)

// An application with a constant table sets parameters by name. D3DX and effects find the registers of a name
// in the table (ID3DXConstantTable; the block CTAB, D3DXSHADER_CONSTANTTABLE of d3dx9shader.h). The table
// entries of registers that a program reads are therefore part of its behaviour. The rules:
//
//   - An entry of after equals one of before in all fields: name, register set, first register, number of
//     registers, type, default value.
//   - An entry stays if it covers a register that after reads or that an upload repeats. In effects, an
//     upload repeats the parameter that before has there, so only the reads of after count. A relative read
//     uses the entry in which it starts, else all entries. A register that the program defines itself does
//     not count as read. Other entries may go or stay.
//   - An upload sets a register without an entry, or one that holds the same row of the same parameter as its
//     source.
//   - A table that cannot be read, several tables, and preshaders stay unchanged (but see Layout).
//     Preshaders compute constants where the effect framework runs them.
//   - A table of the program's version keeps that version; readers such as MojoShader refuse others.
//
// The creator of a table and its options are ignored.

// sameTables compares the constant tables of a program. Registers in kept have to stay in the table, besides
// those that after reads. If parameters is set, preshaders may differ.
func sameTables(before, after *d3d9.Program, kept []d3d9.Reg, parameters bool) error {
	if !parameters && !slices.EqualFunc(preshaders(before), preshaders(after), slices.Equal[[]uint32]) {
		return fmt.Errorf("the %s program has another preshader", after.Model.Stage)
	}
	unchanged := slices.EqualFunc(tableBlocks(before), tableBlocks(after), slices.Equal[[]uint32])
	if unchanged && before.Model == after.Model {
		return nil
	}
	b, okB := table(before)
	a, okA := table(after)
	if !okB || !okA {
		if unchanged {
			return nil
		}
		return fmt.Errorf("the constant table of the %s program has changed and cannot be read", after.Model.Stage)
	}
	old, now := spelled(b), spelled(a)
	for i := range a {
		if !old[entryKey(&a[i])] {
			return fmt.Errorf("the constant table of the %s program %w", after.Model.Stage, unlike(b, &a[i]))
		}
	}
	if hasMatchingTable(before) && !hasMatchingTable(after) {
		return fmt.Errorf("the constant table of the %s program is of another version", after.Model.Stage)
	}
	// An entry may go if nothing reads its registers.
	r := readsOf(after)
	for _, k := range kept {
		r.direct[k] = true
	}
	for i := range b {
		if now[entryKey(&b[i])] {
			continue
		}
		if reg := r.needs(b, &b[i]); reg.File != d3d9.NoFile {
			return fmt.Errorf("the constant table of the %s program no longer has %q, the name of %s", after.Model.Stage,
				b[i].Name, reg)
		}
	}
	return nil
}

// table returns the entries of a program's constant table, or false if there are several tables or the
// table cannot be read.
func table(p *d3d9.Program) (list []d3d9.Constant, ok bool) {
	t, err := p.ConstantTable()
	switch {
	case err != nil || len(tableBlocks(p)) > 1:
		return nil, false
	case t == nil:
		return nil, true
	}
	words := 0 // entries may share their defaults
	for i := range t.Constants {
		words += len(t.Constants[i].Default)
	}
	return t.Constants, words <= maxDefaults
}

// maxDefaults limits the words of all default values of a table. Entries may share theirs, so that a small
// file can describe a large table.
const maxDefaults = 1 << 18

// entryKey returns a string that is equal for equal entries. spelled returns the set of these strings for a
// table.
func entryKey(c *d3d9.Constant) string { return fmt.Sprintf("%#v", *c) }

func spelled(list []d3d9.Constant) map[string]bool {
	set := make(map[string]bool, len(list))
	for i := range list {
		set[entryKey(&list[i])] = true
	}
	return set
}

// hasMatchingTable reports whether the constant table of p, if any, has the program's version.
func hasMatchingTable(p *d3d9.Program) bool {
	t, err := p.ConstantTable()
	return err == nil && (t == nil || t.Version == p.Model.Token())
}

// tableBlocks and preshaders return the words of such comment blocks.
func tableBlocks(p *d3d9.Program) [][]uint32 { return blocks(p, (*d3d9.Inst).IsConstantTable) }

// preshaders returns the preshaders of a program, as the words of their comment blocks.
func preshaders(p *d3d9.Program) [][]uint32 { return blocks(p, (*d3d9.Inst).IsPreshader) }

func blocks(p *d3d9.Program, is func(*d3d9.Inst) bool) (list [][]uint32) {
	for i := range p.Insts {
		if in := &p.Insts[i]; is(in) {
			list = append(list, in.Comment)
		}
	}
	return list
}

// unlike describes how c differs from the entries of its name in table. No entry equals it.
func unlike(table []d3d9.Constant, c *d3d9.Constant) error {
	was := func(same func(d *d3d9.Constant) bool) bool {
		return slices.ContainsFunc(table, func(d d3d9.Constant) bool { return d.Name == c.Name && same(&d) })
	}
	at := func(d *d3d9.Constant) bool { return d.Set == c.Set && d.Index == c.Index }
	size := func(d *d3d9.Constant) bool { return at(d) && d.Count == c.Count }
	typed := func(d *d3d9.Constant) bool {
		x, y := *d, *c
		x.Default, y.Default = nil, nil
		return size(d) && entryKey(&x) == entryKey(&y)
	}
	switch {
	case !was(func(*d3d9.Constant) bool { return true }):
		return fmt.Errorf("has a new name, %q", c.Name)
	case !was(at):
		return fmt.Errorf("has %q in another register, %s", c.Name, d3d9.Reg{File: c.Set.File(), Index: uint16(c.Index)})
	case !was(size):
		return fmt.Errorf("has %q with another number of registers, %d", c.Name, c.Count)
	case was(typed):
		return fmt.Errorf("has %q with another default value", c.Name)
	}
	return fmt.Errorf("has %q with another type", c.Name)
}

// reads are the constants and samplers that a program reads. Each row of a matrix operand is one. A relative
// read is listed by the register to which the index is added.
type reads struct {
	direct   map[d3d9.Reg]bool
	relative map[d3d9.Reg]bool // where relative reads start
}

// readsOf lists the registers that p reads and does not define.
func readsOf(p *d3d9.Program) reads {
	r := reads{direct: map[d3d9.Reg]bool{}, relative: map[d3d9.Reg]bool{}}
	for i := range p.Insts {
		in := &p.Insts[i]
		for k, s := range in.Sources() {
			for row := range in.SourceRegisters(k) {
				reg := d3d9.Reg{File: s.File, Index: s.Index + uint16(row)}
				if s.Rel.File != d3d9.NoFile {
					r.relative[reg] = true
				} else {
					r.direct[reg] = true
				}
			}
		}
	}
	for i := range p.Insts {
		if in := &p.Insts[i]; in.Op.IsDefinition() {
			delete(r.direct, in.Dst.Reg) // an index may still start there
		}
	}
	return r
}

// directReads lists the registers that p reads without an index and does not define, in order.
func directReads(p *d3d9.Program) []d3d9.Reg { return sortedRegs(readsOf(p).direct) }

// needs returns the first register that is read and that needs entry c of a table, or an invalid one if c may
// go. A relative read that starts in no entry may reach every entry of its file.
func (r reads) needs(table []d3d9.Constant, c *d3d9.Constant) d3d9.Reg {
	for _, set := range []map[d3d9.Reg]bool{r.direct, r.relative} {
		for _, reg := range sortedRegs(set) {
			if c.CoversRegister(reg) {
				return reg
			}
		}
	}
	for _, base := range sortedRegs(r.relative) {
		covered := slices.ContainsFunc(table, func(d d3d9.Constant) bool { return d.CoversRegister(base) })
		if !covered && base.File == c.Set.File() {
			return base
		}
	}
	return d3d9.Reg{}
}

func sortedRegs(set map[d3d9.Reg]bool) []d3d9.Reg {
	list := make([]d3d9.Reg, 0, len(set))
	for r := range set { // sorted below
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b d3d9.Reg) int {
		return cmp.Or(cmp.Compare(a.File, b.File),
			cmp.Compare(a.Index, b.Index))
	})
	return list
}

// freeUploads checks that uploads set only free registers: another upload, a preshader, or a table entry that
// the application sets by name must not set them.
func freeUploads(after draws.Pair, uploads []draws.Upload) error {
	for _, u := range uploads {
		if slices.ContainsFunc(uploads, func(v draws.Upload) bool { return v.Stage() != u.Stage() && v.To == u.From }) {
			return fmt.Errorf("an upload reads c%d, which another upload sets", u.From)
		}
	}
	for i, p := range []*d3d9.Program{after.Vertex, after.Pixel} {
		if p == nil {
			continue
		}
		own := slices.DeleteFunc(slices.Clone(uploads), func(u draws.Upload) bool { return u.Stage() != d3d9.Stage(i) })
		if err := freeIn(p, after.Pixel, own); err != nil {
			return err
		}
	}
	return nil
}

// freeIn checks the uploads to the stage of p.
func freeIn(p, pixel *d3d9.Program, uploads []draws.Upload) error {
	table, _ := table(p)
	var computed preshader.Outputs
	if q, err := preshader.FromProgram(p); err == nil && q != nil {
		computed = preshader.OutputsOf(q.Insts)
	}
	from := map[uint16]uint16{}
	for _, u := range uploads {
		if other, ok := from[u.To]; ok && other != u.From {
			return fmt.Errorf("two uploads set c%d", u.To)
		}
		from[u.To] = u.From
		to := d3d9.Reg{File: d3d9.Const, Index: u.To}
		if slices.ContainsFunc(computed.Ranges[0], func(r preshader.Range) bool { return uint32(u.To)-r.First < r.Count }) {
			return fmt.Errorf("an upload sets %s, but the preshader computes it", to)
		}
		for i := range table {
			if c := &table[i]; c.CoversRegister(to) && (u.Lowered || !repeats(pixel, c, u)) {
				return fmt.Errorf("an upload sets %s, but it belongs to %q in the constant table", to, c.Name)
			}
		}
	}
	return nil
}

// repeats reports whether the pixel program has the parameter c of the vertex program at the same place, so
// that u holds in any case.
func repeats(pixel *d3d9.Program, c *d3d9.Constant, u draws.Upload) bool {
	if pixel == nil {
		return false
	}
	table, _ := table(pixel)
	from := d3d9.Reg{File: d3d9.Const, Index: u.From}
	return slices.ContainsFunc(table, func(d d3d9.Constant) bool {
		return d.Name == c.Name && d.CoversRegister(from) && int(u.From)-d.Index == int(u.To)-c.Index &&
			d.Class == c.Class && d.Type == c.Type &&
			d.Rows == c.Rows && d.Columns == c.Columns
	})
}

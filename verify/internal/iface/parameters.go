package iface

import (
	"errors"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/draws"
)

// The framework of an effect sets constants from parameters that both stages share, by the names in the
// constant tables. It also runs preshaders, which compute constants from parameters. If the preshaders of two
// versions differ, constants are compared as copies of parameters and as expressions of them. The rules,
// besides those of tables:
//
//   - Parameters are identified by name, and a name has one type everywhere. After has no parameter that
//     before lacks.
//   - Only one source sets a register: an entry of the table, the preshader, or the program.
//   - Every client runs a changed preshader alike: its sections, its outputs and the place of its block have
//     the form that clients expect. The preshader may also be removed.
//   - If the preshader writes only some components of a register, clients choose the others. After does not
//     read those.
//   - Clients compute preshaders in float64 or in float32. Only copies and signs are therefore the same terms
//     as in a program; over the reals all operations are.

// Layout assigns each parameter a place for its value in a trial: a register of before that the parameter
// sets, or a pixel constant beyond those of any model. A random draw for the constants of before thus gives
// parameters values for both versions.
type Layout struct {
	types map[string]*d3d9.Constant
	rows  map[parameterRow]register
	// further lists the parameters in pixel constants from FirstFurtherConstant on.
	further []parameterRow
}

// parameterRow is the part of a parameter in one register.
type parameterRow struct {
	name string
	row  int
}

// register is a float constant.
type register struct {
	stage d3d9.Stage
	index uint16
}

// FirstFurtherConstant is the first number beyond the 256 float constants of vs_3_0 and the 224 of ps_3_0.
const FirstFurtherConstant = 256

// Sources has the sources of a program's constants: copies of parameters and expressions of them. The
// application sets all other registers.
type Sources struct {
	from map[uint16]register // copies
	// run is the preshader or nil. inputs has the sources of its input registers, values its results.
	run    *preshader.Program
	inputs map[uint32]register
	values map[ir.Reg]*preshader.Value
	writes map[uint16]bool // registers that the preshader writes, at least in part
}

// PreshadersChanged reports whether a preshader of a pair differs.
func PreshadersChanged(before, after draws.Pair) bool {
	return preshaderChanged(before.Vertex, after.Vertex) || preshaderChanged(before.Pixel, after.Pixel)
}

func preshaderChanged(before, after *d3d9.Program) bool {
	return after != nil && !slices.EqualFunc(preshaders(before), preshaders(after), slices.Equal[[]uint32])
}

// FindSources finds the sources of the constants of both versions. The uploads in mirrored hold for both
// versions, and those in uploads for after.
func FindSources(before, after draws.Pair, mirrored, uploads []draws.Upload) (f *Layout, sources [2]Hosts, err error) {
	f = &Layout{types: map[string]*d3d9.Constant{}, rows: map[parameterRow]register{}}
	values := &preshader.Values{}
	changed := [2]bool{preshaderChanged(before.Vertex, after.Vertex), preshaderChanged(before.Pixel, after.Pixel)}
	for side, programs := range [2][2]*d3d9.Program{{before.Vertex, before.Pixel}, {after.Vertex, after.Pixel}} {
		for _, p := range programs[:] {
			if p == nil {
				continue
			}
			stage := p.Model.Stage
			h, err := f.findSources(p, side == 1, changed[stage], values)
			if err == nil && side == 1 {
				err = h.sound(p, sources[0][stage], changed[stage])
			}
			if err != nil {
				return nil, sources, fmt.Errorf("the %s program: %w", stage, err)
			}
			sources[side][stage] = h
		}
	}
	for side, list := range [2][]draws.Upload{mirrored, slices.Concat(mirrored, uploads)} {
		if err := sources[side].upload(list, sources[0][d3d9.Pixel]); err != nil {
			return nil, sources, err
		}
	}
	return f, sources, nil
}

// findSources finds the sources of the constants of p. All parameters of after must be known. An unchanged preshader
// that cannot be analysed only reserves its registers.
func (f *Layout) findSources(p *d3d9.Program, after, changed bool, values *preshader.Values) (*Sources, error) {
	h := &Sources{from: map[uint16]register{}, inputs: map[uint32]register{}, values: map[ir.Reg]*preshader.Value{},
		writes: map[uint16]bool{}}
	table, ok := table(p)
	if !ok {
		return nil, errors.New("its constant table cannot be read")
	}
	err := f.visitRegisters(table, after, func(n int, row parameterRow) {
		if _, known := f.rows[row]; !known && !after {
			f.rows[row] = register{p.Model.Stage, uint16(n)}
		}
		h.from[uint16(n)] = f.place(row)
	})
	if err != nil {
		return nil, err
	}
	if h.run, err = preshader.FromProgram(p); h.run == nil || err != nil {
		return h, err
	}
	inputs, err := h.run.Inputs()
	if err != nil {
		return nil, err
	}
	if err := f.visitRegisters(inputs, after,
		func(n int, row parameterRow) { h.inputs[uint32(n)] = f.place(row) }); err != nil {
		return nil, err
	}
	outs, err := preshader.Trace(h.run, values)
	if err != nil && !changed {
		for _, r := range preshader.OutputsOf(h.run.Insts).Ranges[0] {
			for n := range h.from { // any
				if uint32(n)-r.First < r.Count {
					return nil, fmt.Errorf("its preshader and another source both set c%d", n)
				}
			}
		}
		h.run = nil
		return h, nil
	}
	if err != nil {
		return nil, err
	}
	for at, x := range outs {
		r := ir.Reg{File: ir.File(d3d9.Const), Index: uint16(at / 4), Comp: uint8(at % 4)}
		if at/4 >= MaxRegister {
			return nil, fmt.Errorf("its preshader writes to c%d", at/4)
		}
		h.values[r], h.writes[r.Index] = x, true
	}
	return h, nil
}

// visitRegisters calls visit for every float register of a table's entries, with the parameter row in it. It refuses
// parameters of after alone, names of two types, more registers than a type has, and registers that are set
// twice.
func (f *Layout) visitRegisters(table []d3d9.Constant, after bool, visit func(n int, row parameterRow)) error {
	covered := map[int]bool{}
	for i := range table {
		c := &table[i]
		if c.Set != d3d9.SetFloat4 {
			continue
		}
		typ := *c
		typ.Set, typ.Index, typ.Count, typ.Reserved, typ.Default = 0, 0, 0, 0, nil
		switch known := f.types[c.Name]; {
		case known == nil && after:
			return fmt.Errorf("the old program has no parameter %q", c.Name)
		case known == nil:
			f.types[c.Name] = &typ
		case entryKey(known) != entryKey(&typ):
			return fmt.Errorf("%q has two types", c.Name)
		case after && c.Count > c.Registers(): // clients fill these differently
			return fmt.Errorf("%q takes %d registers, not %d", c.Name, c.Registers(), c.Count)
		}
		for k := range c.Count {
			if covered[c.Index+k] || c.Index+k >= MaxRegister {
				return fmt.Errorf("c%d, a register of %q, is set twice", c.Index+k, c.Name)
			}
			covered[c.Index+k] = true
			visit(c.Index+k, parameterRow{c.Name, k})
		}
	}
	return nil
}

// place returns the register that keeps the value of a parameter row.
func (f *Layout) place(row parameterRow) register {
	r, ok := f.rows[row]
	if !ok {
		r = register{d3d9.Pixel, uint16(FirstFurtherConstant + len(f.further))}
		f.rows[row] = r
		f.further = append(f.further, row)
	}
	return r
}

// sound checks that clients agree on the constants that p, a program of after, reads. The preshader must be
// well formed and in the place where D3DX expects it. Only one source may set a register. p must not read a
// register that was set in before and no longer is.
func (h *Sources) sound(p *d3d9.Program, before *Sources, changed bool) error {
	if changed && h.run != nil {
		if err := h.run.Check(); err != nil {
			return err
		}
		if !upFront(p) {
			return errors.New("its preshader does not precede its instructions, where D3DX expects it")
		}
	}
	defined := map[uint16]bool{}
	for i := range p.Insts {
		if in := &p.Insts[i]; in.Op == d3d9.OpDef {
			defined[in.Dst.Index] = true
		}
	}
	for n := range h.writes { // any
		if _, ok := h.from[n]; ok || defined[n] {
			return fmt.Errorf("its preshader and another source both set c%d", n)
		}
	}
	for _, r := range directReads(p) {
		if r.File != d3d9.Const || h.setsRegister(r.Index) || !before.setsRegister(r.Index) {
			continue
		}
		return fmt.Errorf("it reads %s, which is no longer set", r)
	}
	return nil
}

// Sets reports whether the framework sets register r of a program. h may be nil.
func (h *Sources) Sets(r ir.Reg) bool {
	return h != nil && r.File == ir.File(d3d9.Const) && h.setsRegister(r.Index)
}

func (h *Sources) setsRegister(n uint16) bool {
	_, ok := h.from[n]
	return ok || h.writes[n]
}

// Others lists the registers whose contents differ from the value that a trial keeps under their number.
func (h *Sources) Others(stage d3d9.Stage) (list []uint16) {
	if h == nil {
		return nil
	}
	for n, from := range h.from { // the caller sorts
		if from != (register{stage, n}) {
			list = append(list, n)
		}
	}
	for n := range h.writes { // the caller sorts
		list = append(list, n)
	}
	return list
}

// upFront reports whether p has exactly one preshader, among its leading comments.
func upFront(p *d3d9.Program) bool {
	for i := range p.Insts {
		if in := &p.Insts[i]; in.Op != d3d9.OpComment {
			return false
		} else if in.IsPreshader() {
			return len(preshaders(p)) == 1
		}
	}
	return false
}

// Hosts are the hosted of a version, by stage.
type Hosts [2]*Sources

// upload redirects vertex constants to the source of a pixel constant of before: a copy of the same parameter
// or of the register. It does not depend on the table of after.
func (s *Hosts) upload(uploads []draws.Upload, p *Sources) error {
	for _, u := range uploads {
		v := s[d3d9.Vertex]
		if u.Lowered {
			return fmt.Errorf("no effect sets a pixel constant to vertex constant c%d", u.From)
		}
		if v == nil || p == nil {
			continue
		}
		from, ok := p.from[u.From]
		switch {
		case p.writes[u.From] || v.writes[u.To]:
			return fmt.Errorf("an upload sets c%d to c%d, but a preshader sets one of them", u.To, u.From)
		case !ok:
			from = register{d3d9.Pixel, u.From}
		}
		v.from[u.To] = from
	}
	return nil
}

// MaxRegister limits the registers that an index can name.
const MaxRegister = 1 << 13

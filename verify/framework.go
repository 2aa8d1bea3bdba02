package verify

import (
	"errors"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/iface"
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

// framework assigns each parameter a place for its value in a trial: a register of before that the parameter
// sets, or a pixel constant beyond those of any model. A random draw for the constants of before thus gives
// parameters values for both versions.
type framework struct {
	types map[string]*d3d9.Constant
	rows  map[parameterRow]constantReg
	// further lists the parameters in pixel constants from firstFurther on.
	further []parameterRow
}

// parameterRow is the part of a parameter in one register.
type parameterRow struct {
	name string
	row  int
}

// constantReg is a float constant.
type constantReg struct {
	stage d3d9.Stage
	index uint16
}

// firstFurther is the first number beyond the 256 float constants of vs_3_0 and the 224 of ps_3_0.
const firstFurther = 256

// hosted has the sources of a program's constants: copies of parameters and expressions of them. The
// application sets all other registers.
type hosted struct {
	from map[uint16]constantReg // copies
	// run is the preshader or nil. inputs has the sources of its input registers, values its results.
	run    *preshader.Program
	inputs map[uint32]constantReg
	values map[ir.Reg]*preshader.Value
	writes map[uint16]bool // registers that the preshader writes, at least in part
}

// frame prepares the comparison of constants as expressions of parameters. It does so if the framework of an
// effect sets them and a preshader has changed.
func (c *checker) frame() error {
	all := [2][2]*d3d9.Program{{c.before.Vertex, c.before.Pixel}, {c.after.Vertex, c.after.Pixel}}
	changed := func(stage d3d9.Stage) bool {
		b, a := all[0][stage], all[1][stage]
		return a != nil && !slices.EqualFunc(iface.Preshaders(b), iface.Preshaders(a), slices.Equal[[]uint32])
	}
	if !c.Parameters || !changed(d3d9.Vertex) && !changed(d3d9.Pixel) {
		return nil
	}
	if len(c.Constants) > 0 {
		return errors.New("promised constants are not supported in preshaders")
	}
	f := &framework{types: map[string]*d3d9.Constant{}, rows: map[parameterRow]constantReg{}}
	values := &preshader.Values{}
	for side, programs := range all {
		for _, p := range programs[:] {
			if p == nil {
				continue
			}
			stage := p.Model.Stage
			h, err := f.findSources(p, side == 1, changed(stage), values)
			if err == nil && side == 1 {
				err = h.sound(p, c.hosts[0][stage], changed(stage))
			}
			if err != nil {
				return fmt.Errorf("the %s program: %w", stage, err)
			}
			c.hosts[side][stage] = h
		}
	}
	for side, uploads := range [2][]Upload{c.Mirrored, slices.Concat(c.Mirrored, c.Uploads)} {
		if err := c.hosts[side].upload(uploads, c.hosts[0][d3d9.Pixel]); err != nil {
			return err
		}
	}
	c.framework = f
	return nil
}

// findSources finds the sources of the constants of p. All parameters of after must be known. An unchanged preshader
// that cannot be analysed only reserves its registers.
func (f *framework) findSources(p *d3d9.Program, after, changed bool, values *preshader.Values) (*hosted, error) {
	h := &hosted{from: map[uint16]constantReg{}, inputs: map[uint32]constantReg{}, values: map[ir.Reg]*preshader.Value{}, writes: map[uint16]bool{}}
	table, ok := iface.Table(p)
	if !ok {
		return nil, errors.New("its constant table cannot be read")
	}
	err := f.visitRegisters(table, after, func(n int, row parameterRow) {
		if _, known := f.rows[row]; !known && !after {
			f.rows[row] = constantReg{p.Model.Stage, uint16(n)}
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
	if err := f.visitRegisters(inputs, after, func(n int, row parameterRow) { h.inputs[uint32(n)] = f.place(row) }); err != nil {
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
		if at/4 >= maxRegister {
			return nil, fmt.Errorf("its preshader writes to c%d", at/4)
		}
		h.values[r], h.writes[r.Index] = x, true
	}
	return h, nil
}

// visitRegisters calls visit for every float register of a table's entries, with the parameter row in it. It refuses
// parameters of after alone, names of two types, more registers than a type has, and registers that are set
// twice.
func (f *framework) visitRegisters(table []d3d9.Constant, after bool, visit func(n int, row parameterRow)) error {
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
		case iface.EntryKey(known) != iface.EntryKey(&typ):
			return fmt.Errorf("%q has two types", c.Name)
		case after && c.Count > c.Registers(): // clients fill these differently
			return fmt.Errorf("%q takes %d registers, not %d", c.Name, c.Registers(), c.Count)
		}
		for k := range c.Count {
			if covered[c.Index+k] || c.Index+k >= maxRegister {
				return fmt.Errorf("c%d, a register of %q, is set twice", c.Index+k, c.Name)
			}
			covered[c.Index+k] = true
			visit(c.Index+k, parameterRow{c.Name, k})
		}
	}
	return nil
}

// place returns the register that keeps the value of a parameter row.
func (f *framework) place(row parameterRow) constantReg {
	r, ok := f.rows[row]
	if !ok {
		r = constantReg{d3d9.Pixel, uint16(firstFurther + len(f.further))}
		f.rows[row] = r
		f.further = append(f.further, row)
	}
	return r
}

// sound checks that clients agree on the constants that p, a program of after, reads. The preshader must be
// well formed and in the place where D3DX expects it. Only one source may set a register. p must not read a
// register that was set in before and no longer is.
func (h *hosted) sound(p *d3d9.Program, before *hosted, changed bool) error {
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
	for _, r := range iface.DirectReads(p) {
		if r.File != d3d9.Const || h.setsRegister(r.Index) || !before.setsRegister(r.Index) {
			continue
		}
		return fmt.Errorf("it reads %s, which is no longer set", r)
	}
	return nil
}

func (h *hosted) setsRegister(n uint16) bool {
	_, ok := h.from[n]
	return ok || h.writes[n]
}

// others lists the registers whose contents differ from the value that a trial keeps under their number.
func (h *hosted) others(stage d3d9.Stage) (list []uint16) {
	if h == nil {
		return nil
	}
	for n, from := range h.from { // the caller sorts
		if from != (constantReg{stage, n}) {
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
			return len(iface.Preshaders(p)) == 1
		}
	}
	return false
}

// hosts are the hosted of a version, by stage.
type hosts [2]*hosted

// upload redirects vertex constants to the source of a pixel constant of before: a copy of the same parameter
// or of the register. It does not depend on the table of after.
func (s *hosts) upload(uploads []Upload, p *hosted) error {
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
			from = constantReg{d3d9.Pixel, u.From}
		}
		v.from[u.To] = from
	}
	return nil
}

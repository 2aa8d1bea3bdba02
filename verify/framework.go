package verify

import (
	"errors"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/ir"
)

// The framework of an effect sets constants by the names in the tables of programs, from
// parameters that both stages share, and runs preshaders, which compute constants from
// parameters. Where the preshaders of two versions differ, constants are therefore compared
// as what they are made of, copies of parameters and expressions of them. The rules, besides
// those of tables:
//
//   - Parameters are known by their names, which have one type wherever they appear; after
//     has none that before has not.
//   - One thing sets a register: an entry of the table, the preshader, or the program.
//   - A preshader that has changed is one that every client runs alike: its sections, its
//     outputs and the place of its block are as clients want them. It may also go.
//   - A component of a register that the preshader leaves open, while it writes others, is
//     up to the client. After reads none.
//   - Preshaders compute in float64, or in float32, as clients like. So only copies and
//     signs are the same terms as in a program; over the reals everything is.

// framework says where a trial keeps the values of parameters: in a register of before that is set to
// it, else in a pixel constant beyond those of any model. So a draw that was made up for the constants
// of before gives parameters values for both sides.
type framework struct {
	types map[string]*d3d9.Constant
	rows  map[parameterRow]constantReg
	// further are the parameters in pixel constants from firstFurther on.
	further []parameterRow
}

// parameterRow is what one register holds of a parameter.
type parameterRow struct {
	name string
	row  int
}

// constantReg is a float constant.
type constantReg struct {
	stage d3d9.Stage
	index uint16
}

// firstFurther is beyond the 256 float constants of vs_3_0 and the 224 of ps_3_0.
const firstFurther = 256

// hosted is what the constants of a program are made of: copies of parameters, expressions of them, or,
// in registers of neither, what the application sets.
type hosted struct {
	from map[uint16]constantReg // copies
	// run is the preshader, if there is one, with where its inputs are from, by register, and
	// what it computes.
	run    *preshader.Program
	inputs map[uint32]constantReg
	values map[ir.Reg]*preshader.Value
	writes map[uint16]bool // registers that it writes, in part at least
}

// frame prepares to compare constants as what they are made of, if that is called for: if the framework
// of an effect sets them, and if a preshader has changed.
func (c *checker) frame() error {
	all := [2][2]*d3d9.Program{{c.before.Vertex, c.before.Pixel}, {c.after.Vertex, c.after.Pixel}}
	changed := func(stage d3d9.Stage) bool {
		b, a := all[0][stage], all[1][stage]
		return a != nil && !slices.EqualFunc(preshaders(b), preshaders(a), slices.Equal[[]uint32])
	}
	if !c.Parameters || !changed(d3d9.Vertex) && !changed(d3d9.Pixel) {
		return nil
	}
	if len(c.Constants) > 0 {
		return errors.New("constants with known values are not looked for in preshaders")
	}
	f := &framework{types: map[string]*d3d9.Constant{}, rows: map[parameterRow]constantReg{}}
	values := &preshader.Values{}
	for side, programs := range all {
		for _, p := range programs[:] {
			if p == nil {
				continue
			}
			stage := p.Model.Stage
			h, err := f.host(p, side == 1, changed(stage), values)
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

// host says what the constants of p are made of. Of after all parameters have to be known.
// What a preshader computes that is the same in both versions is only named, where it is not
// understood.
func (f *framework) host(p *d3d9.Program, after, changed bool, values *preshader.Values) (*hosted, error) {
	h := &hosted{from: map[uint16]constantReg{}, inputs: map[uint32]constantReg{}, values: map[ir.Reg]*preshader.Value{}, writes: map[uint16]bool{}}
	table, ok := tableOf(p)
	if !ok {
		return nil, errors.New("its constant table cannot be read")
	}
	err := f.each(table, after, func(n int, row parameterRow) {
		if _, known := f.rows[row]; !known && !after {
			f.rows[row] = constantReg{p.Model.Stage, uint16(n)}
		}
		h.from[uint16(n)] = f.place(row)
	})
	if err != nil {
		return nil, err
	}
	if h.run, err = preshader.Of(p); h.run == nil || err != nil {
		return h, err
	}
	inputs, err := h.run.Inputs()
	if err != nil {
		return nil, err
	}
	if err := f.each(inputs, after, func(n int, row parameterRow) { h.inputs[uint32(n)] = f.place(row) }); err != nil {
		return nil, err
	}
	outs, err := preshader.Trace(h.run, values)
	if err != nil && !changed {
		for _, r := range preshader.OutputsOf(h.run.Insts).Ranges[0] {
			for n := range h.from { // any
				if uint32(n)-r.First < r.Count {
					return nil, fmt.Errorf("its preshader sets c%d, and something else does too", n)
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

// each calls visit for every float register that entries of a table cover, with what it holds. It
// refuses parameters that after alone has, names of two types, more registers than a type has, and
// registers that are set twice.
func (f *framework) each(table []d3d9.Constant, after bool, visit func(n int, row parameterRow)) error {
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
			return fmt.Errorf("there was no parameter %q", c.Name)
		case known == nil:
			f.types[c.Name] = &typ
		case spell(known) != spell(&typ):
			return fmt.Errorf("there are two types of %q", c.Name)
		case after && c.Count > c.Registers(): // clients differ in what they put there
			return fmt.Errorf("%q takes %d registers, not %d", c.Name, c.Registers(), c.Count)
		}
		for k := range c.Count {
			if covered[c.Index+k] || c.Index+k >= maxRegister {
				return fmt.Errorf("c%d, which %q is in, is set twice", c.Index+k, c.Name)
			}
			covered[c.Index+k] = true
			visit(c.Index+k, parameterRow{c.Name, k})
		}
	}
	return nil
}

// place is where the value of part of a parameter is kept.
func (f *framework) place(row parameterRow) constantReg {
	r, ok := f.rows[row]
	if !ok {
		r = constantReg{d3d9.Pixel, uint16(firstFurther + len(f.further))}
		f.rows[row] = r
		f.further = append(f.further, row)
	}
	return r
}

// sound checks that clients agree on what p, which is after, reads of its constants: that the preshader
// is well formed and stands where D3DX looks for it, that one thing sets a register, and that nothing
// is read that was set before and is no longer.
func (h *hosted) sound(p *d3d9.Program, before *hosted, changed bool) error {
	if changed && h.run != nil {
		if err := h.run.Check(); err != nil {
			return err
		}
		if !upFront(p) {
			return errors.New("its preshader does not stand before its instructions, where D3DX looks for it")
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
			return fmt.Errorf("its preshader sets c%d, and something else does too", n)
		}
	}
	for _, r := range sortedRegs(readsOf(p).direct) {
		if r.File != d3d9.Const || h.sets(r.Index) || !before.sets(r.Index) {
			continue
		}
		return fmt.Errorf("it reads %s, which nothing sets any more", r)
	}
	return nil
}

func (h *hosted) sets(n uint16) bool {
	_, ok := h.from[n]
	return ok || h.writes[n]
}

// others are the registers that hold something else than a trial keeps in them.
func (h *hosted) others(stage d3d9.Stage) (list []uint16) {
	if h == nil {
		return nil
	}
	for n, from := range h.from { // the caller sorts
		if from != (constantReg{stage, n}) {
			list = append(list, n)
		}
	}
	for n := range h.writes { // likewise
		list = append(list, n)
	}
	return list
}

// upFront reports whether the one preshader of p is among the comments that p begins with.
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

// hosts are those of a side, by stage.
type hosts [2]*hosted

// upload has vertex constants be what pixel constants of before are: a copy of the same parameter, or of
// the register, whatever is still in the table of after.
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
			return fmt.Errorf("c%d is to be set to c%d, and a preshader sets one of them", u.To, u.From)
		case !ok:
			from = constantReg{d3d9.Pixel, u.From}
		}
		v.from[u.To] = from
	}
	return nil
}

package shaderlift

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/hostconst"
	"github.com/shaderlift/shaderlift/passes"
)

// Constants that move from a pixel program are had by name in every vertex program that it is
// drawn with. One register of a vertex program serves all its pixel programs.

// parameter is a register of a constant, by its name.
type parameter struct {
	name string
	part int
}

// entry is what the table of a pixel program says of a float constant.
func (m *member) entry(register uint16) *d3d9.Constant {
	if m.table == nil {
		return nil
	}
	return m.table.Lookup(d3d9.Reg{File: d3d9.Const, Index: register})
}

// mirrors tells which constants of a pixel program all its partners can have by name.
func (t *together) mirrors(m *member) func(register uint16) bool {
	return func(register uint16) bool {
		e := m.entry(register)
		if e == nil || e.Set != d3d9.SetFloat4 {
			return false
		}
		for _, d := range m.draws {
			if d.vertex.table == nil {
				return false
			}
			if has := d.vertex.table.Named(e.Name); has != nil && (!has.IsParameter(e) || int(register)-e.Index >= has.Count) {
				return false
			}
		}
		return true
	}
}

// known are constants of a pixel program that a vertex program has already.
func (t *together) known(v, p *member) (list []passes.Upload) {
	if v.table == nil || p.table == nil {
		return nil
	}
	for i := range p.table.Constants {
		e := &p.table.Constants[i]
		has := v.table.Named(e.Name)
		for k := range e.Count {
			to, ok := v.gains[parameter{e.Name, k}]
			if has != nil && has.IsParameter(e) && k < has.Count {
				to, ok = uint16(has.Index+k), true
			}
			if ok && e.Set == d3d9.SetFloat4 {
				list = append(list, passes.Upload{From: uint16(e.Index + k), To: to})
			}
		}
	}
	return list
}

// bind has the table of a vertex program say what it has gained, as far as it reads that.
func (t *together) bind(m *member, q *d3d9.Program) error {
	reads := map[uint16]bool{}
	for i := range q.Insts {
		for _, s := range q.Insts[i].Sources() {
			if s.File == d3d9.Const {
				reads[s.Index] = true
			}
		}
	}
	var used []parameter
	for p, to := range m.gains {
		if reads[to] {
			used = append(used, p)
		}
	}
	if len(used) == 0 {
		return nil
	}
	slices.SortFunc(used, func(a, b parameter) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.part, b.part)) })
	b, err := hostconst.NewBinder(q, m.pair.input[0])
	if err != nil {
		return err
	}
	for _, p := range used {
		b.Need(m.widest(p.name), p.part, m.gains[p])
	}
	m.names, err = b.Bind()
	return err
}

// widest is the entry of a name that has most registers, of those that the pixel programs
// have which a vertex program is drawn with.
func (m *member) widest(name string) (e *d3d9.Constant) {
	for _, d := range m.draws {
		if d.pixel.table == nil {
			continue
		}
		if c := d.pixel.table.Named(name); c != nil && (e == nil || c.Count > e.Count) {
			e = c
		}
	}
	return e
}

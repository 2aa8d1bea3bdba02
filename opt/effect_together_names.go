package opt

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/opt/effect"
	"github.com/shaderlift/shaderlift/passes"
)

// A constant of a pixel program that moves gets its value by name in every vertex program that is drawn with
// it. A parameter of the effect has one value in all programs. If two pixel programs name it, one register and
// one entry in the constant table of a shared vertex program suffice.

// parameter identifies one register of a named constant in all programs, although register numbers differ. part
// counts from the first register of the constant.
type parameter struct {
	name string
	part int
}

// entry returns the entry for a float constant in the constant table, or nil.
func (m *member) entry(register uint16) *d3d9.Constant {
	if m.table == nil {
		return nil
	}
	return m.table.Lookup(d3d9.Reg{File: d3d9.Const, Index: register})
}

// mirrors returns a function that reports whether all partners of pixel program m may read a register. This
// requires that the table names a float4 constant there, and that no partner uses the name for something else
// or for fewer registers.
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

// known returns the constants of pixel program p that vertex program v already holds, because its own table or
// other pixel programs of the group have them.
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

// bindParameters adds the parameters that m has gained to the constant table of q, the emitted program. It
// omits registers that the final code does not read. It sorts by name, because the order of maps is random.
func (t *together) bindParameters(m *member, q *d3d9.Program) error {
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
	slices.SortFunc(used, func(a, b parameter) int {
		return cmp.Or(cmp.Compare(a.name, b.name),
			cmp.Compare(a.part, b.part))
	})
	b, err := effect.NewBinder(q, m.pair.input[0])
	if err != nil {
		return err
	}
	for _, p := range used {
		b.Need(m.widest(p.name), p.part, m.gains[p])
	}
	m.names, err = b.Bind()
	return err
}

// widest returns the entry with the most registers for a name, among the pixel programs that a vertex program
// is drawn with. Entries may differ, because compilers truncate arrays to the used part.
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

package cleanup

import (
	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/ir"
)

// reusable reports whether the values found may replace the results of in, and probably save its slot. Only
// the first test is about legality (unchanged address registers); the others are about moves that reuse would
// cost.
func (g *numbering) reusable(in *ir.Instr, found *[4]*ir.Value) bool {
	var by *ir.Instr
	for i, v := range in.Out {
		if v == nil {
			continue
		}
		w := found[i]
		if (in.Op == ir.OpLoad || in.Op.Has(ir.Special)) && g.settings[w.ID] != g.setting {
			return false
		}
		if by != nil && w.Def != by && !g.mixed {
			return false
		}
		by = w.Def
		// An output is write-only: a value that is also read, or written twice, is moved there. Such a move
		// cancels the saving.
		if (g.uses.output[v.ID] || g.uses.output[w.ID]) && (in.Op == ir.OpMov || !g.mixed) {
			return false
		}
		// Block arguments are moved too, value by value.
		if g.uses.handed[v.ID] && (in.Op == ir.OpMov || !g.mixed) {
			return false
		}
	}
	return g.mixed || g.together(in, found)
}

// together reports whether every operand that reads in still reads one register after the replacement.
func (g *numbering) together(in *ir.Instr, found *[4]*ir.Value) bool {
	for _, v := range in.Out {
		if v == nil {
			continue
		}
		for _, u := range g.uses.of[v.ID] {
			o := *u
			o.EachLane(func(_ int, l *ir.Lane) {
				if to, ok := g.same[l.V]; ok {
					l.V = to.V
				}
				for i := range in.Out {
					if l.V == in.Out[i] {
						l.V = found[i]
					}
				}
			})
			if !o.Together() {
				return false
			}
		}
	}
	return true
}

// users maps the values of a program to their readers, updated as values are replaced.
type users struct {
	of     [][]*ir.Operand // by value ID
	output []bool          // it is an output
	handed []bool          // it is a block argument or a pass-through value
	pool   []*ir.Operand   // memory for the lists in of
}

func (u *users) collectUsers(f *ir.Func) {
	n := f.NumValues()
	*u = users{of: container.Zeros(u.of, n), output: container.Zeros(u.output, n), handed: container.Zeros(u.handed, n), pool: u.pool}
	used := 0
	more := func(of []*ir.Operand, o *ir.Operand) []*ir.Operand {
		if len(of) < cap(of) {
			return append(of, o)
		}
		m := max(2*len(of), 2)
		if len(u.pool)-used < m {
			u.pool, used = make([]*ir.Operand, max(2*len(u.pool), m, 256)), 0
		}
		room := append(u.pool[used:used:used+m], of...)
		used += m
		return append(room, o)
	}
	pass := func(vs []*ir.Value) {
		for _, v := range vs {
			if v != nil {
				u.handed[v.ID] = true
			}
		}
	}
	f.Walk(func(in *ir.Instr) {
		for k := range in.Src {
			o := &in.Src[k]
			o.EachLane(func(_ int, l *ir.Lane) {
				if list := u.of[l.V.ID]; !l.V.IsLeaf() && (len(list) == 0 || list[len(list)-1] != o) {
					u.of[l.V.ID] = more(list, o)
				}
			})
		}
		pass(in.Keep[:])
		pass(in.Args)
		for _, sub := range in.Sub {
			pass(sub.Results)
		}
	})
	for _, o := range f.Outs {
		u.output[o.V.ID] = true
	}
}

// moveReaders moves the readers of v to w.
func (u *users) moveReaders(v, w *ir.Value) {
	u.of[w.ID] = append(u.of[w.ID], u.of[v.ID]...)
	u.output[w.ID] = u.output[w.ID] || u.output[v.ID]
	u.handed[w.ID] = u.handed[w.ID] || u.handed[v.ID]
}

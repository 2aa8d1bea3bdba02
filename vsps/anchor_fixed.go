package vsps

import (
	"maps"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// anchor is a statement of ps_1_x that stays as it is, as the lift has it: what passes
// make of the function is such a statement only where it is this one, value by value.
// It is a pattern: lifted once, and compared with what the function has now.
type anchor struct {
	made  [4]*ir.Value    // what it leaves in its register, by component
	tests ir.Operand      // what texkill tests
	depth *ir.Value       // what it makes the depth
	reads [2][4]*ir.Value // what temporaries hold that it reads, by source and component
	// bound is what the function has in place of each value that the statement reads
	// from a temporary, nil before it was met.
	bound map[*ir.Value]*ir.Value
}

// anchored reports whether a statement stays as it is.
func anchored(op d3d9.Op) bool { return op.Kind() == d3d9.TextureOp || op == d3d9.OpBem }

// anchorsOf lifts the program of d for its anchors, by statement.
func anchorsOf(d *Dialect) (map[int]*anchor, error) {
	l, err := d.lift(new(Memory))
	if err != nil {
		return nil, err
	}
	for _, a := range l.anchors {
		a.bound = map[*ir.Value]*ir.Value{}
		for _, r := range a.reads {
			for _, v := range r {
				if v != nil {
					a.bound[v] = nil
				}
			}
		}
	}
	return l.anchors, nil
}

// released is a without what it was bound to.
func (a *anchor) released() *anchor {
	b := *a
	b.bound = make(map[*ir.Value]*ir.Value, len(a.bound))
	for v := range a.bound { // any order
		b.bound[v] = nil
	}
	return &b
}

// binds reports whether v is what g was, and if so takes note of what that makes of the
// registers that the statement reads. It is one-way unification: values read from
// temporaries are the variables, all else must be the same.
func (a *anchor) binds(v, g ir.Lane) bool {
	old := maps.Clone(a.bound)
	ok := a.lane(v, g)
	if !ok {
		a.bound = old
	}
	return ok
}

// lane compares one lane. Where lanes of an instruction may be permuted, v may be in
// another one than g.
func (a *anchor) lane(v, g ir.Lane) bool {
	if v.V == nil || g.V == nil || v.Mod != g.Mod {
		return v.V == nil && g.V == nil
	}
	if to, read := a.bound[g.V]; read {
		a.bound[g.V] = v.V
		return to == nil || to == v.V
	}
	if v.V.Kind != ir.Result || g.V.Kind != ir.Result {
		return v.V.Kind == g.V.Kind && v.V.Home == g.V.Home && v.V.Bits == g.V.Bits
	}
	f, h := v.V.Def, g.V.Def
	if f == nil || f.Op != h.Op || f.Mods != h.Mods || f.Res != h.Res || len(f.Src) != len(h.Src) {
		return false
	}
	i, j := int(v.V.Lane), int(g.V.Lane)
	switch f.Op.Info().Shape {
	case ir.Lanewise:
		for k := range f.Src {
			if !a.lane(f.Src[k][i], h.Src[k][j]) {
				return false
			}
		}
		return true
	case ir.Positional:
		if i != j {
			return false
		}
	}
	for k := range f.Src {
		reads := h.ReadsFor(k, 1<<j)
		for c := range 4 {
			if reads>>c&1 != 0 && !a.lane(f.Src[k][c], h.Src[k][c]) {
				return false
			}
		}
	}
	return true
}

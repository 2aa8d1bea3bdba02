package vectorize

import "github.com/shaderlift/shaderlift/ir"

// place is the known location of a value: with the other results of one instruction, or in a register outside
// the code.
type place struct {
	def  *ir.Instr
	kind ir.Kind
	reg  ir.Reg
}

// placeOf returns the place of v, or the zero place for a block parameter.
func placeOf(v *ir.Value) place {
	if !v.IsLeaf() {
		return place{def: v.Def}
	}
	reg := v.Home
	reg.Comp = 0
	return place{kind: v.Kind, reg: reg}
}

// selectWebs is a union-find over the places whose values operands want in one register. Each place leads to
// another one of its web; the last one holds the wanted components.
type selectWebs map[place]*web

// web is one element of webs.
type web struct {
	of      *web
	holds   [4]*ir.Value
	crowded bool // several values want the same component
}

// findWeb returns the web of p.
func (w selectWebs) findWeb(p place) *web {
	x := w[p]
	if x == nil {
		x = &web{}
		if p.def != nil {
			x.holds = p.def.Out
		}
		w[p] = x
	}
	for x.of != nil {
		if x.of.of != nil { // path halving
			x.of = x.of.of
		}
		x = x.of
	}
	return x
}

// joinPlaces unites the places of o.
func (w selectWebs) joinPlaces(o *ir.Operand) {
	var all *web
	for i, l := range o {
		if l.V == nil {
			continue
		}
		x := w.findWeb(placeOf(l.V))
		if all == nil {
			all = x
		}
		if l.V.IsLeaf() {
			all.wantComponent(i, l.V)
		}
		if x == all {
			continue
		}
		x.of, all.crowded = all, all.crowded || x.crowded
		for k, v := range x.holds {
			if v != nil {
				all.wantComponent(k, v)
			}
		}
	}
}

// wantComponent records that v wants component i.
func (x *web) wantComponent(i int, v *ir.Value) {
	x.crowded = x.crowded || x.holds[i] != nil && x.holds[i] != v
	x.holds[i] = v
}

// crowded reports whether the places of o cannot all be in one register. Their values may collide, or several
// of them may be outside the code.
func (w selectWebs) crowded(o *ir.Operand) bool {
	var outside place
	for _, l := range o {
		if l.V == nil {
			continue
		}
		p := placeOf(l.V)
		if w.findWeb(p).crowded || l.V.IsLeaf() && outside != (place{}) && outside != p {
			return true
		}
		if l.V.IsLeaf() {
			outside = p
		}
	}
	return false
}

package selectlanes

import "github.com/shaderlift/shaderlift/ir"

// place is where a value is, as far as that is known: with others that one instruction computes,
// or in a register outside the code.
type place struct {
	def  *ir.Instr
	kind ir.Kind
	reg  ir.Reg
}

// placeOf is the place of v, the zero place if it is what a region is given.
func placeOf(v *ir.Value) place {
	if !v.IsLeaf() {
		return place{def: v.Def}
	}
	reg := v.Home
	reg.Comp = 0
	return place{kind: v.Kind, reg: reg}
}

// webs are the places whose values operands want in one register: each leads to another of its web, the
// last to what is wanted in which component.
type webs map[place]*web

// web is one of them.
type web struct {
	of      *web
	holds   [4]*ir.Value
	crowded bool // several values want the same component
}

// find is the web of p.
func (w webs) find(p place) *web {
	x := w[p]
	if x == nil {
		x = &web{}
		if p.def != nil {
			x.holds = p.def.Out
		}
		w[p] = x
	}
	for x.of != nil {
		if x.of.of != nil { // which halves the way for others
			x.of = x.of.of
		}
		x = x.of
	}
	return x
}

// join makes one web of the places of o.
func (w webs) join(o *ir.Operand) {
	var all *web
	for i, l := range o {
		if l.V == nil {
			continue
		}
		x := w.find(placeOf(l.V))
		if all == nil {
			all = x
		}
		if l.V.IsLeaf() {
			all.put(i, l.V)
		}
		if x == all {
			continue
		}
		x.of, all.crowded = all, all.crowded || x.crowded
		for k, v := range x.holds {
			if v != nil {
				all.put(k, v)
			}
		}
	}
}

// put notes that v wants component i.
func (x *web) put(i int, v *ir.Value) {
	x.crowded = x.crowded || x.holds[i] != nil && x.holds[i] != v
	x.holds[i] = v
}

// crowded reports whether the places of o cannot all be in one register: for what they hold, or since
// several of them are outside the code.
func (w webs) crowded(o *ir.Operand) bool {
	var outside place
	for _, l := range o {
		if l.V == nil {
			continue
		}
		p := placeOf(l.V)
		if w.find(p).crowded || l.V.IsLeaf() && outside != (place{}) && outside != p {
			return true
		}
		if l.V.IsLeaf() {
			outside = p
		}
	}
	return false
}

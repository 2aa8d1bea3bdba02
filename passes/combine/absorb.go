package combine

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes/internal/rules"
)

// absorb lets the definition of a mov's operand, if the mov is its only reader, write the destination of the
// mov directly. It takes the lanes of the mov and its saturation: mad r0.x, ...; mov r1, r0.x becomes mad r1,
// ... on replicated operands. The values stay, so their readers do not change.
func (c *combiner) absorb(in *ir.Instr) bool {
	o := &in.Src[0]
	def := c.source(o, in)
	if def == nil || c.readsOf(def) != rules.LanesOf(o) || !isPlain(o) || !movable(def) ||
		c.places[def].region != c.places[in].region && c.output(in) {
		return false
	}
	var lanes [4]int8
	for i, l := range o {
		lanes[i] = -1
		if l.V != nil {
			lanes[i] = int8(l.V.Lane)
		}
	}
	to := rearranged(def, lanes)
	to.Mods |= in.Mods & ir.Sat
	to.Out = in.Out
	if !c.legal(&to) || !c.shouldRewrite(in) {
		return false
	}
	c.dead[in] = true
	for _, l := range o {
		if l.V != nil {
			c.reads[l.V.ID]--
		}
	}
	c.replace(def, to)
	def.TakeIn(in, merged)
	def.EachDef(func(v *ir.Value) { v.Def = def })
	return true
}

// output reports whether in writes an output, which must not be written where in is not executed.
func (c *combiner) output(in *ir.Instr) (ok bool) {
	in.EachDef(func(v *ir.Value) { ok = ok || c.f.Dialect.FileRole(v.Home.File) == ir.RoleOutput })
	return ok
}

// movable reports whether the lanes of in may be moved.
func movable(in *ir.Instr) bool {
	return in.Op.HasFormula() && in.Op.Info().Shape != ir.Positional && !in.IsPredicated() && !in.Op.Has(ir.Special)
}

// rearranged returns in with lane from[i] in the place of lane i, for every i with from[i] >= 0. Sources of
// replicated ops stay.
func rearranged(in *ir.Instr, from [4]int8) ir.Instr {
	to := *in
	to.Out = [4]*ir.Value{}
	to.Src = append([]ir.Operand(nil), in.Src...)
	if in.Op.Info().Shape == ir.Lanewise {
		for s := range to.Src {
			to.Src[s] = ir.Operand{}
			for i, j := range from {
				if j >= 0 {
					to.Src[s][i] = in.Src[s][j]
				}
			}
		}
	}
	return to
}

// outputs widens instructions whose result is in several components of one output register. They compute it
// once for each, instead of a mov:
//
//	rcp r0.x, r1.x;  mov oT0.xyz, r0.x       rcp oT0.xyz, r1.x
func (c *combiner) outputs() {
	outs := c.f.Outs
	for i := 0; i < len(outs); {
		n := i + 1
		for n < len(outs) && outs[n].Reg.File == outs[i].Reg.File && outs[n].Reg.Index == outs[i].Reg.Index {
			n++
		}
		for k := range outs[i:n] {
			c.widen(outs[i:n], outs[i+k].V)
		}
		i = n
	}
}

// widen makes the definition of v define each component of group that holds v.
func (c *combiner) widen(group []ir.Output, v *ir.Value) {
	def := v.Def
	var lanes [4]int8
	n := int32(0)
	for i := range lanes {
		lanes[i] = -1
	}
	for _, o := range group {
		if o.V == v {
			lanes[o.Reg.Comp] = int8(v.Lane)
			n++
		}
	}
	if c.stop || n < 2 || def == nil || c.reads[v.ID] != n || def.Mask() != 1<<v.Lane || def.Out[v.Lane] != v ||
		!movable(def) {
		return
	}
	to := rearranged(def, lanes)
	for i := range group {
		if o := &group[i]; o.V == v {
			to.Out[o.Reg.Comp] = v
		}
	}
	if !c.legal(&to) || !c.shouldRewrite(def) {
		return
	}
	to.Out = [4]*ir.Value{}
	c.replace(def, to)
	for i := range group {
		o := &group[i]
		if o.V != v {
			continue
		}
		comp := int(o.Reg.Comp)
		home := ir.Reg{File: v.Home.File, Index: v.Home.Index, Comp: o.Reg.Comp}
		if def.Mask() == 0 {
			def.Out[comp], v.Lane, v.Home = v, o.Reg.Comp, home
			c.reads[v.ID] = 1
			continue
		}
		o.V = c.f.Define(def, comp, home)
		c.grow()
		c.reads[o.V.ID] = 1
	}
}

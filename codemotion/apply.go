package codemotion

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

// apply performs the motion on a copy of the unit. It follows the three steps of the paper (section 3.2):
// code moves, registers are replaced, results are passed through varyings. It fails if the vertex program
// lacks constant registers.
func (m *mover) apply(cs []*candidate, fills []fill, bins []*bin) (*passes.Unit, bool) {
	u := m.unit.Clone()
	if !m.rewriteVertex(u, bins) {
		u.Release()
		return nil, false
	}
	for _, b := range bins {
		if b.added && b.fresh != [4]bool{} {
			u.Varyings = append(u.Varyings, b.Varying)
		}
	}
	m.rewritePixel(u.Pixel, cs, fills)
	return u, true
}

// rewriteVertex makes the vertex program of u, a copy of the unit, compute and write the fresh lanes of bins.
// bins name values of the original; local finds the value of the copy, by ID.
func (m *mover) rewriteVertex(u *passes.Unit, bins []*bin) bool {
	t := *m
	t.unit, t.vertex, t.pixel = u, u.Vertex, u.Pixel
	byID := valuesByID(u.Pixel)
	local := func(l ir.Lane) ir.Lane {
		if l.V.Kind == ir.Literal { // the pixel program may not contain it
			return ir.Lane{V: u.Pixel.LiteralAt(l.V.Bits, l.V.Home), Mod: l.Mod}
		}
		return ir.Lane{V: byID[l.V.ID], Mod: l.Mod}
	}

	// 1. The code moves to the end of the vertex program, 2. with its operands replaced.
	h := &hoister{mover: &t, need: map[*ir.Instr]uint8{}, done: map[*ir.Value]*ir.Value{},
		free: without(u.Stages.FreeConstants(u.Vertex), u.Uploads, false), up: u.Uploads}
	for _, b := range bins {
		for k, l := range b.lanes {
			if b.fresh[k] {
				h.needValue(local(l).V)
			}
		}
	}
	if !h.run() {
		return false
	}

	// 3. Its results leave through free components and enter the pixel program there.
	var outs []ir.Output
	for _, b := range bins {
		for k, l := range b.lanes {
			if !b.fresh[k] {
				continue
			}
			v := h.value(local(l).V)
			if v == nil {
				return false
			}
			out := b.Out
			out.Comp = uint8(k)
			outs = append(outs, ir.Output{Reg: out, V: t.plain(v, l.Mod)})
		}
	}
	setOutputs(u.Vertex, outs)
	u.Uploads = h.up
	return true
}

// rewritePixel makes a copy of the pixel program read the components in bins instead of cs, and sweeps dead
// code.
func (m *mover) rewritePixel(pixel *ir.Func, cs []*candidate, fills []fill) {
	uses := usesIn(cs, pixel, m.pixel)
	for i, c := range cs {
		var to [4]*ir.Value
		for k, l := range c.lanes {
			if l.V != nil {
				in := fills[i].bin.In
				in.Comp = fills[i].comp[k]
				to[k] = pixel.Leaf(ir.Input, in)
			}
		}
		for _, x := range uses[i] {
			x.redirect(pixel, c, to)
		}
	}
	cleanup.Sweep(pixel)
}

// plain returns v with a modifier applied, as a value: outputs have no modifiers.
func (m *mover) plain(v *ir.Value, mod ir.LaneMod) *ir.Value {
	if mod == 0 {
		return v
	}
	mv := &ir.Instr{Op: ir.OpMov, Orig: -1, Src: []ir.Operand{ir.Splat(ir.Lane{V: v, Mod: mod})}}
	m.vertex.Body.Code = append(m.vertex.Body.Code, mv)
	return m.vertex.Define(mv, 0, ir.Reg{})
}

// redirect makes one use of candidate c read the values in to.
func (x *use) redirect(f *ir.Func, c *candidate, to [4]*ir.Value) {
	if x.in == nil {
		for k, at := range x.outs {
			if at >= 0 && to[k] != nil {
				f.Outs[at].V = to[k]
			}
		}
		return
	}
	for k := range x.in.Src[x.src] {
		l := &x.in.Src[x.src][k]
		if to[k] == nil || l.V == nil {
			continue
		}
		l.V = to[k]
		// The modifier that moved along is not applied again.
		l.Mod ^= c.lanes[k].Mod
	}
}

// usesIn finds the uses of the candidates in a clone of the pixel program: the walks over both
// visit corresponding instructions in the same order.
func usesIn(cs []*candidate, clone, orig *ir.Func) [][]use {
	twin := map[*ir.Instr]*ir.Instr{}
	var order []*ir.Instr
	orig.Walk(func(in *ir.Instr) { order = append(order, in) })
	i := 0
	clone.Walk(func(in *ir.Instr) {
		twin[order[i]] = in
		i++
	})
	out := make([][]use, len(cs))
	for k, c := range cs {
		for _, x := range c.uses {
			if x.in != nil {
				x.in = twin[x.in]
			}
			out[k] = append(out[k], x)
		}
	}
	return out
}

// valuesByID lists the values of f by ID, which finds the values of a clone.
func valuesByID(f *ir.Func) []*ir.Value {
	vals := make([]*ir.Value, f.NumValues())
	see := func(v *ir.Value) { vals[v.ID] = v }
	f.Walk(func(in *ir.Instr) {
		in.EachUse(func(l *ir.Lane) { see(l.V) })
		in.EachDef(see)
	})
	for _, o := range f.Outs {
		see(o.V)
	}
	return vals
}

// setOutputs adds outs to the outputs of f, replacing old ones, and sweeps the code of replaced ones.
func setOutputs(f *ir.Func, outs []ir.Output) {
	old := len(f.Outs)
	f.Outs = slices.DeleteFunc(f.Outs, func(o ir.Output) bool {
		return slices.ContainsFunc(outs, func(p ir.Output) bool { return p.Reg == o.Reg })
	})
	if len(f.Outs) < old {
		defer cleanup.Sweep(f)
	}
	f.Outs = append(f.Outs, outs...)
	slices.SortFunc(f.Outs, func(a, b ir.Output) int { return a.Reg.Compare(b.Reg) })
}

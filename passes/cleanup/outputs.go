package cleanup

import "github.com/shaderlift/shaderlift/ir"

// outputs makes outputs read the sources of moves.
func (p *propagator) outputs() {
	outs := p.f.Outs
	for len(outs) > 0 {
		n := 1
		for n < len(outs) && outs[n].Reg.File == outs[0].Reg.File && outs[n].Reg.Index == outs[0].Reg.Index {
			n++
		}
		for p.output(outs[:n]) {
		}
		outs = outs[n:]
	}
}

// output looks through one layer of moves into the components of one register. It takes all of them if one
// move could write the result, or with mixed. Otherwise it takes the components whose value only this output
// reads and that can be computed in place.
func (p *propagator) output(outs []ir.Output) bool {
	whole := &ir.Instr{Op: ir.OpMov, Src: []ir.Operand{{}}}
	var src [4]*ir.Value
	for _, o := range outs {
		c := o.Reg.Comp
		whole.Src[0][c] = ir.Lane{V: o.V}
		if l := p.from[o.V.ID]; l.V != nil && l.Mod == 0 && !l.V.IsLoaded() {
			whole.Src[0][c], src[c] = l, l.V
		}
	}
	all := p.mixed || p.readable(whole, 0)
	changed := false
	for i := range outs {
		o := &outs[i]
		v := src[o.Reg.Comp]
		if v == nil || !all && !p.inPlace(o, v) ||
			!p.c.ShouldRewrite(o.V.Def, outputCopied, "written to an output without the copy") {
			continue
		}
		by := o.V.Def
		if v.Def != nil {
			v.Def.TakeIn(by, outputCopied)
		}
		o.Also = o.Also.Behind(by.Pos, outputCopied, by.Also)
		p.dropReader(o.V)
		p.uses[v.ID]++
		o.V = v
		changed = true
	}
	return changed
}

// outputCopied is the code of rewrites that make outputs read the source of a move.
const outputCopied = "copy-output"

// inPlace reports whether v can be computed directly as output o: it has no other reader, and the right
// component.
func (p *propagator) inPlace(o *ir.Output, v *ir.Value) bool {
	return v.Def != nil && len(v.Def.Sub) == 0 && p.uses[v.ID] == 1 && p.uses[o.V.ID] == 1 &&
		v.ReadComponent() == int(o.Reg.Comp)
}

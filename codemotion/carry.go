package codemotion

import (
	"fmt"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Carry makes the vertex program of u pass host constants to the pixel program as varyings. The callback
// beyond selects the constants, such as those that a model has no registers for. The host must then set them
// in the vertex stage, as [passes.Unit.Uploads] records; mirrors reports which ones it can set, nil for all.
// Carry fails if registers do not suffice.
func Carry(u *passes.Unit, mirrors func(register uint16) bool, beyond func(r ir.Reg) bool) error {
	m := &mover{ctx: &passes.Ctx{HostMirrored: true, Mirrors: mirrors}, unit: u, mirrored: true}
	if err := m.prepare(u); err != nil {
		return err
	}
	// Every operand that reads such constants is a candidate, whole or in part.
	var cs []*candidate
	by := map[[4]ir.Lane]*candidate{}
	add := func(o *ir.Operand, x use) {
		var lanes [4]ir.Lane
		for i, l := range o {
			if l.V != nil && l.V.Kind == ir.Uniform && beyond(l.V.Home) {
				lanes[i].V = l.V
			}
		}
		if lanes == ([4]ir.Lane{}) {
			return
		}
		c := by[lanes]
		if c == nil {
			c = &candidate{lanes: lanes}
			by[lanes], cs = c, append(cs, c)
		}
		c.uses = append(c.uses, x)
	}
	m.pixel.Walk(func(in *ir.Instr) {
		for s := range in.Src {
			add(&in.Src[s], use{in: in, src: s})
		}
	})
	// Outputs that are constants themselves.
	for i, o := range m.pixel.Outs {
		x := use{outs: [4]int{-1, -1, -1, -1}}
		x.outs[o.Reg.Comp] = i
		var alone ir.Operand
		alone[o.Reg.Comp].V = o.V
		add(&alone, x)
	}
	if len(cs) == 0 {
		return nil
	}
	for _, c := range cs {
		for _, l := range c.lanes {
			if l.V != nil && !m.movable[l.V.ID] {
				return fmt.Errorf("the host cannot set %s in the vertex program", u.Pixel.Dialect.RegName(l.V.Home))
			}
		}
	}
	fills, bins, ok := m.packCandidates(cs)
	if !ok {
		return fmt.Errorf("no interpolators are free for %d constants", len(cs))
	}
	t, ok := m.apply(cs, fills, bins)
	if !ok {
		return fmt.Errorf("the vertex program has no free constant registers for %d more", len(cs))
	}
	*u = *t
	return nil
}

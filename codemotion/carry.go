package codemotion

import (
	"fmt"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Carry has the vertex program of u hand over the constants of the host that the pixel
// program reads and that beyond tells of, such as those that a model has no registers for.
// The host has to set them in the vertex stage, as [passes.Unit.Uploads] then says; mirrors
// tells which it can, nil for all. It fails where registers do not suffice.
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
	// Results that are constants themselves.
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
	fills, bins, ok := m.pack(cs)
	if !ok {
		return fmt.Errorf("there are no interpolators left for %d constants", len(cs))
	}
	t, ok := m.apply(cs, fills, bins)
	if !ok {
		return fmt.Errorf("the vertex program has no constant registers left for %d more", len(cs))
	}
	*u = *t
	return nil
}

package unroll

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// site is a loop and the region that contains it.
type site struct {
	in    *ir.Instr
	owner *ir.Region
}

// sequence is a list of positions in the body of a loop, in order.
type sequence []int

// sites lists the loops of f, inner ones first.
func sites(f *ir.Func) (list []site) {
	f.EachRegion(func(r *ir.Region) {
		for _, in := range r.Code {
			if in.Op == ir.OpLoop {
				list = append(list, site{in, r})
			}
		}
	})
	return list
}

// values returns the values that the loop defines.
func (s site) values() map[*ir.Value]bool {
	body := s.in.Sub[0]
	inside := map[*ir.Value]bool{body.Index: true}
	for _, v := range body.Params {
		inside[v] = true
	}
	body.Walk(func(in *ir.Instr) {
		in.EachDef(func(v *ir.Value) { inside[v] = true })
	})
	return inside
}

// reads reports whether in, or code within it, reads one of the values.
func reads(in *ir.Instr, values map[*ir.Value]bool) (found bool) {
	in.EachUse(func(l *ir.Lane) { found = found || values[l.V] })
	return found
}

// worthwhile returns list without copies that nothing else on it reads: a copy alone saves nothing.
func (s site) worthwhile(list sequence) (kept sequence) {
	wanted := map[*ir.Value]bool{}
	for _, i := range slices.Backward(list) {
		in := s.in.Sub[0].Code[i]
		needed := in.Op != ir.OpMov
		in.EachDef(func(v *ir.Value) { needed = needed || wanted[v] })
		if needed {
			in.EachUse(func(l *ir.Lane) { wanted[l.V] = true })
			kept = append(kept, i)
		}
	}
	slices.Reverse(kept)
	return kept
}

// needs returns position k of list and the earlier ones it depends on: its slice.
func (s site) needs(list sequence, k int) sequence {
	wanted := map[*ir.Value]bool{}
	var places sequence
	for ; k >= 0; k-- {
		in := s.in.Sub[0].Code[list[k]]
		needed := len(places) == 0
		in.EachDef(func(v *ir.Value) { needed = needed || wanted[v] })
		if needed {
			in.EachUse(func(l *ir.Lane) { wanted[l.V] = true })
			places = append(places, list[k])
		}
	}
	slices.Reverse(places)
	return places
}

// hoistList moves the listed instructions that step agrees to before the loop, and reports whether any moved.
// Readers of an instruction that stays also stay.
func (s site) hoistList(list sequence, step passes.Grant) bool {
	body, inside := s.in.Sub[0], s.values()
	var moved, rest []*ir.Instr
	for i, in := range body.Code {
		if len(list) > 0 && list[0] == i {
			list = list[1:]
			if !reads(in, inside) && step(in, "preloaded", "moved before the loop") {
				in.EachDef(func(v *ir.Value) { delete(inside, v) })
				moved = append(moved, in)
				continue
			}
		}
		rest = append(rest, in)
	}
	if len(moved) == 0 {
		return false
	}
	body.Code = rest
	at := slices.Index(s.owner.Code, s.in)
	s.owner.Code = slices.Insert(s.owner.Code, at, moved...)
	return true
}

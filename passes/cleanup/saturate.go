package cleanup

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// saturate moves the clamping of mov_sat into the instructions that compute the clamped values. clamp(f(x))
// is the same term in both forms; no other instruction may need f(x).
func (p *propagator) saturate(r *ir.Region) {
	for k := 0; k < len(r.Code); k++ {
		in := r.Code[k]
		for _, sub := range in.Sub {
			p.saturate(sub)
		}
		if in.Op != ir.OpMov || in.Mods&ir.Sat == 0 || in.IsPredicated() || in.Mask() == 0 {
			continue
		}
		producer, alone := p.producer(in)
		at := k
		if producer != nil && !alone {
			at = slices.Index(r.Code[:k], producer)
		}
		if producer == nil || at < 0 || !p.c.ShouldRewrite(producer, clamped, "clamped in place of a mov") {
			continue
		}
		// Lanes that are not clamped stay in a separate instruction.
		if !alone {
			part, err := ir.Split(producer, in.Mask())
			if err != nil {
				continue // never: the mask is a proper subset of its lanes
			}
			producer, r.Code = part, slices.Insert(r.Code, at+1, part)
			k++
		}
		producer.Mods |= ir.Sat
		producer.TakeIn(in, clamped)
		if p.saturated == nil {
			p.saturated = map[*ir.Value]ir.Lane{}
		}
		for i, v := range in.Out {
			if v != nil {
				src := in.Src[0][i].V
				p.saturated[v] = ir.Lane{V: src}
				p.uses[src.ID], p.uses[v.ID] = p.uses[src.ID]+p.uses[v.ID], 0
			}
		}
		p.touched[in] = true
	}
}

// clamped is the code of rewrites that move the clamping of a mov.
const clamped = "clamp"

// producer returns the instruction whose results mov clamps and no other instruction reads, if it can clamp
// them. Lane i of it must be lane i of mov, so that readers find the lanes in place. If it also computes
// other lanes, it is not alone. The clamped lanes then take a separate instruction, which costs as much as
// the mov.
func (p *propagator) producer(mov *ir.Instr) (by *ir.Instr, alone bool) {
	for i, v := range mov.Out {
		if v == nil {
			continue
		}
		l := mov.Src[0][i]
		if l.Mod != 0 || l.V.Def == nil || by != nil && l.V.Def != by || l.V.Def.Out[i] != l.V {
			return nil, false
		}
		by = l.V.Def
	}
	if !by.Op.HasFormula() || by.IsPredicated() || by.Mods&ir.Sat != 0 {
		return nil, false
	}
	alone = true
	for i, v := range by.Out {
		switch {
		case v == nil:
		case mov.Out[i] != nil && p.uses[v.ID] != 1:
			return nil, false
		case mov.Out[i] == nil && p.uses[v.ID] > 0:
			alone = false
		}
	}
	if !alone && p.f.Dialect.Slots(by) != p.f.Dialect.Slots(mov) {
		return nil, false
	}
	sat := *by
	sat.Mods |= ir.Sat
	if !p.f.Dialect.Encodable(&sat) {
		return nil, false
	}
	return by, alone
}

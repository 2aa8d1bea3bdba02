package amdil

import "github.com/shaderlift/shaderlift/asm/il"

// laneRequest is what one position of an operand is to read, its sign included.
type laneRequest struct {
	set bool
	sel il.Sel // SelNone for anything
	neg bool
}

// swizzle chooses the swizzle and the signs of an operand: those of hint, the operand of the input,
// if they say the same; else none, one letter, or four. A short swizzle of two or three letters is
// never made up: which lanes it goes to depends on the mask (see [il.Swizzle.Packed]).
func (w *writer) swizzle(out *il.Src, shape il.SourceShape, wants *[4]laneRequest, lanes il.Lanes, hint *il.Src) {
	if hint != nil && hint.Reg == out.Reg && hint.Div == il.NoDivComp && hint.Mods == out.Mods && fits(hint, shape, wants, lanes) {
		out.Swz, out.Neg = hint.Swz, hint.Neg
		return
	}
	// same: all positions read one component. identity: each reads its own. all: every position
	// that reads something is negated.
	var sels []il.Sel
	same, identity := true, true
	all := true // that are read are negated
	last := il.SelNone
	for i, x := range wants {
		if !x.set {
			continue
		}
		if x.neg {
			out.Neg |= 1 << i
		} else if x.sel != il.SelNone {
			all = false
		}
		if x.sel == il.SelNone {
			continue
		}
		same = same && (last == il.SelNone || last == x.sel)
		identity = identity && x.sel == il.Sel(i)
		last = x.sel
	}
	// Positions that read nothing are negated along, so that the modifier names all lanes.
	if all && out.Neg != 0 {
		out.Neg = il.AllLanes
	}
	switch {
	case last == il.SelNone:
		return
	case same || shape == il.Scalar:
		sels = []il.Sel{last}
	case identity:
		return
	default:
		// Positions that read nothing repeat the letter before them; those in front of the first
		// that is read have its letter.
		for _, x := range wants {
			if last = x.sel; x.set && x.sel != il.SelNone {
				break
			}
		}
		for _, x := range wants {
			if x.set && x.sel != il.SelNone {
				last = x.sel
			}
			sels = append(sels, last)
		}
	}
	out.Swz = il.MakeSwizzle(sels...)
}

// fits reports whether an operand that is written as hint reads what it is to.
// Positions of a short swizzle are packed onto the mask.
func fits(hint *il.Src, shape il.SourceShape, wants *[4]laneRequest, lanes il.Lanes) bool {
	sels := hint.Swz.Vector()
	if shape == il.LaneWise {
		sels = hint.Swz.Packed(maskOf(lanes))
	}
	k := 0
	for i, x := range wants {
		place := i
		if n := hint.Swz.Len(); shape == il.LaneWise && (n == 2 || n == 3) {
			place = min(k, n-1)
		}
		if lanes.Has(i) {
			k++
		}
		if !x.set || x.sel == il.SelNone {
			continue
		}
		if sels[i] != x.sel || hint.Neg.Has(place) != x.neg {
			return false
		}
		if shape == il.Scalar {
			break
		}
	}
	return true
}

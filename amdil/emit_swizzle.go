package amdil

import "github.com/shaderlift/shaderlift/asm/il"

// laneRequest is the component and sign that one position of an operand must read.
type laneRequest struct {
	set bool
	sel il.Sel // SelNone means any
	neg bool
}

// swizzle chooses the swizzle and the signs of an operand. It reuses the spelling of hint, the operand of the
// input, if that is equivalent. Otherwise it writes no letter, one letter, or four. It never invents a short
// swizzle of two or three letters, because its lanes depend on the mask (see [il.Swizzle.Packed]).
func (w *writer) swizzle(out *il.Src, shape il.SourceShape, wants *[4]laneRequest, lanes il.Lanes, hint *il.Src) {
	if hint != nil && hint.Reg == out.Reg && hint.Div == il.NoDivComp && hint.Mods == out.Mods &&
		swizzleFits(hint, shape, wants, lanes) {
		out.Swz, out.Neg = hint.Swz, hint.Neg
		return
	}
	// same: all positions read one component. identity: each position reads the component of that position.
	// all: every position that is read is negated.
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
	// Unread positions are negated too, so that the modifier names all lanes.
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
		// Unread positions repeat the letter before them; those in front of the first read position take its
		// letter.
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

// swizzleFits reports whether an operand spelled as hint satisfies wants. Positions of a short swizzle are packed
// onto the mask.
func swizzleFits(hint *il.Src, shape il.SourceShape, wants *[4]laneRequest, lanes il.Lanes) bool {
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

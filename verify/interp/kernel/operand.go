package kernel

import (
	"github.com/shaderlift/shaderlift/asm/il"
)

// lowering is the compilation of one statement: operands in slots, steps, and a destination.
type lowering struct {
	*compiler
	in    *il.Inst
	code  []uop
	temps int // in use
}

// emit adds a step.
func (l *lowering) emit(u uop) { l.code = append(l.code, u) }

// allocateTemp returns a slot that nothing else in the statement uses. No temporary is live across statements, so
// statements share them.
func (l *lowering) allocateTemp() slot {
	if l.temps == len(l.compiler.temps) {
		l.compiler.temps = append(l.compiler.temps, l.allocate(1))
	}
	l.temps++
	return l.compiler.temps[l.temps-1]
}

// emitVector computes into a temporary.
func (l *lowering) emitVector(fn vecFn, s ...slot) slot {
	d := l.allocateTemp()
	l.emit(vecUop(fn, d, s...))
	return d
}

// float returns a slot with a number in every lane.
func (l *lowering) float(x float32) slot { return l.literal(resultWord(x)) }

// noSlot marks a component that is not read or not written.
const noSlot slot = -1

// operand returns the slots of the lanes of source i, and noSlot for lanes that are not needed. If the
// operand is read lane by lane, lanes are those of the destination.
//
// Negation of a lane is given by position: that of the destination if the operand is read lane by lane. A
// swizzle with two or three positions is distributed over the lanes, and the positions are then those of
// the swizzle. For pairs of words only this interpretation agrees with kernels that negate doubles.
func (l *lowering) operand(i int, lanes il.Lanes) [4]slot {
	src := &l.in.Src[i]
	sels := src.Swz.Vector()
	place := [4]int{0, 1, 2, 3}
	if l.in.Op.SourceShape(i) == il.LaneWise {
		var mask il.Mask
		for c, k := 0, 0; c < 4; c++ {
			if !lanes.Has(c) {
				continue
			}
			mask |= il.Mask(il.Result) << (2 * c)
			if n := src.Swz.Len(); n == 2 || n == 3 {
				place[c] = min(k, n-1)
			}
			k++
		}
		sels = src.Swz.Packed(mask)
	}
	var neg il.Lanes
	for c := range 4 {
		if !lanes.Has(c) {
			sels[c] = il.SelNone
		} else if src.Neg.Has(place[c]) {
			neg |= 1 << c
		}
	}
	return l.modified(src, sels, neg, rowOf(l.in.Op).integer)
}

// scalar returns the first component of source i.
func (l *lowering) scalar(i int) slot { return l.operand(i, 1)[0] }

// modified applies the modifiers of an operand, once for each component that is read. Arithmetic modifiers
// use float arithmetic for every instruction. Negation is that of a float unless the instruction operates
// on integers.
func (l *lowering) modified(src *il.Src, sels [4]il.Sel, neg il.Lanes, integer bool) [4]slot {
	at := l.components(src, sels)
	if src.Mods == 0 && src.Div == il.NoDivComp && neg == 0 {
		return at
	}
	divisor := noSlot
	switch src.Div {
	case il.NoDivComp:
	case il.DivUnknown:
		l.fail(l.in, "unsupported-modifier", "a division by an unknown component cannot be executed")
	default:
		divisor = l.components(src, [4]il.Sel{il.SelX + il.Sel(src.Div-il.DivY) + 1, il.SelNone, il.SelNone, il.SelNone})[0]
	}
	var done [4]slot
	for c := range at {
		if at[c] == noSlot {
			done[c] = noSlot
			continue
		}
		same := -1
		for b := range c {
			if sels[b] == sels[c] && neg.Has(b) == neg.Has(c) {
				same = b
			}
		}
		if same >= 0 {
			done[c] = done[same]
			continue
		}
		done[c] = l.modify(src, at[c], divisor, neg.Has(c), integer)
	}
	return done
}

// modify applies modifiers to one component, in this order: invert (1-x), bias (x-1/2), x2, sign, divComp,
// abs, neg. The order is an interpretation: the specification does not combine most of them.
func (l *lowering) modify(src *il.Src, at, divisor slot, neg, integer bool) slot {
	if src.Mods&il.Invert != 0 {
		at = l.emitVector(subVec, l.float(1), at)
	}
	if src.Mods&il.Bias != 0 {
		at = l.emitVector(addVec, at, l.float(-0.5))
	}
	if src.Mods&il.X2 != 0 {
		at = l.emitVector(mulVec, at, l.float(2))
	}
	if src.Mods&il.Sign != 0 {
		at = l.emitVector(each1(sign), at)
	}
	if divisor != noSlot {
		at = l.emitVector(each2(quotient(il.ZeroDefault)), at, divisor)
	}
	if src.Mods&il.Abs != 0 {
		at = l.emitVector(absVec, at)
	}
	switch {
	case neg && integer:
		at = l.emitVector(inegVec, at)
	case neg:
		at = l.emitVector(negVec, at)
	}
	return at
}

// components returns the slots of the components of a register, by position of the swizzle. It loads
// components of memory, each once.
func (l *lowering) components(src *il.Src, sels [4]il.Sel) (at [4]slot) {
	var have [4]slot // by component
	for c := range have {
		have[c] = noSlot
	}
	if l.isLoad(src) {
		l.loadElement(src, sels, &have)
	}
	for lane, sel := range sels {
		switch sel {
		case il.SelNone:
			at[lane] = noSlot
		case il.Sel0:
			at[lane] = l.literal(0)
		case il.Sel1:
			at[lane] = l.literal(oneBits)
		default:
			if have[sel] == noSlot {
				have[sel] = l.component(src, int(sel))
			}
			at[lane] = have[sel]
		}
	}
	return at
}

// component returns a component of a register at a known location.
func (l *lowering) component(src *il.Src, c int) slot {
	switch src.File {
	case il.Temp, il.Output, il.Address, il.Depth, il.SampleMask:
		return l.regs[src.Reg] + slot(c)
	case il.TempArray:
		if int64(src.Offset) >= int64(l.sizes[src.Reg]) {
			return l.literal(0)
		}
		return l.regs[src.Reg] + slot(4*int(src.Offset)+c)
	case il.Literal:
		return l.literal(l.words[src.Reg][c])
	case il.ConstBuf:
		if src.Num >= Banks {
			l.fail(l.in, "register-range", "constant buffers are cb0 to cb%d", Banks-1)
		}
		return l.constant(src.Reg, src.Offset, c)
	case il.ImmConstBuf, il.ConstInt:
		return l.constant(src.Reg, src.Offset, c)
	case il.Input, il.WinCoord, il.ObjIndex, il.AbsThreadID, il.AbsThreadFlat, il.GroupThreadID, il.GroupThreadFlat,
		il.GroupID, il.GroupFlat, il.Face, il.PrimitiveID, il.InstanceID:
		return l.input(src.Reg, c)
	}
	l.fail(l.in, "unsupported-register", "%s cannot be executed", src.Reg)
	return l.literal(0)
}

// index returns the computed part of an index, or 0.
func (l *lowering) index(a il.Addr) slot {
	if a.Rel == nil {
		return l.literal(0)
	}
	return l.components(a.Rel, [4]il.Sel{a.Rel.Swz.Vector()[0], il.SelNone, il.SelNone, il.SelNone})[0]
}

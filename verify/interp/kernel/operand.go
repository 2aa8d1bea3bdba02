package kernel

import (
	"github.com/shaderlift/shaderlift/asm/il"
)

// lowering is the compilation of one statement: operands into slots, steps, and a destination.
type lowering struct {
	*compiler
	in    *il.Inst
	code  []uop
	temps int // in use
}

// emit adds a step.
func (l *lowering) emit(u uop) { l.code = append(l.code, u) }

// temp is a slot that nothing else in the statement uses. Statements share temporaries, since none
// lives on.
func (l *lowering) temp() slot {
	if l.temps == len(l.compiler.temps) {
		l.compiler.temps = append(l.compiler.temps, l.allocate(1))
	}
	l.temps++
	return l.compiler.temps[l.temps-1]
}

// vec computes into a temporary.
func (l *lowering) vec(fn vecFn, s ...slot) slot {
	d := l.temp()
	l.emit(vecUop(fn, d, s...))
	return d
}

// float is a slot with a number in every lane.
func (l *lowering) float(x float32) slot { return l.literal(word(x)) }

// noSlot stands for what is not read or not written.
const noSlot slot = -1

// operand returns the slots of the lanes of source i, and noSlot for lanes that are not needed. Of
// an operand that is read lane by lane, lanes are those of the destination.
//
// A negated lane is given by its place: of the destination where the operand is read lane by lane;
// but of the swizzle if that has two or three places, which are dealt out to the lanes. For pairs
// of words this is the one reading that agrees with kernels that negate doubles.
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

// scalar is the first component of source i.
func (l *lowering) scalar(i int) slot { return l.operand(i, 1)[0] }

// modified applies the modifiers of an operand, once for each component that is read. Modifiers
// that do arithmetic do it as float instructions, whatever the instruction; negation is that of a
// float unless the instruction works on integers.
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

// modify applies modifiers to one component, in this order: invert (1-x), bias (x-1/2), x2, sign,
// divComp, abs, neg. The order is a reading of the specification, which does not combine most of
// them.
func (l *lowering) modify(src *il.Src, at, divisor slot, neg, integer bool) slot {
	if src.Mods&il.Invert != 0 {
		at = l.vec(subVec, l.float(1), at)
	}
	if src.Mods&il.Bias != 0 {
		at = l.vec(addVec, at, l.float(-0.5))
	}
	if src.Mods&il.X2 != 0 {
		at = l.vec(mulVec, at, l.float(2))
	}
	if src.Mods&il.Sign != 0 {
		at = l.vec(each1(sign), at)
	}
	if divisor != noSlot {
		at = l.vec(each2(quotient(il.ZeroDefault)), at, divisor)
	}
	if src.Mods&il.Abs != 0 {
		at = l.vec(absVec, at)
	}
	switch {
	case neg && integer:
		at = l.vec(inegVec, at)
	case neg:
		at = l.vec(negVec, at)
	}
	return at
}

// components is where components of a register are, by place of the swizzle. Those of memory are
// loaded, each once.
func (l *lowering) components(src *il.Src, sels [4]il.Sel) (at [4]slot) {
	var have [4]slot // by component
	for c := range have {
		have[c] = noSlot
	}
	if l.isLoad(src) {
		l.load(src, sels, &have)
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

// component is a component of a register whose place is known.
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

// index is the computed part of an index, 0 if there is none.
func (l *lowering) index(a il.Addr) slot {
	if a.Rel == nil {
		return l.literal(0)
	}
	return l.components(a.Rel, [4]il.Sel{a.Rel.Swz.Vector()[0], il.SelNone, il.SelNone, il.SelNone})[0]
}

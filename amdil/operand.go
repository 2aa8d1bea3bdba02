package amdil

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
)

// one is 1.0.
const one = 0x3f800000

// operand reads the lanes of source i of in.
//
// Negation is by position. For lane-wise operands that is the position of the destination, except that a
// short swizzle has its own positions. No known program distinguishes the two.
//
// Selection: four letters, one, or none are positional. Two or three letters are packed onto the written
// lanes, the first letter for the first of them. In
//
//	add r0.xz, r1.xy, r2
//
// lane z reads r1.y and r2.z.
func (l *lifter) operand(in *il.Inst, i int, lanes il.Lanes) ir.Operand {
	src := &in.Src[i]
	sels := src.Swz.Vector()
	var neg [4]ir.LaneMod
	place := [4]int{0, 1, 2, 3}
	// The written lanes of the result, in order: the k-th reads the k-th letter.
	if in.Op.SourceShape(i) == il.LaneWise && in.HasDst {
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
	for c := range 4 {
		if !lanes.Has(c) {
			sels[c] = il.SelNone
		}
		if src.Neg.Has(place[c]) {
			neg[c] = ir.Neg
		}
	}
	return l.selected(src, sels, neg)
}

// selected reads an operand whose lanes select sels. Negation by neg comes after all other modifiers (AMD IL
// Specification, source modifiers: swizzle; invert, bias and x2; sign; divComp; abs; neg).
func (l *lifter) selected(src *il.Src, sels [4]il.Sel, neg [4]ir.LaneMod) ir.Operand {
	o := l.components(src, sels)
	o = l.modified(src, sels, o)
	mod := ir.LaneMod(0)
	if src.Mods&il.Abs != 0 {
		mod = ir.Abs
	}
	o.EachLane(func(c int, lane *ir.Lane) {
		lane.Mod = lane.Mod.ComposeWith(mod).ComposeWith(neg[c])
	})
	return o
}

// components reads components of a register. A load is appended after the first component, once all of its
// components are known.
func (l *lifter) components(src *il.Src, sels [4]il.Sel) (o ir.Operand) {
	var comp [4]*ir.Value // values of components, once read
	value := func(c int) *ir.Value { return l.component(src, c) }
	if load := l.loadElement(src); load != nil {
		value = func(c int) *ir.Value {
			if load.Out[c] == nil {
				l.f.Define(load, c, ir.Reg{})
			}
			return load.Out[c]
		}
		defer func() {
			if load.Mask() != 0 {
				*l.code = append(*l.code, load)
			}
		}()
	}
	for lane, sel := range sels {
		switch sel {
		case il.SelNone:
		case il.Sel0:
			o[lane].V = l.f.Const(0)
		case il.Sel1:
			o[lane].V = l.f.Const(one)
		default:
			if comp[sel] == nil {
				comp[sel] = value(int(sel))
			}
			o[lane].V = comp[sel]
		}
	}
	return o
}

// component returns the value of component c of a register that needs no instruction to read.
func (l *lifter) component(src *il.Src, c int) *ir.Value {
	r := ComponentReg(src.Reg, src.Offset, c)
	switch src.File {
	case il.Literal:
		return l.f.LiteralAt(l.literals[src.Num][c], r)
	case il.ConstBuf, il.ImmConstBuf, il.ConstInt:
		return l.f.Leaf(ir.Uniform, r)
	}
	if isVariable(src.File) {
		return l.readSlot(l.live.slotNumber(r))
	}
	return l.f.Leaf(ir.Input, r)
}

// loadElement returns the instruction that reads an element of an array, or nil if none is needed. Loads read memory
// that can change, constants with an index, and constants whose number is too large to encode.
func (l *lifter) loadElement(src *il.Src) *ir.Instr {
	op, state := ir.OpLoad, []*ir.Value(nil)
	if base, ok := spaceNamed(src.Reg); ok {
		op, state = ir.OpMemLoad, []*ir.Value{l.readSlot(l.live.slotNumber(stateHome(base)))}
		// Elements that fit into the number of a register are leaves, see Reg; other elements are loaded.
	} else if tooFar := src.Num>>(16-constBits) != 0 ||
		src.Offset>>constBits != 0; !(src.File == il.ConstBuf && (src.Rel != nil || tooFar) ||
		src.File == il.ImmConstBuf && src.Rel != nil) {
		return nil
	}
	return &ir.Instr{Op: op, Base: ir.Reg{File: ir.File(src.File), Index: src.Num}, Imm: src.Offset, Args: state,
		Src: []ir.Operand{ir.Splat(l.offset(src.Addr))}, Orig: l.at, Pos: l.pos}
}

// modified applies the modifiers that need instructions, in their order: _invert is 1-x, _bias x-0.5, _x2 2x,
// _sign the sign, _divComp divides by a component.
func (l *lifter) modified(src *il.Src, sels [4]il.Sel, o ir.Operand) ir.Operand {
	constant := func(f float32) ir.Lane { return ir.Lane{V: l.f.Const(math.Float32bits(f))} }
	// apply replaces every lane of o by op applied to it.
	apply := func(op ir.Op, args func(x ir.Lane) []ir.Lane) {
		in := l.instr(op)
		for i := range o {
			if o[i].V == nil {
				continue
			}
			for s, a := range args(o[i]) {
				if s == len(in.Src) {
					in.Src = append(in.Src, ir.Operand{})
				}
				in.Src[s][i] = a
			}
			o[i] = ir.Lane{V: l.f.Define(in, i, ir.Reg{})}
		}
	}
	if src.Mods&il.Invert != 0 {
		apply(ir.OpAdd, func(x ir.Lane) []ir.Lane { return []ir.Lane{constant(1), {V: x.V, Mod: ir.Neg}} })
	}
	if src.Mods&il.Bias != 0 {
		apply(ir.OpAdd, func(x ir.Lane) []ir.Lane { return []ir.Lane{x, constant(-0.5)} })
	}
	if src.Mods&il.X2 != 0 {
		apply(ir.OpMul, func(x ir.Lane) []ir.Lane { return []ir.Lane{x, constant(2)} })
	}
	if src.Mods&il.Sign != 0 {
		apply(ir.OpSgn, func(x ir.Lane) []ir.Lane { return []ir.Lane{x} })
	}
	switch src.Div {
	case il.NoDivComp:
	case il.DivUnknown:
		l.fail("not-supported", "divComp(unknown) is not supported")
	default:
		by := l.components(src, [4]il.Sel{il.Sel(src.Div), il.SelNone, il.SelNone, il.SelNone})[0]
		mode := ir.Lane{V: l.f.Const(uint32(il.ZeroDefault))}
		apply(ir.OpDiv, func(x ir.Lane) []ir.Lane { return []ir.Lane{x, by, mode} })
	}
	return o
}

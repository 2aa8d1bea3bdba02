package vsps

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// numbers are what an operand needs of a constant register: bits in the components of set.
type numbers struct {
	bits [4]uint32
	set  d3d9.Mask
}

// constant puts literals into a constant register that the program defines, as the modifier makes
// them, so that none is needed: mad r0, r1_bx2 of a literal would need one. Numbers outside of
// -1..1 cannot be had, as constants are clamped. It tries in turn the definitions as they are,
// under each swizzle; those that this emission added and that have components left; and a new one
// in a register that neither the program nor the host uses.
func (x *fixedEmitter) constant(o ir.Operand, mod d3d9.SrcMod) (f fixedOperand, err error) {
	var want numbers
	for c, l := range o {
		if l.V != nil && l.V.Kind == ir.Literal {
			w := scaledLiteral(l.Mod.Apply(l.V.Bits), mod)
			if clampedConstant(w) != w {
				return f, errFixed
			}
			want.bits[c], want.set = w, want.set|1<<c
		}
	}
	for k := range x.defs {
		if f, ok := x.defs[k].operand(want, x.model); ok {
			return f, nil
		}
	}
	// Only definitions that were added may grow: the components of the others are the program's
	// own.
	for k := range x.defs {
		if d := &x.defs[k]; d.added && d.add(want) {
			f, _ = d.operand(want, x.model)
			return f, nil
		}
	}
	if x.free == nil {
		x.free = freeConstants(x.orig, x.e.host, x.f)
	}
	for _, r := range x.free {
		if findDef(x.defs, r) < 0 {
			d := constDef{reg: r, added: true}
			d.add(want)
			x.defs = append(x.defs, d)
			f, _ = d.operand(want, x.model)
			return f, nil
		}
	}
	return f, errFixed
}

// operand reads the numbers in the register, if it has them under some swizzle of the model.
func (d *constDef) operand(want numbers, m d3d9.Model) (fixedOperand, bool) {
swizzles:
	for _, s := range m.Limits().Swizzles {
		f := fixedOperand{fixed: true, reg: d3d9.Reg{File: d3d9.Const, Index: d.reg}, comp: [4]int8{-1, -1, -1, -1}}
		for c := range 4 {
			if !want.set.Has(c) {
				continue
			}
			at := s.At(c)
			if d.set>>at&1 == 0 || d.bits[at] != want.bits[c] {
				continue swizzles
			}
			f.comp[c] = int8(at)
		}
		return f, true
	}
	return fixedOperand{}, false
}

// add has the register hold the numbers too, unless it holds others in their components.
func (d *constDef) add(want numbers) bool {
	bits := d.bits
	for c := range 4 {
		if !want.set.Has(c) {
			continue
		}
		if d.set>>c&1 != 0 && d.bits[c] != want.bits[c] {
			return false
		}
		bits[c] = want.bits[c]
	}
	d.bits, d.set = bits, d.set|uint8(want.set)
	return true
}

// scaledLiteral is what a modifier makes of a literal, in float32.
func scaledLiteral(bits uint32, mod d3d9.SrcMod) uint32 {
	v := math.Float32frombits(bits)
	switch mod {
	case d3d9.ModBias, d3d9.ModBiasNeg:
		v -= 0.5
	case d3d9.ModSign, d3d9.ModSignNeg:
		v = 2*v - 1
	case d3d9.ModX2, d3d9.ModX2Neg:
		v *= 2
	case d3d9.ModComp:
		v = 1 - v
	}
	switch mod {
	case d3d9.ModNeg, d3d9.ModBiasNeg, d3d9.ModSignNeg, d3d9.ModX2Neg:
		v = -v
	}
	return math.Float32bits(v)
}

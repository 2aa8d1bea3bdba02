package vsps

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// operand is an operand with its modifier. Lanes have to agree on sign and, for a
// modifier, on the instruction that computes it.
func (x *fixedEmitter) operand(o ir.Operand) (fixedOperand, error) {
	sign, first := ir.LaneMod(0), true
	var in *ir.Instr
	// same: the lanes agree in sign and defining instruction, the condition for a modifier.
	// literals: all are numbers, whose signs the constant takes in.
	same, literals := true, true
	for _, l := range o {
		if l.V == nil {
			continue
		}
		literals = literals && l.V.Kind == ir.Literal
		if first {
			sign, in, first = l.Mod, l.V.Def, false
		}
		same = same && l.Mod == sign && l.V.Def == in
	}
	if literals {
		return x.source(o, d3d9.ModNone)
	}
	for _, l := range o {
		if l.V != nil && (l.Mod != sign || l.Mod&^ir.Neg != 0) {
			return fixedOperand{}, errFixed
		}
	}
	// Try the source as a modified one: bias, sign, complement and x2 apply to all lanes of the
	// register.
	if same && in != nil && in.Mods == 0 && x.isModifier(in) {
		mod, src, neg, ok := x.modifier(in, func(k int) (float32, bool) { return numberAt(o, in.Src[k]) })
		if ok && !(mod == d3d9.ModComp && sign != 0) {
			var inner ir.Operand
			fits := true
			for c, l := range o {
				if l.V != nil {
					m := in.Src[src][l.V.Lane]
					fits = fits && neg == (m.Mod&ir.Neg != 0) && m.Mod&ir.Abs == 0
					inner[c] = ir.Lane{V: m.V}
				}
			}
			// -(1-x) has no modifier of its own; the others have a negated form.
			if fits {
				if sign != 0 {
					mod++ // the numbering of the bytecode: the negated one follows
				}
				return x.source(inner, mod)
			}
		}
	}
	mod := d3d9.ModNone
	if sign != 0 {
		mod = d3d9.ModNeg
	}
	for c := range o {
		o[c].Mod = 0
	}
	return x.source(o, mod)
}

// isModifier reports whether in may be folded into a source as a modifier. The result of a texture
// instruction is in its register as a whole.
func (x *fixedEmitter) isModifier(in *ir.Instr) bool {
	return in.Orig < 0 || !anchored(x.orig.Insts[in.Orig].Op)
}

// numberAt is the literal that s has in all the lanes that o reads of the instruction.
func numberAt(o, s ir.Operand) (v float32, ok bool) {
	first := true
	for _, l := range o {
		if l.V == nil {
			continue
		}
		k := s[l.V.Lane]
		if k.V == nil || k.V.Kind != ir.Literal {
			return 0, false
		}
		w := math.Float32frombits(k.Mod.Apply(k.V.Bits))
		if !first && w != v {
			return 0, false
		}
		v, first = w, false
	}
	return v, !first
}

// source is a source whose lanes are of one register, with modifier mod. Temporaries
// are found by the search; leaves are fixed here.
func (x *fixedEmitter) source(o ir.Operand, mod d3d9.SrcMod) (f fixedOperand, err error) {
	f.mod, f.comp = mod, [4]int8{-1, -1, -1, -1}
	var kind ir.Kind
	first := true
	for c, l := range o {
		// f.lane[c] is the value that component c reads; the search finds a register that has all
		// of them. f.comp[c] is the component of a fixed register, -1 if it is not read.
		if l.V == nil || l.V.Kind == ir.Undef {
			continue
		}
		switch {
		case first:
			kind, first = l.V.Kind, false
		case l.V.Kind == kind:
		// ir.Result, then, means "somewhere in a temporary": the search finds literals there by
		// their bits.
		case l.V.Kind <= ir.Param && kind == ir.Literal || l.V.Kind == ir.Literal && kind <= ir.Param:
			kind = ir.Result // texm3x3 leaves a literal beside values
		default:
			return f, errFixed
		}
		f.lane[c] = l.V
	}
	switch {
	// Nothing is read (all lanes undefined): any register is as good; constants are always there.
	case first:
		f.fixed, f.reg = true, d3d9.Reg{File: d3d9.Const}
	case kind == ir.Literal:
		return x.constant(o, mod)
	case kind == ir.Uniform || kind == ir.Input:
		f.fixed = true
		for c, v := range f.lane {
			if v == nil {
				continue
			}
			r := d3d9.Reg{File: d3d9.File(v.Home.File), Index: v.Home.Index}
			if f.reg.File != d3d9.NoFile && f.reg != r {
				return f, errFixed
			}
			f.reg, f.comp[c] = r, int8(v.Home.Comp)
		}
		// Modifiers on constants are undefined up to ps_1_3 and refused in ps_1_4; they
		// are written only where the program has some.
		if f.reg.File == d3d9.Const && mod != d3d9.ModNone && !x.signed || f.reg.File != d3d9.Const && f.reg.File != d3d9.Input {
			return f, errFixed
		}
	}
	return f, nil
}

// modifier is what modifier an instruction is, of which source, and whether that source
// has to be negated: 1 + -x is 1-x.
func (x *fixedEmitter) modifier(in *ir.Instr, number func(k int) (float32, bool)) (mod d3d9.SrcMod, src int, neg, ok bool) {
	// Partial precision may round the inner result; then the instruction is not the modifier.
	if in.Mods&ir.Half != 0 {
		return 0, 0, false, false
	}
	// x-0.5 is _bias, 1-x the complement, 2x-1 is _bx2, and 2x is _x2, in ps_1_4 only.
	switch in.Op {
	case ir.OpAdd:
		for k := range 2 {
			switch v, ok := number(k); {
			case ok && v == -0.5:
				return d3d9.ModBias, 1 - k, false, true
			case ok && v == 1:
				return d3d9.ModComp, 1 - k, true, true
			}
		}
	case ir.OpMad:
		if c, ok := number(2); ok && c == -1 {
			for k := range 2 {
				if v, ok := number(k); ok && v == 2 {
					return d3d9.ModSign, 1 - k, false, true
				}
			}
		}
	case ir.OpMul:
		for k := range 2 {
			if v, ok := number(k); ok && v == 2 && x.model == d3d9.PS14 {
				return d3d9.ModX2, 1 - k, false, true
			}
		}
	}
	return 0, 0, false, false
}

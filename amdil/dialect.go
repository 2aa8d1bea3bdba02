package amdil

import (
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
)

// Dialect is AMD IL. It implements ir.Dialect.
type Dialect struct{}

// RegName implements ir.Dialect.
func (*Dialect) RegName(r ir.Reg) string { return RegName(r) }

// FileRole implements ir.Dialect.
func (*Dialect) FileRole(f ir.File) ir.Role { return fileRole(f) }

func fileRole(f ir.File) ir.Role {
	switch f {
	case ir.File(il.Temp), flags:
		return ir.RoleTemp
	case ir.File(il.Output), ir.File(il.Depth), ir.File(il.SampleMask):
		return ir.RoleExport
	case ir.File(il.TempArray), ir.File(il.Persistent), device, Local, LocalPerThread, Share, counters:
		return ir.RoleState
	}
	return ir.RoleOther
}

// FlushesDenormals implements ir.Dialect: the hardware has no other mode.
func (*Dialect) FlushesDenormals() bool { return true }

// RoundsProducts implements ir.Dialect: only fma adds with one rounding.
func (*Dialect) RoundsProducts() bool { return true }

// KeepsOrig implements ir.Dialect.
func (*Dialect) KeepsOrig() bool { return false }

// Launch implements ir.Dialect.
func (*Dialect) Launch() ir.Launch { return launch{} }

// Supports implements ir.Dialect.
func (*Dialect) Supports(op ir.Op) bool {
	switch op {
	case ir.OpISub, ir.OpFetch, ir.OpFetchBias, ir.OpFetchLod, ir.OpFetchGrad, ir.OpTexelLoad, ir.OpFetchX,
		ir.OpLoad, ir.OpKill, ir.OpIf, ir.OpLoop, ir.OpBreak:
		return true
	}
	return op.Has(ir.Memory) || len(spellings[op]) > 0
}

// Encodable implements ir.Dialect. Each operand comes from one register, one element of a buffer or literals
// alone, plus zeros and ones (swizzles have 0 and 1). An integer operand has no sign, since a negated operand
// of an integer statement is the negative integer, which is an op. There is no limit on the registers of a
// statement.
func (d *Dialect) Encodable(in *ir.Instr) bool {
	if !d.Supports(in.Op) || in.IsPredicated() {
		return false
	}
	how, spelt := spell(in, nil)
	if len(spellings[in.Op]) > 0 && !spelt {
		return false
	}
	if in.Mods&ir.Sat != 0 && !(spelt && how.saturates()) {
		return false
	}
	integer := in.Op == ir.OpISub || spelt && how.integer()
	for k := range in.Src {
		if !encodable(&in.Src[k], integer) {
			return false
		}
	}
	if in.Op == ir.OpLoad || in.Op.Has(ir.Memory) && isArray(in.Base) {
		return in.Src[0][0].Mod == 0 // an index has no modifiers
	}
	return true
}

// encodable reports whether the leaves and modifiers of o can be read directly.
func encodable(o *ir.Operand, integer bool) bool {
	var first *ir.Lane
	literal := false
	for i := range o {
		l := &o[i]
		switch {
		case l.V == nil || l.V.Kind == ir.Undef && l.Mod == 0:
			continue
		case integer && l.Mod&ir.Neg != 0:
			return false
		case l.V.Kind == ir.Literal:
			literal = literal || l.V.Bits != 0 && l.V.Bits != one
			continue
		case first == nil:
			first = l
		case l.Mod&ir.Abs != first.Mod&ir.Abs || originOf(l.V) != originOf(first.V):
			return false
		}
	}
	return first == nil || !literal
}

// origin is the source of a value that is not a literal: a register of the input program or an element of an
// array. All temporaries share one origin, since their registers are not assigned yet.
type origin struct {
	file  ir.File
	index uint16
	load  *ir.Instr
}

func originOf(v *ir.Value) origin {
	switch {
	case v.IsLeaf() && v.Kind != ir.Undef:
		return origin{file: v.Home.File, index: v.Home.Index}
	case v.IsLoaded():
		return origin{load: v.Def}
	}
	return origin{}
}

// Fetches implements ir.Dialect: fetches read global memory and views.
func (*Dialect) Fetches(in *ir.Instr) bool {
	return in.Op.Has(ir.IsFetch) || in.Op == ir.OpMemLoad && (in.Base.File == ir.File(il.Global) || in.Base.File == View)
}

// isArray reports whether a space of memory is an array that operands name.
func isArray(base ir.Reg) bool {
	switch il.File(base.File) {
	case il.Global, il.TempArray, il.Persistent:
		return true
	}
	return false
}

package combine

import "github.com/shaderlift/shaderlift/ir"

// complements are the comparisons that hold where others do not. Of floats only equality
// has one: nothing is ordered with a NaN.
var complements = map[ir.Op]ir.Op{
	ir.OpIEq: ir.OpINe, ir.OpINe: ir.OpIEq, ir.OpFEq: ir.OpFNe, ir.OpFNe: ir.OpFEq, ir.OpDEq: ir.OpDNe, ir.OpDNe: ir.OpDEq,
	ir.OpILt: ir.OpIGe, ir.OpIGe: ir.OpILt, ir.OpULt: ir.OpUGe, ir.OpUGe: ir.OpULt,
}

// complement makes one comparison of one and its complement, as a word or as the question
// whether it is zero.
func (c *combiner) complement(in *ir.Instr) bool {
	o := &in.Src[0]
	if in.Op == ir.OpIEq {
		x, _, ok := either(in, func(o *ir.Operand) bool { return areWords(o, 0) })
		if !ok {
			return false
		}
		o = &in.Src[x]
	}
	def := c.plain(o, in)
	if def == nil || def.Op.Info().Shape != ir.Lanewise {
		return false
	}
	op, ok := complements[def.Op]
	return ok && c.become(in, with(in, op, in.Mods, through(o, def, 0), through(o, def, 1)))
}

// extremes are the operations that choices by order are: of the first operand where it
// is less, and where it is not.
var extremes = map[ir.Op][2]ir.Op{
	ir.OpILt: {ir.OpIMin, ir.OpIMax}, ir.OpIGe: {ir.OpIMax, ir.OpIMin},
	ir.OpULt: {ir.OpUMin, ir.OpUMax}, ir.OpUGe: {ir.OpUMax, ir.OpUMin},
}

// decide simplifies a choice by bits: where its condition is whether a word is zero, the
// word decides itself; where it is the order of what is chosen from, the result is the
// smaller or the larger one.
func (c *combiner) decide(in *ir.Instr) bool {
	a, b := in.Src[1], in.Src[2]
	if a == b {
		return c.become(in, with(in, ir.OpMov, in.Mods, a))
	}
	o := &in.Src[0]
	def := c.plain(o, in)
	if def == nil {
		return false
	}
	switch def.Op {
	case ir.OpIEq, ir.OpINe:
		x, _, ok := either(def, func(o *ir.Operand) bool { return areWords(o, 0) })
		if !ok {
			return false
		}
		if def.Op == ir.OpIEq {
			a, b = b, a
		}
		return c.become(in, with(in, ir.OpSel, in.Mods, through(o, def, x), a, b))
	case ir.OpINot:
		if inner := through(o, def, 0); c.isMask(&inner) {
			return c.become(in, with(in, ir.OpSel, in.Mods, inner, b, a))
		}
	}
	pair, ok := extremes[def.Op]
	if !ok || in.Mods != 0 {
		return false
	}
	x, y := through(o, def, 0), through(o, def, 1)
	switch {
	case a == x && b == y:
		return c.become(in, with(in, pair[0], in.Mods, x, y))
	case a == y && b == x:
		return c.become(in, with(in, pair[1], in.Mods, x, y))
	}
	return false
}

// isMask reports whether each lane of o is all ones or zero.
func (c *combiner) isMask(o *ir.Operand) bool {
	for _, l := range o {
		if l.V == nil {
			continue
		}
		if d := l.V.Def; l.Mod != 0 || d == nil || d.Out[l.V.Lane] != l.V || !isComparison(d.Op) {
			return false
		}
	}
	return true
}

func isComparison(op ir.Op) bool {
	_, ok := complements[op]
	return ok || op == ir.OpFLt || op == ir.OpFGe || op == ir.OpDLt || op == ir.OpDGe
}

package combine

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// fuse makes mad of an add and the mul it adds. A mul with several readers is
// fused into all of them or none, since it pays only if the mul dies.
func (c *combiner) fuse(in *ir.Instr) bool {
	for k := range 2 {
		mul := c.from(&in.Src[k], in)
		if mul == nil || fused[mul.Op] == ir.OpInvalid {
			continue
		}
		if adds, mads := c.fusible(mul); adds != nil {
			for i, add := range adds {
				if !c.step(add) {
					return i > 0
				}
				c.replace(add, mads[i])
			}
			return true
		}
	}
	return false
}

// fused are the ops that multiply as others do and add.
var fused = map[ir.Op]ir.Op{ir.OpMul: ir.OpMad, ir.OpMulIEEE: ir.OpMadIEEE}

// maxFused bounds the readers of one mul.
const maxFused = 16

// fusible returns the readers of mul and what they become, if all of them can.
func (c *combiner) fusible(mul *ir.Instr) (adds []*ir.Instr, mads []ir.Instr) {
	left := c.readsOf(mul)
	for _, v := range mul.Out {
		if v == nil {
			continue
		}
		for _, in := range c.readers[v.ID] {
			if c.dead[in] || slices.Contains(adds, in) || !readsValue(in, v) {
				continue
			}
			mad, n := c.mad(in, mul)
			if n == 0 || len(adds) == maxFused {
				return nil, nil
			}
			adds, mads = append(adds, in), append(mads, mad)
			left -= n
		}
	}
	if left != 0 {
		return nil, nil
	}
	return adds, mads
}

func readsValue(in *ir.Instr, v *ir.Value) (found bool) {
	eachOperandLane(in, func(l ir.Lane) { found = found || l.V == v })
	return found
}

// mad is add with mul computed on the way, and how many lanes of mul that saves
// add from reading: none if it cannot be.
func (c *combiner) mad(add, mul *ir.Instr) (mad ir.Instr, n int32) {
	if add.Op != ir.OpAdd || add.IsPredicated() || !c.ctx.Allows(c.fusing, add) {
		return mad, 0
	}
	for k := range 2 {
		if c.from(&add.Src[k], add) != mul {
			continue
		}
		m, ok := modOf(&add.Src[k])
		if !ok || m&ir.Abs != 0 {
			continue
		}
		a, b := through(&add.Src[k], mul, 0), through(&add.Src[k], mul, 1)
		for _, src := range [2][2]ir.Operand{{apply(a, m), b}, {a, apply(b, m)}} {
			mad = with(add, fused[mul.Op], mods(add, mul), src[0], src[1], add.Src[1-k])
			if c.legal(&mad) {
				return mad, lanesOf(&add.Src[k])
			}
		}
	}
	return mad, 0
}

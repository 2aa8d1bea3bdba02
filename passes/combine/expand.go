package combine

import "github.com/shaderlift/shaderlift/ir"

// expand makes a product and sums of products of a short dot product, which takes all
// four vector slots however short it is.
func (c *combiner) expand(in *ir.Instr) bool {
	mul, n := ir.OpMul, 2
	switch in.Op {
	case ir.OpDp2IEEE:
		mul = ir.OpMulIEEE
	case ir.OpDp3:
		n = 3
	case ir.OpDp3IEEE:
		mul, n = ir.OpMulIEEE, 3
	}
	first := in.Out
	lanes := 0
	for i, v := range in.Out {
		if v != nil {
			if lanes++; lanes > 1 {
				first[i] = nil
			}
		}
	}
	if n-1+lanes >= 4 {
		return false
	}
	sum := &ir.Instr{Op: mul, Precise: in.Precise, Orig: -1, Pos: in.Pos, Out: first}
	sum.Src = []ir.Operand{spread(sum, in.Src[0][0]), spread(sum, in.Src[1][0])}
	parts := []*ir.Instr{sum}
	for k := 1; k < n; k++ {
		next := &ir.Instr{Op: fused[mul], Precise: in.Precise, Orig: -1, Pos: in.Pos, Out: first}
		if k == n-1 {
			next.Out, next.Mods = in.Out, in.Mods
		}
		next.Src = []ir.Operand{spread(next, in.Src[0][k]), spread(next, in.Src[1][k]), {}}
		parts = append(parts, next)
	}
	for _, p := range parts {
		if !c.legal(p) {
			return false
		}
	}
	if !c.step(in) {
		return false
	}
	var before ir.Lane
	for k, p := range parts {
		if k > 0 {
			p.Src[2] = spread(p, before)
		}
		if k == n-1 {
			c.replace(in, *p)
			break
		}
		out := p.Out
		p.Out = [4]*ir.Value{}
		for i, v := range out {
			if v != nil {
				before = ir.Lane{V: c.f.Define(p, i, v.Home)}
			}
		}
		c.insert(p, in)
	}
	return true
}

// shiftAdd makes a shift and a sum of a product with powers of two and a sum.
func (c *combiner) shiftAdd(in *ir.Instr) bool {
	x, k, ok := either(in, isWords)
	if !ok {
		return false
	}
	n, ok := c.mapped(&in.Src[k], exponent)
	if !ok {
		return false
	}
	shl := &ir.Instr{Op: ir.OpIShl, Precise: in.Precise, Orig: -1, Pos: in.Pos, Src: []ir.Operand{in.Src[x], n}, Out: in.Out}
	if !c.legal(shl) || !c.step(in) {
		return false
	}
	c.replace(in, with(in, ir.OpIAdd, in.Mods, c.define(shl, in), in.Src[2]))
	return true
}

// define puts a new instruction, which has the lanes of in, before it, and returns what
// it computes.
func (c *combiner) define(add, in *ir.Instr) (o ir.Operand) {
	add.Out = [4]*ir.Value{}
	for i, v := range in.Out {
		if v != nil {
			o[i] = ir.Lane{V: c.f.Define(add, i, v.Home)}
		}
	}
	c.insert(add, in)
	return o
}

package combine

import "github.com/shaderlift/shaderlift/ir"

// lerp replaces lrp with literal arms, which takes two slots: a*(b-c)+c is
// a*b if c is 0, c - a*c if b is 0, a*d + c if d = b-c is known and exact.
func (c *combiner) lerp(in *ir.Instr) bool {
	a, b, z := in.Src[0], in.Src[1], in.Src[2]
	switch {
	case isAll(&z, 0):
		return c.become(in, with(in, ir.OpMul, in.Mods, a, b))
	case isAll(&b, 0):
		return c.become(in, with(in, ir.OpMad, in.Mods, apply(a, ir.Neg), z, z)) ||
			!c.stop && c.become(in, with(in, ir.OpMad, in.Mods, a, apply(z, ir.Neg), z))
	case !isLiteral(&b) || !isLiteral(&z):
		return false
	}
	var d ir.Operand
	for i := range b {
		if b[i].V == nil {
			continue
		}
		x, _ := literal(b[i])
		y, _ := literal(z[i])
		s, ok := affine{1, -y}.then(affine{1, x})
		if !ok {
			return false
		}
		d[i] = c.constant(s.a)
	}
	return c.become(in, with(in, ir.OpMad, in.Mods, a, d, z))
}

// power replaces |x|^e, spelt as pow or as exp(e * log x), for exponents that
// take fewer slots: products for 2, 3 and 4, a reciprocal for -1, a reciprocal
// square root for -1/2, and the reciprocal of that for 1/2. At zero they agree
// with the power: rcp and rsq of 0 are infinite, rcp of infinity is 0.
func (c *combiner) power(in *ir.Instr) bool {
	x, e, slots, ok := c.powerOf(in)
	if !ok {
		return false
	}
	magnitude := x
	if low, _ := bounds(x, 0); low < 0 {
		magnitude.Mod = x.Mod.Then(ir.Abs)
	}
	one := func(op ir.Op, x ir.Lane) ir.Instr { return with(in, op, in.Mods, ir.Splat(x)) }
	product := func(x, y ir.Lane) ir.Instr { return with(in, ir.OpMul, in.Mods, spread(in, x), spread(in, y)) }
	square := []ir.Operand{ir.Splat(x), ir.Splat(x)}
	switch e {
	case 2:
		return c.become(in, product(x, x))
	case -1:
		return c.become(in, one(ir.OpRcp, magnitude))
	case -0.5:
		return c.become(in, one(ir.OpRsq, x))
	case 0.5:
		return c.twice(in, slots, ir.OpRsq, square[:1], func(y ir.Lane) ir.Instr { return one(ir.OpRcp, y) })
	case 3:
		return c.twice(in, slots, ir.OpMul, square, func(y ir.Lane) ir.Instr { return product(y, magnitude) })
	case 4:
		return c.twice(in, slots, ir.OpMul, square, func(y ir.Lane) ir.Instr { return product(y, y) })
	}
	return false
}

// powerOf reads in as a power with a literal exponent, and tells how many slots
// it takes as it is.
func (c *combiner) powerOf(in *ir.Instr) (x ir.Lane, e float32, slots int, ok bool) {
	slots = c.f.Dialect.Slots(in)
	if in.Op == ir.OpPow {
		e, ok = literal(in.Src[1][0])
		return in.Src[0][0], e, slots, ok
	}
	product := in.Src[0]
	mul := c.only(&product, in)
	if mul == nil || mul.Op != ir.OpMul || product[0].Mod&ir.Abs != 0 || mods(in, mul) != in.Mods {
		return x, 0, 0, false
	}
	k, lit, ok := either(mul, isLiteral)
	if !ok {
		return x, 0, 0, false
	}
	i := product[0].V.Lane
	factor := ir.Splat(mul.Src[k][i])
	log := c.only(&factor, mul)
	if log == nil || log.Op != ir.OpLog || factor[0].Mod&ir.Abs != 0 || mods(in, log) != in.Mods {
		return x, 0, 0, false
	}
	e, _ = literal(mul.Src[lit][i])
	if (product[0].Mod^factor[0].Mod)&ir.Neg != 0 {
		e = -e
	}
	return log.Src[0][0], e, slots + c.f.Dialect.Slots(mul) + c.f.Dialect.Slots(log), true
}

// twice makes in the second of two instructions, the first of which, op on src,
// goes before it, if the two take fewer slots than before.
func (c *combiner) twice(in *ir.Instr, slots int, op ir.Op, src []ir.Operand, second func(y ir.Lane) ir.Instr) bool {
	first := &ir.Instr{Op: op, Mods: in.Mods &^ ir.Sat, Precise: in.Precise, Orig: -1, Pos: in.Pos, Src: src}
	y := &ir.Value{Kind: ir.Result, Def: first} // not one of the function yet
	first.Out[0] = y
	to := second(ir.Lane{V: y})
	if c.f.Dialect.Slots(first)+c.f.Dialect.Slots(&to) >= slots || !c.legal(first) || !c.legal(&to) || !c.step(in) {
		return false
	}
	to = second(ir.Lane{V: c.f.Define(first, 0, ir.Reg{})})
	c.insert(first, in)
	c.replace(in, to)
	return true
}

// inverse cancels a function and its inverse: rcp(rcp x) and log(exp x) are x.
func (c *combiner) inverse(in *ir.Instr) bool {
	undo := map[ir.Op]ir.Op{ir.OpRcp: ir.OpRcp, ir.OpLog: ir.OpExp}[in.Op]
	def := c.from(&in.Src[0], in)
	if def == nil || def.Op != undo {
		return false
	}
	l := def.Src[0][0]
	if in.Op == ir.OpRcp { // the sign of what log reads does not matter
		l.Mod = l.Mod.Then(in.Src[0][0].Mod)
	}
	return c.become(in, with(in, ir.OpMov, mods(in, def), spread(in, l)))
}

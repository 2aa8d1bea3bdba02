package combine

import "github.com/shaderlift/shaderlift/ir"

// affine is x*m + a in one lane, m and a being literals.
type affine struct{ m, a float32 }

// then is s followed by t, if that is exact: no literal is rounded, so that over
// the reals nothing changes.
func (s affine) then(t affine) (affine, bool) {
	m := float64(s.m) * float64(t.m)
	p := float64(s.a) * float64(t.m)
	a := p + float64(t.a)
	b := a - p
	lost := (p - (a - b)) + (float64(t.a) - b)
	out := affine{float32(m), float32(a)}
	for _, x := range [...]float32{s.m, s.a, t.m, t.a} {
		if !normal(x) { // zero to some hardware, as a factor of its own
			return out, false
		}
	}
	return out, lost == 0 && float64(out.m) == m && float64(out.a) == a && normal(out.m) && normal(out.a)
}

// linear describes an instruction as steps of one operand.
type linear struct {
	x     int // the source that is multiplied
	steps [4]affine
	plus  *ir.Operand // what is added besides, no literal
	times *ir.Operand // what x is multiplied by besides, no literal
}

// linears lists the ways to read in as steps of an operand that is no literal.
func linears(in *ir.Instr) (ways []linear) {
	each := func(w linear, m, a *ir.Operand) {
		for i, v := range in.Out {
			if v == nil {
				continue
			}
			w.steps[i].m = 1
			if m != nil {
				w.steps[i].m, _ = literal(m[i])
			}
			if a != nil {
				w.steps[i].a, _ = literal(a[i])
			}
		}
		ways = append(ways, w)
	}
	for k := range 2 {
		x, y := &in.Src[k], &in.Src[1-k]
		if isLiteral(x) {
			continue
		}
		switch in.Op.Legacy() {
		case ir.OpAdd:
			if isLiteral(y) {
				each(linear{x: k}, nil, y)
			}
		case ir.OpMul:
			if isLiteral(y) {
				each(linear{x: k}, y, nil)
			}
		case ir.OpMad:
			z := &in.Src[2]
			switch {
			case isLiteral(y) && isLiteral(z):
				each(linear{x: k}, y, z)
			case isLiteral(y):
				each(linear{x: k, plus: z}, y, nil)
			case isLiteral(z):
				each(linear{x: k, times: y}, nil, z)
			}
		}
	}
	return ways
}

// chain makes one step of two: (x*c + d)*e + f is x*(c*e) + (d*e + f).
func (c *combiner) chain(in *ir.Instr) bool {
	for _, outer := range linears(in) {
		if outer.times != nil {
			continue
		}
		o := &in.Src[outer.x]
		def := c.only(o, in)
		m, ok := modOf(o)
		if def == nil || !ok || m&ir.Abs != 0 {
			continue
		}
		switch def.Op.Legacy() {
		case ir.OpAdd, ir.OpMul, ir.OpMad:
		default:
			continue
		}
		for _, inner := range linears(def) {
			if inner.plus == nil && c.link(in, &outer, def, &inner, m) {
				return true
			}
		}
	}
	return false
}

// link makes in, which is outer, do what def, which is inner, does first.
func (c *combiner) link(in *ir.Instr, outer *linear, def *ir.Instr, inner *linear, m ir.LaneMod) bool {
	o := &in.Src[outer.x]
	var times, plus ir.Operand
	one, minusOne, zero := true, true, true // whether all factors are, all summands
	for i, l := range o {
		if l.V == nil {
			continue
		}
		first := inner.steps[l.V.Lane]
		if m&ir.Neg != 0 {
			first.m, first.a = -first.m, -first.a
		}
		s, ok := first.then(outer.steps[i])
		if !ok || outer.plus != nil && s.a != 0 || inner.times != nil && s.m != 1 {
			return false
		}
		times[i], plus[i] = c.constant(s.m), c.constant(s.a)
		one, minusOne, zero = one && s.m == 1, minusOne && s.m == -1, zero && s.a == 0
	}
	x := through(o, def, inner.x)
	if minusOne {
		x, one = apply(x, ir.Neg), true
	}
	if outer.plus != nil {
		plus, zero = *outer.plus, false
	}
	if inner.times != nil {
		times, one = through(o, def, 1-inner.x), false
	}
	mul := ir.OpMul
	if isIEEE(in.Op) || isIEEE(def.Op) {
		mul = ir.OpMulIEEE
	}
	w := mods(in, def)
	switch {
	case one && zero:
		return c.become(in, with(in, ir.OpMov, w, x))
	case one:
		return c.become(in, with(in, ir.OpAdd, w, x, plus))
	case zero:
		return c.become(in, with(in, mul, w, x, times))
	}
	return c.become(in, with(in, fused[mul], w, x, times, plus))
}

func isIEEE(op ir.Op) bool { return op != op.Legacy() }

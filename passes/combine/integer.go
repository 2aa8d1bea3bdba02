package combine

import (
	"math/bits"

	"github.com/shaderlift/shaderlift/ir"
)

// words are the literals that o reads.
func words(o *ir.Operand) (w [4]uint32, ok bool) {
	for i, l := range o {
		if l.V == nil {
			continue
		}
		if l.V.Kind != ir.Literal || l.Mod != 0 {
			return w, false
		}
		w[i] = l.V.Bits
	}
	return w, lanesOf(o) > 0
}

func isWords(o *ir.Operand) bool {
	_, ok := words(o)
	return ok
}

// areWords reports whether all lanes of o are the literal w.
func areWords(o *ir.Operand, w uint32) bool {
	all, ok := words(o)
	for i, l := range o {
		ok = ok && (l.V == nil || all[i] == w)
	}
	return ok
}

// word is a lane that reads the literal w.
func (c *combiner) word(w uint32) ir.Lane { return ir.Lane{V: c.f.Const(w)} }

// literals is an operand that reads the literals w where o reads something.
func (c *combiner) literals(o *ir.Operand, w [4]uint32) (out ir.Operand) {
	for i, l := range o {
		if l.V != nil {
			out[i] = c.word(w[i])
		}
	}
	return out
}

// mapped is what f makes of the literals that o reads.
func (c *combiner) mapped(o *ir.Operand, f func(w uint32) (uint32, bool)) (out ir.Operand, ok bool) {
	w, ok := words(o)
	for i, l := range o {
		if ok && l.V != nil {
			w[i], ok = f(w[i])
		}
	}
	return c.literals(o, w), ok
}

// identity says what an operation on a literal is that changes nothing, or everything.
type identity struct {
	op      ir.Op
	literal uint32
	result  int64 // the literal it gives, -1 if it is the other operand
}

const ones = 1<<32 - 1

var identities = []identity{
	{ir.OpIAdd, 0, -1}, {ir.OpISub, 0, -1}, {ir.OpIMul, 1, -1}, {ir.OpUDiv, 1, -1},
	{ir.OpIAnd, ones, -1}, {ir.OpIOr, 0, -1}, {ir.OpIXor, 0, -1},
	{ir.OpIShl, 0, -1}, {ir.OpIShr, 0, -1}, {ir.OpUShr, 0, -1},
	{ir.OpIMul, 0, 0}, {ir.OpIAnd, 0, 0}, {ir.OpUMod, 1, 0}, {ir.OpIOr, ones, ones},
}

// neutral makes a move of an operation on integers that changes nothing, whose result is
// known, or whose operands are the same.
func (c *combiner) neutral(in *ir.Instr) bool {
	for k := range 2 {
		if k == 1 && !in.Op.Has(ir.Commutes) {
			break
		}
		x, y := &in.Src[k], &in.Src[1-k]
		for i := range identities {
			id := &identities[i]
			if id.op != in.Op || !areWords(y, id.literal) {
				continue
			}
			if id.result >= 0 {
				return c.become(in, with(in, ir.OpMov, in.Mods, spread(in, c.word(uint32(id.result)))))
			}
			return c.become(in, with(in, ir.OpMov, in.Mods, *x))
		}
	}
	if in.Src[0] != in.Src[1] {
		return false
	}
	switch in.Op {
	case ir.OpISub, ir.OpIXor:
		return c.become(in, with(in, ir.OpMov, in.Mods, spread(in, c.word(0))))
	case ir.OpIAnd, ir.OpIOr:
		return c.become(in, with(in, ir.OpMov, in.Mods, in.Src[0]))
	}
	return false
}

// exponent is the number n if w is 2^n.
func exponent(w uint32) (uint32, bool) {
	return uint32(bits.TrailingZeros32(w)), bits.OnesCount32(w) == 1
}

// scale makes shifts of multiplications by powers of two, and negations of those by -1.
// A multiplication takes the one slot that does not only simple operations; so does a
// shift, but of the first family alone.
func (c *combiner) scale(in *ir.Instr) bool {
	x, k, ok := either(in, isWords)
	if !ok {
		return false
	}
	if areWords(&in.Src[k], ones) {
		return c.become(in, with(in, ir.OpINeg, in.Mods, in.Src[x]))
	}
	n, ok := c.mapped(&in.Src[k], exponent)
	return ok && c.become(in, with(in, ir.OpIShl, in.Mods, in.Src[x], n))
}

// stride makes sums and differences of integer products with 1 and -1 and sums, and
// products of those with sums that add nothing.
func (c *combiner) stride(in *ir.Instr) bool {
	x, k, ok := either(in, isWords)
	switch {
	case areWords(&in.Src[2], 0):
		return c.become(in, with(in, ir.OpIMul, in.Mods, in.Src[0], in.Src[1]))
	case !ok:
		return false
	case areWords(&in.Src[k], 1):
		return c.become(in, with(in, ir.OpIAdd, in.Mods, in.Src[x], in.Src[2]))
	case areWords(&in.Src[k], ones):
		return c.become(in, with(in, ir.OpISub, in.Mods, in.Src[2], in.Src[x]))
	}
	return false
}

// quotient makes shifts and masks of unsigned divisions by powers of two, which take
// some twenty operations.
func (c *combiner) quotient(in *ir.Instr) bool {
	if in.Op == ir.OpUMod {
		m, ok := c.mapped(&in.Src[1], func(w uint32) (uint32, bool) { return w - 1, bits.OnesCount32(w) == 1 })
		return ok && c.become(in, with(in, ir.OpIAnd, in.Mods, in.Src[0], m))
	}
	n, ok := c.mapped(&in.Src[1], exponent)
	return ok && c.become(in, with(in, ir.OpUShr, in.Mods, in.Src[0], n))
}

// offset is an operand or its negation, plus literals.
type offset struct {
	x   int
	neg bool
	by  [4]uint32
}

// offsetOf reads in as an offset.
func offsetOf(in *ir.Instr) (f offset, ok bool) {
	switch in.Op {
	case ir.OpINeg:
		return offset{neg: true}, true
	case ir.OpIAdd:
		k := 0
		f.x, k, ok = either(in, isWords)
		f.by, _ = words(&in.Src[k])
	case ir.OpISub:
		if f.by, ok = words(&in.Src[1]); ok {
			for i := range f.by {
				f.by[i] = -f.by[i]
			}
		} else if f.by, ok = words(&in.Src[0]); ok {
			f.x, f.neg = 1, true
		}
	}
	return f, ok
}

// offsets makes one sum of two with literals, and a difference of a sum with a negation.
func (c *combiner) offsets(in *ir.Instr) bool {
	outer, ok := offsetOf(in)
	if !ok {
		return c.difference(in)
	}
	o := &in.Src[outer.x]
	def := c.plain(o, in)
	if def == nil {
		return false
	}
	inner, ok := offsetOf(def)
	if !ok {
		return false
	}
	var by [4]uint32
	for i, l := range o {
		if l.V == nil {
			continue
		}
		by[i] = inner.by[l.V.Lane]
		if outer.neg {
			by[i] = -by[i]
		}
		by[i] += outer.by[i]
	}
	x, k := through(o, def, inner.x), c.literals(o, by)
	switch {
	case inner.neg != outer.neg && areWords(&k, 0):
		return c.become(in, with(in, ir.OpINeg, in.Mods, x))
	case inner.neg != outer.neg:
		return c.become(in, with(in, ir.OpISub, in.Mods, k, x))
	case areWords(&k, 0):
		return c.become(in, with(in, ir.OpMov, in.Mods, x))
	}
	return c.become(in, with(in, ir.OpIAdd, in.Mods, x, k))
}

// difference makes x - y of x + -y, and x + y of x - -y.
func (c *combiner) difference(in *ir.Instr) bool {
	to := ir.OpISub
	if in.Op == ir.OpISub {
		to = ir.OpIAdd
	}
	for k := range 2 {
		if in.Op == ir.OpINeg || in.Op == ir.OpISub && k == 0 {
			continue
		}
		o := &in.Src[k]
		def := c.plain(o, in)
		if def == nil || def.Op != ir.OpINeg {
			continue
		}
		if c.become(in, with(in, to, in.Mods, in.Src[1-k], through(o, def, 0))) {
			return true
		}
	}
	return false
}

package combine

import (
	"math/bits"

	"github.com/shaderlift/shaderlift/ir"
)

// extract makes one operation of a shift and a mask of the lowest bits:
// x >> n & 2^w - 1.
func (c *combiner) extract(in *ir.Instr) bool {
	x, k, ok := either(in, isWords)
	if !ok {
		return false
	}
	o := &in.Src[x]
	def := c.plain(o, in)
	if def == nil || def.Op != ir.OpUShr || !isWords(&def.Src[1]) {
		return false
	}
	n := through(o, def, 1)
	counts, _ := words(&n)
	width, ok := c.mapped(&in.Src[k], func(w uint32) (uint32, bool) {
		return uint32(bits.OnesCount32(w)), w&(w+1) == 0 && w != 0 && w != ones
	})
	if !ok {
		return false
	}
	for i := range counts {
		counts[i] &= 31
	}
	return c.become(in, with(in, ir.OpUBitExtract, in.Mods, width, c.literals(&n, counts), through(o, def, 0)))
}

// align makes one operation of two words shifted in opposite directions, by 32 together:
// a << 32-n | b >> n.
func (c *combiner) align(in *ir.Instr) bool {
	for k := range 2 {
		high, low := c.plain(&in.Src[k], in), c.plain(&in.Src[1-k], in)
		if high == nil || low == nil || high.Op != ir.OpIShl || low.Op != ir.OpUShr {
			continue
		}
		up, down := through(&in.Src[k], high, 1), through(&in.Src[1-k], low, 1)
		ups, okUp := words(&up)
		downs, okDown := words(&down)
		if !okUp || !okDown {
			continue
		}
		fits := true
		for i, l := range up {
			fits = fits && (l.V == nil || ups[i] > 0 && ups[i] < 32 && ups[i]+downs[i] == 32)
		}
		if fits && c.become(in, with(in, ir.OpBitAlign, in.Mods, through(&in.Src[k], high, 0), through(&in.Src[1-k], low, 0), down)) {
			return true
		}
	}
	return false
}

// merge makes one operation of two words masked by complements: a & b | ^a & c.
func (c *combiner) merge(in *ir.Instr) bool {
	p, q := c.plain(&in.Src[0], in), c.plain(&in.Src[1], in)
	if p == nil || q == nil || p.Op != ir.OpIAnd || q.Op != ir.OpIAnd {
		return false
	}
	for way := range 4 {
		a, b := through(&in.Src[0], p, way&1), through(&in.Src[0], p, 1-way&1)
		n, d := through(&in.Src[1], q, way>>1), through(&in.Src[1], q, 1-way>>1)
		switch {
		case c.complementary(&a, &n):
			if c.become(in, with(in, ir.OpBfi, in.Mods, a, b, d)) {
				return true
			}
		case c.complementary(&n, &a):
			if c.become(in, with(in, ir.OpBfi, in.Mods, n, d, b)) {
				return true
			}
		}
	}
	return false
}

// complementary reports whether n is a with all bits the other way round.
func (c *combiner) complementary(a, n *ir.Operand) bool {
	if v, ok := words(a); ok {
		w, ok := words(n)
		for i, l := range a {
			ok = ok && (l.V == nil || v[i] == ^w[i])
		}
		return ok
	}
	for i, l := range n {
		if l.V == nil {
			continue
		}
		d := l.V.Def
		if l.Mod != 0 || d == nil || d.Op != ir.OpINot || d.Out[l.V.Lane] != l.V || d.IsPredicated() || d.Src[0][l.V.Lane] != a[i] {
			return false
		}
	}
	return true
}

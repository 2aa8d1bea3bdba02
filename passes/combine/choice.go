package combine

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
)

// absolute finds absolute values: max(x, -x), min(x, -x), cmp(x, x, -x) and the
// instruction abs are moves of |x| where the model has the modifier.
func (c *combiner) absolute(in *ir.Instr) bool {
	a, b := &in.Src[0], &in.Src[0]
	switch in.Op.Legacy() {
	case ir.OpMin, ir.OpMax:
		b = &in.Src[1]
	case ir.OpCmp:
		a, b = &in.Src[1], &in.Src[2]
	}
	out := *a
	for i := range a {
		l := &out[i]
		if l.V == nil {
			continue
		}
		if in.Op != ir.OpAbs && (l.V != b[i].V || l.Mod != b[i].Mod^ir.Neg) {
			return false
		}
		neg := isMin(in.Op)
		if in.Op == ir.OpCmp {
			switch in.Src[0][i] {
			case a[i]:
			case b[i]:
				neg = true
			default:
				return false
			}
		}
		l.Mod = ir.Abs
		if neg {
			l.Mod |= ir.Neg
		}
	}
	return c.become(in, with(in, ir.OpMov, in.Mods, out))
}

// larger finds the larger or the smaller of two values: cmp(a-b, a, b) is
// max(a, b), cmp(a-b, b, a) is min(a, b).
func (c *combiner) larger(in *ir.Instr) bool {
	def := c.only(&in.Src[0], in)
	if def == nil || def.Op != ir.OpAdd {
		return false
	}
	m, ok := modOf(&in.Src[0])
	if !ok || m&ir.Abs != 0 {
		return false
	}
	x, y := apply(through(&in.Src[0], def, 0), m), apply(through(&in.Src[0], def, 1), m)
	a, b := in.Src[1], in.Src[2]
	op := ir.OpInvalid
	switch {
	case a == x && apply(b, ir.Neg) == y, a == y && apply(b, ir.Neg) == x:
		op = ir.OpMax
	case b == x && apply(a, ir.Neg) == y, b == y && apply(a, ir.Neg) == x:
		op = ir.OpMin
	default:
		return false
	}
	return c.become(in, with(in, op, mods(in, def), a, b))
}

// selection returns the cmp that o reads, if its arms are literals and only in
// reads it, and the values of the arms as o reads them.
func (c *combiner) selection(o *ir.Operand, in *ir.Instr) (def *ir.Instr, yes, no [4]float32) {
	def = c.only(o, in)
	if def == nil || def.Op != ir.OpCmp || !isLiteral(&def.Src[1]) || !isLiteral(&def.Src[2]) {
		return nil, yes, no
	}
	for i, l := range o {
		if l.V == nil {
			continue
		}
		j := l.V.Lane
		yes[i], _ = literal(ir.Lane{V: def.Src[1][j].V, Mod: def.Src[1][j].Mod.Then(l.Mod)})
		no[i], _ = literal(ir.Lane{V: def.Src[2][j].V, Mod: def.Src[2][j].Mod.Then(l.Mod)})
	}
	return def, yes, no
}

// reselect looks through a choice between literals that decides a choice:
// cmp(cmp(u, 0, -1), a, b) is cmp(u, a, b).
func (c *combiner) reselect(in *ir.Instr) bool {
	def, yes, no := c.selection(&in.Src[0], in)
	if def == nil {
		return false
	}
	a, b := in.Src[1], in.Src[2]
	for i, l := range in.Src[0] {
		if l.V == nil {
			continue
		}
		if yes[i] != yes[i] || no[i] != no[i] {
			return false
		}
		if yes[i] < 0 {
			a[i] = in.Src[2][i]
		}
		if no[i] >= 0 {
			b[i] = in.Src[1][i]
		}
	}
	return c.become(in, with(in, ir.OpCmp, mods(in, def), through(&in.Src[0], def, 0), a, b))
}

// mask makes a choice of a product with a choice between 0, 1 and -1, and of an
// interpolation by 0 or 1: cmp(u, 1, 0)*x is cmp(u, x, 0).
func (c *combiner) mask(in *ir.Instr) bool {
	for k := range 2 {
		if k > 0 && in.Op == ir.OpLrp {
			break
		}
		def, yes, no := c.selection(&in.Src[k], in)
		if def == nil {
			continue
		}
		a, okA := c.arm(in, k, yes)
		b, okB := c.arm(in, k, no)
		if okA && okB && c.become(in, with(in, ir.OpCmp, mods(in, def), through(&in.Src[k], def, 0), a, b)) {
			return true
		}
	}
	return false
}

// arm is what in computes where source k is the literals by.
func (c *combiner) arm(in *ir.Instr, k int, by [4]float32) (o ir.Operand, ok bool) {
	for i, l := range in.Src[k] {
		if l.V == nil {
			continue
		}
		zero, one := c.constant(0), in.Src[1-k][i]
		if in.Op == ir.OpLrp {
			zero = in.Src[2][i]
		}
		switch {
		case by[i] == 0:
			o[i] = zero
		case by[i] == 1:
			o[i] = one
		case by[i] == -1 && in.Op == ir.OpMul:
			o[i] = ir.Lane{V: one.V, Mod: one.Mod.Then(ir.Neg)}
		default:
			return o, false
		}
	}
	return o, true
}

// choose computes an operation on a choice between literals, and otherwise on
// literals, at compile time: f(cmp(u, p, q)) is cmp(u, f(p), f(q)).
func (c *combiner) choose(in *ir.Instr) bool {
	if sat := in.Mods&ir.Sat != 0; in.Op == ir.OpMov && !sat || sat && !c.tested {
		return false
	}
	at := -1
	for s := range in.Src {
		switch {
		case isLiteral(&in.Src[s]):
		case at < 0:
			at = s
		default:
			return false
		}
	}
	if at < 0 {
		return false
	}
	def, yes, no := c.selection(&in.Src[at], in)
	if def == nil {
		return false
	}
	a, okA := c.evaluate(in, at, yes)
	b, okB := c.evaluate(in, at, no)
	return okA && okB && c.become(in, with(in, ir.OpCmp, mods(in, def)&^ir.Sat, through(&in.Src[at], def, 0), a, b))
}

// evaluate computes in, whose sources are literals, source at being x.
func (c *combiner) evaluate(in *ir.Instr, at int, x [4]float32) (o ir.Operand, ok bool) {
	alg := &ir.Words{Fold: true}
	for i, v := range in.Out {
		if v == nil {
			continue
		}
		bits := ir.Eval(alg, in.Op, i, func(src, lane int) uint32 {
			if src == at {
				return math.Float32bits(x[lane])
			}
			f, _ := literal(in.Src[src][lane])
			return math.Float32bits(f)
		})
		if in.Mods&ir.Sat != 0 {
			bits = alg.Call(ir.PrimSat, []uint32{bits})
		}
		f := math.Float32frombits(bits)
		if math.IsNaN(float64(f)) {
			return o, false
		}
		o[i] = c.constant(f)
	}
	return o, alg.Fold
}

package combine

import "github.com/shaderlift/shaderlift/ir"

// regrouping says what an operation with a literal on the result of another one with a
// literal is: one operation.
type regrouping struct {
	outer, inner ir.Op
	join         func(outer, inner uint32) (op ir.Op, literal uint32, ok bool)
}

// regroupings are of words. Counts of shifts are below 32: see counted.
var regroupings = []regrouping{
	{ir.OpIMul, ir.OpIMul, func(a, b uint32) (ir.Op, uint32, bool) { return ir.OpIMul, a * b, true }},
	{ir.OpIMul, ir.OpIShl, func(a, n uint32) (ir.Op, uint32, bool) { return ir.OpIMul, a << n, true }},
	{ir.OpIShl, ir.OpIMul, func(n, a uint32) (ir.Op, uint32, bool) { return ir.OpIMul, a << n, true }},
	{ir.OpIShl, ir.OpIShl, func(n, m uint32) (ir.Op, uint32, bool) { return ir.OpIShl, n + m, n+m < 32 }},
	{ir.OpUShr, ir.OpUShr, func(n, m uint32) (ir.Op, uint32, bool) { return ir.OpUShr, n + m, n+m < 32 }},
	{ir.OpIShr, ir.OpIShr, func(n, m uint32) (ir.Op, uint32, bool) { return ir.OpIShr, min(n+m, 31), true }},
	{ir.OpIShl, ir.OpUShr, func(n, m uint32) (ir.Op, uint32, bool) { return ir.OpIAnd, ones << n, n == m }},
	{ir.OpUShr, ir.OpIShl, func(n, m uint32) (ir.Op, uint32, bool) { return ir.OpIAnd, ones >> n, n == m }},
	{ir.OpIAnd, ir.OpIAnd, func(a, b uint32) (ir.Op, uint32, bool) { return ir.OpIAnd, a & b, true }},
	{ir.OpIXor, ir.OpIXor, func(a, b uint32) (ir.Op, uint32, bool) { return ir.OpIXor, a ^ b, true }},
	// Masks that take away what is not there.
	{ir.OpIAnd, ir.OpUShr, func(a, n uint32) (ir.Op, uint32, bool) { return ir.OpUShr, n, a|^(ones>>n) == ones }},
	{ir.OpIAnd, ir.OpIShl, func(a, n uint32) (ir.Op, uint32, bool) { return ir.OpIShl, n, a|^(ones<<n) == ones }},
	{ir.OpUDiv, ir.OpUDiv, func(a, b uint32) (ir.Op, uint32, bool) {
		return ir.OpUDiv, a * b, a > 0 && b > 0 && uint64(a)*uint64(b) <= ones
	}},
	{ir.OpUShr, ir.OpUDiv, func(n, a uint32) (ir.Op, uint32, bool) {
		return ir.OpUDiv, a << n, a > 0 && uint64(a)<<n <= ones
	}},
	{ir.OpUDiv, ir.OpUShr, func(a, n uint32) (ir.Op, uint32, bool) {
		return ir.OpUDiv, a << n, a > 0 && uint64(a)<<n <= ones
	}},
}

// regroup makes one operation of two with literals.
func (c *combiner) regroup(in *ir.Instr) bool {
	x, k, ok := literalSide(in)
	if !ok {
		return false
	}
	o := &in.Src[x]
	def := c.plain(o, in)
	if def == nil || len(def.Src) != 2 {
		return false
	}
	y, j, ok := literalSide(def)
	if !ok {
		return false
	}
	outer, _ := words(&in.Src[k])
	inner, _ := words(&def.Src[j])
	for i := range regroupings {
		if r := &regroupings[i]; r.outer == in.Op && r.inner == def.Op && c.join(r, in, def, x, y, outer, inner) {
			return true
		}
	}
	return false
}

// join applies r to in, which reads def as source x; def reads what is left as source y.
func (c *combiner) join(r *regrouping, in, def *ir.Instr, x, y int, outer, inner [4]uint32) bool {
	o := &in.Src[x]
	op := ir.OpInvalid
	var by [4]uint32
	for i, l := range o {
		if l.V == nil {
			continue
		}
		to, w, ok := r.join(counted(in.Op, outer[i]), counted(def.Op, inner[l.V.Lane]))
		if !ok || op != ir.OpInvalid && op != to {
			return false
		}
		op, by[i] = to, w
	}
	return c.become(in, with(in, op, in.Mods, through(o, def, y), c.literals(o, by)))
}

// counted is the literal w as op takes it.
func counted(op ir.Op, w uint32) uint32 {
	switch op {
	case ir.OpIShl, ir.OpIShr, ir.OpUShr:
		return w & 31
	}
	return w
}

// literalSide finds the source of in that is literal, the second one unless they may
// change places, and returns the other one's number first.
func literalSide(in *ir.Instr) (other, k int, ok bool) {
	if isWords(&in.Src[1]) {
		return 0, 1, true
	}
	return 1, 0, in.Op.Has(ir.Commutes) && isWords(&in.Src[0])
}

// cancel makes a of (a ^ b) ^ b, which is how words are exchanged without a third one.
func (c *combiner) cancel(in *ir.Instr) bool {
	for k := range 2 {
		o := &in.Src[k]
		def := c.from(o, in)
		if def == nil || !isPlain(o) || def.Op != ir.OpIXor {
			continue
		}
		for j := range 2 {
			if settled(through(o, def, j)) == settled(in.Src[1-k]) && c.become(in, with(in, ir.OpMov, in.Mods, through(o, def, 1-j))) {
				return true
			}
		}
	}
	return false
}

// settled is o with plain moves looked through.
func settled(o ir.Operand) ir.Operand {
	for i, l := range o {
		if l.V != nil {
			o[i] = origin(l)
		}
	}
	return o
}

// origin is what l is a copy of.
func origin(l ir.Lane) ir.Lane {
	for {
		def := l.V.Def
		if def == nil || def.Op != ir.OpMov || def.Mods != 0 || def.IsPredicated() || def.Out[l.V.Lane] != l.V {
			return l
		}
		from := def.Src[0][l.V.Lane]
		if from.Mod != 0 || isLeafLoad(from.V) {
			return l
		}
		l.V = from.V
	}
}

// isLeafLoad reports whether v is read through an index, which may change.
func isLeafLoad(v *ir.Value) bool { return v.Def != nil && v.Def.Op == ir.OpLoad }

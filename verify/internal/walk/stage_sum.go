package walk

import (
	"maps"

	"github.com/shaderlift/shaderlift/ir"
)

// sum is a number plus multiples of values, modulo 2^32. The value nil is the number of the invocation in its group.
type sum struct {
	plus uint32
	of   map[*ir.Value]uint32
}

// maxTerms bounds the values of a sum. Longer ones would take a long time.
const maxTerms = 16

// sum returns v as a sum.
func (s *staging) sum(v *ir.Value) sum {
	if x, known := s.sums[v]; known {
		return x
	}
	x := sum{of: map[*ir.Value]uint32{v: 1}}
	of, added, isMember := s.Fn.Dialect.Launch().Member(v.Home)
	switch {
	case v.Kind == ir.Literal:
		x = sum{plus: v.Bits}
	case v.Kind == ir.Input && isMember:
		x = sum{of: map[*ir.Value]uint32{nil: 1}}
		if added {
			x.of[s.Fn.Leaf(ir.Input, of)] = s.size
		}
	case v.Def != nil && v.Def.Mods == 0 && !v.Def.IsPredicated():
		if y, ok := s.computed(v.Def, v.Lane); ok && len(y.of) <= maxTerms {
			x = y
		}
	}
	s.sums[v] = x
	return x
}

// computed returns the sum that a lane of in computes.
func (s *staging) computed(in *ir.Instr, lane uint8) (x sum, ok bool) {
	var o [3]sum
	switch in.Op {
	case ir.OpMov, ir.OpIAdd, ir.OpIShl, ir.OpIMul, ir.OpIMad:
		for i := range in.Src {
			if in.Src[i][lane].Mod != 0 {
				return x, false
			}
			o[i] = s.sum(in.Src[i][lane].V)
		}
	}
	switch in.Op {
	case ir.OpMov:
		return o[0], true
	case ir.OpIAdd:
		return o[0].plusTimes(o[1], 1), true
	case ir.OpIShl:
		return x.plusTimes(o[0], 1<<(o[1].plus&31)), len(o[1].of) == 0
	case ir.OpIMul, ir.OpIMad:
		if len(o[1].of) > 0 {
			o[0], o[1] = o[1], o[0]
		}
		return x.plusTimes(o[0], o[1].plus).plusTimes(o[2], 1), len(o[1].of) == 0
	}
	return x, false
}

// plusTimes returns x + times*y.
func (x sum) plusTimes(y sum, times uint32) sum {
	z := sum{x.plus + times*y.plus, map[*ir.Value]uint32{}}
	maps.Copy(z.of, x.of)
	for v, by := range y.of {
		if z.of[v] += times * by; z.of[v] == 0 {
			delete(z.of, v)
		}
	}
	return z
}

// isMultiple reports whether x is times*v plus a number.
func (x sum) isMultiple(v *ir.Value, times uint32) bool { return len(x.of) == 1 && x.of[v] == times }

// masked returns the operand of v, the bits of a sum in a mask. The mask is 0 if v is something else.
func (s *staging) masked(v *ir.Value) (x sum, mask uint32) {
	in := v.Def
	if in == nil || in.Op != ir.OpIAnd || in.Mods != 0 || in.IsPredicated() {
		return x, 0
	}
	a, b := in.Src[0][v.Lane], in.Src[1][v.Lane]
	if a.V.Kind == ir.Literal {
		a, b = b, a
	}
	if b.V.Kind != ir.Literal || a.Mod != 0 || b.Mod != 0 {
		return x, 0
	}
	return s.sum(a.V), b.V.Bits
}

// uniform reports whether all invocations of a group compute the same v in each trip.
func (s *staging) uniform(v *ir.Value) bool {
	same, known := s.alike[v]
	if known {
		return same
	}
	same = v == s.counter || s.isGrouped(v)
	if in := v.Def; in != nil && in.Op.HasFormula() && !in.IsPredicated() && !in.Op.Has(ir.Convergent) {
		same = true
		for i := range in.Src {
			reads := in.ReadsFor(i, 1<<v.Lane)
			for lane, l := range in.Src[i] {
				same = same && (l.V == nil || reads>>lane&1 == 0 || s.uniform(l.V))
			}
		}
	}
	s.alike[v] = same
	return same
}

// isGrouped reports whether v is a leaf that all invocations of a group share.
func (s *staging) isGrouped(v *ir.Value) bool {
	return v != nil && (v.IsConst() || v.Kind == ir.Input && s.Fn.Dialect.Launch().Alike(v.Home))
}

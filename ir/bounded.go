package ir

import "slices"

// endsByLiterals reports whether literals determine the trip count of the loop in, which no register counts.
// A break at the top of the body must compare an integer with a literal. The integer starts as a literal, and
// each trip adds a literal to it. The verifier recognizes more (verify/internal/walk/ending.go). A loop that only the
// verifier recognizes keeps more instructions than necessary.
func endsByLiterals(in *Instr) bool {
	body := in.Sub[0]
	for _, br := range body.Code {
		if br.Op != OpBreak || br.Cond != CondNone || len(br.Src) == 0 {
			continue
		}
		test := copied(br.Src[0][0])
		cmp := test.V.definedBy(OpILt, OpIGe, OpULt, OpUGe)
		if cmp == nil {
			continue
		}
		for side := range 2 {
			bound := copied(cmp.Src[1-side][test.V.Lane])
			if bound.V != nil && bound.V.Kind == Literal && countsByLiterals(in, copied(cmp.Src[side][test.V.Lane])) {
				return true
			}
		}
	}
	return false
}

// counterOf returns the start and the limit of a counter that bounds the trip count of the loop in, or nil.
// No register counts the loop. A break at the top of its body compares the counter with the limit. The limit
// is computed before the loop, and each trip adds one to the counter. The verifier lets rounding move other
// exits of such a loop (counterBound in verify/internal/walk/ending.go).
func counterOf(in *Instr) (start, limit *Value) {
	body := in.Sub[0]
	for _, br := range body.Code {
		if br.Op != OpBreak || br.Cond != CondNone || len(br.Src) == 0 {
			continue
		}
		test := br.Src[0][0]
		cmp := test.V.definedBy(OpILt, OpIGe, OpULt, OpUGe)
		if cmp == nil || (test.Mod == Not) != (cmp.Op == OpILt || cmp.Op == OpULt) || test.Mod&^Not != 0 {
			continue
		}
		counter, n := cmp.Src[0][test.V.Lane], cmp.Src[1][test.V.Lane]
		k := slices.Index(body.Params, counter.V)
		if k < 0 || counter.Mod != 0 || n.Mod != 0 || definedIn(body, n.V) {
			continue
		}
		next := copied(Lane{V: body.Results[k]})
		add := next.V.definedBy(OpIAdd)
		if next.Mod != 0 || add == nil {
			continue
		}
		for side := range 2 {
			from, step := add.Src[side][next.V.Lane], copied(add.Src[1-side][next.V.Lane])
			if from == counter && step.Mod == 0 && step.V.Kind == Literal && step.V.Bits == 1 {
				return in.Args[k], n.V
			}
		}
	}
	return nil, nil
}

// definedIn reports whether v is a parameter of r or of a region in it, or is computed there.
func definedIn(r *Region, v *Value) bool {
	if v.Def == nil && v.Kind != Param {
		return false
	}
	found := slices.Contains(r.Params, v)
	r.Walk(func(in *Instr) {
		found = found || in == v.Def
		for _, sub := range in.Sub {
			found = found || slices.Contains(sub.Params, v) || sub.Index == v
		}
	})
	return found
}

// countsByLiterals reports whether counter is a carried value of the loop in that starts as a literal. Each
// trip must add a literal other than zero to it.
func countsByLiterals(in *Instr, counter Lane) bool {
	body := in.Sub[0]
	for k, p := range body.Params {
		if p != counter.V || counter.Mod != 0 {
			continue
		}
		start, next := copied(Lane{V: in.Args[k]}), copied(Lane{V: body.Results[k]})
		add := next.V.definedBy(OpIAdd)
		if start.V == nil || start.V.Kind != Literal || next.Mod != 0 || add == nil {
			return false
		}
		for side := range 2 {
			from, step := copied(add.Src[side][next.V.Lane]), copied(add.Src[1-side][next.V.Lane])
			if from.V == p && from.Mod == 0 && step.V != nil && step.V.Kind == Literal && step.V.Bits != 0 {
				return true
			}
		}
	}
	return false
}

// definedBy returns the instruction that defines v if it has one of the ops and neither modifiers nor a
// predicate.
func (v *Value) definedBy(ops ...Op) *Instr {
	if v == nil || v.Def == nil || v.Def.Mods != 0 || v.Def.IsPredicated() {
		return nil
	}
	for _, op := range ops {
		if v.Def.Op == op {
			return v.Def
		}
	}
	return nil
}

// copied follows plain moves from l to the value that they copy.
func copied(l Lane) Lane {
	for from, ok := l.V.CopyOf(0); ok && l.Mod == 0; from, ok = l.V.CopyOf(0) {
		l = from
	}
	return l
}

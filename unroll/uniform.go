package unroll

import "github.com/shaderlift/shaderlift/ir"

// uniform reports whether all invocations of a group make the same number of trips. Then either all
// or none of them meet the fences and derivatives in the body. Start, steps and bound must be
// computed from values that the group shares.
func (c *counter) uniform(in *ir.Instr, d ir.Dialect) bool {
	u := alike{launch: d.Launch(), seen: map[*ir.Value]bool{}}
	for _, v := range append([]*ir.Value{in.Args[c.index], c.bound.V}, c.steps...) {
		if !u.value(v) {
			return false
		}
	}
	return true
}

// alike finds the values that all invocations of a group agree on.
type alike struct {
	launch ir.Launch // nil if the dialect has no groups
	seen   map[*ir.Value]bool
}

// value reports whether all invocations of a group compute the same v. It accepts computations from
// constants and from the group's number, without access to neighbours or memory. It does not follow
// the results of branches and loops.
func (u *alike) value(v *ir.Value) bool {
	same, known := u.seen[v]
	if known {
		return same
	}
	switch in := v.Def; {
	case v.Kind == ir.Input:
		same = u.launch != nil && u.launch.Alike(v.Home)
	case in == nil:
		same = v.IsConst()
	case in.Op.HasFormula() && !in.IsPredicated() && !in.Op.Has(ir.Convergent):
		same = u.operands(in, v)
	}
	u.seen[v] = same
	return same
}

// operands reports whether all invocations agree on the operands from which in computes v.
func (u *alike) operands(in *ir.Instr, v *ir.Value) bool {
	for s := range in.Src {
		reads := in.ReadsFor(s, 1<<v.Lane)
		for i := range 4 {
			if l := in.Src[s][i]; l.V != nil && reads>>i&1 != 0 && !u.value(l.V) {
				return false
			}
		}
	}
	return true
}

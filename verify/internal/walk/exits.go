package walk

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// raiseExits rewrites branches of loops that only leave the loop on one side as conditional exits:
//
//	if (c) { a } else { break }    becomes    break unless c; a
//
// Exits outside branches decide the trip counts of loops (see [walker.counts]). The structured control flow of SPIR-V
// has them in branches.
func raiseExits(f *ir.Func) {
	replaced := map[*ir.Value]ir.Lane{}
	f.EachRegion(func(r *ir.Region) {
		var code []*ir.Instr
		for rest := r.Code; len(rest) > 0; {
			in := rest[0]
			rest = rest[1:]
			side := exitSide(in)
			if side < 0 {
				code = append(code, in)
				continue
			}
			out, other := in.Sub[side].Code[0], in.Sub[1-side]
			test := in.Src[0]
			if side == 1 {
				test[0].Mod ^= ir.Not
			}
			out.Src = []ir.Operand{test}
			code, rest = append(code, out), slices.Concat(other.Code, rest)
			for k, v := range in.Results {
				replaced[v] = ir.Lane{V: other.Results[k]}
			}
			other.Code = nil
		}
		r.Code = code
	})
	f.Replace(replaced)
}

// exitSide returns the side of a branch that only leaves a loop, always, or -1.
func exitSide(in *ir.Instr) int {
	if in.Op != ir.OpIf || in.Cond != ir.CondNone {
		return -1
	}
	for side, sub := range in.Sub {
		if len(sub.Code) == 1 && sub.Code[0].Op == ir.OpBreak && len(sub.Code[0].Src) == 0 {
			return side
		}
	}
	return -1
}

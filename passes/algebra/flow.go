package algebra

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// decide evaluates the condition of an if or a break.
func (x *folder) decide(in *ir.Instr) (taken, ok bool) {
	if len(in.Src) == 0 {
		return true, false // a plain break needs no deciding
	}
	if in.Cond == ir.CondNone {
		l := in.Src[0][0]
		if l.V.Kind != ir.Literal {
			return false, false
		}
		return (l.V.Bits != 0) != (l.Mod&ir.Not != 0), true
	}
	if !x.c.Allows(passes.Bits, in) {
		return false, false
	}
	a, ok1 := x.literal(in.Src[0][0])
	b, ok2 := x.literal(in.Src[1][0])
	alg := &ir.Words{Fold: ok1 && ok2}
	holds := alg.Call(ir.CondPrim(in.Cond), []uint32{a, b})
	return holds != 0, alg.Fold
}

// branch folds an if: if its condition is known, the side taken replaces it.
func (x *folder) branch(in *ir.Instr) (by []*ir.Instr, gone bool) {
	if taken, ok := x.decide(in); ok {
		side := in.Sub[1]
		if taken {
			side = in.Sub[0]
		}
		if !leaves(side) && x.c.ShouldRewrite(in, "side-taken", "replaced by the side taken") {
			x.region(side)
			x.replace(in.Results, side.Results)
			return side.Code, true
		}
	}
	for _, sub := range in.Sub {
		x.region(sub)
	}
	for k, v := range in.Results {
		a, ok1 := x.literal(ir.Lane{V: in.Sub[0].Results[k]})
		b, ok2 := x.literal(ir.Lane{V: in.Sub[1].Results[k]})
		if ok1 && ok2 && a == b {
			x.bits[v.ID], x.known[v.ID] = a, true
		}
	}
	return nil, false
}

// leaves reports whether r ends in a break that is always taken: without the branch around it, the code that
// follows would never run. It looks at the top level alone: breaks in constructs of r are conditional.
func leaves(r *ir.Region) bool {
	for _, in := range r.Code {
		if in.Op == ir.OpBreak && len(in.Src) == 0 {
			return true
		}
	}
	return false
}

// foldLoop removes a loop with a literal trip count of 0.
func (x *folder) foldLoop(in *ir.Instr) (by []*ir.Instr, gone bool) {
	if len(in.Src) == 0 {
		return nil, false // it runs until a break
	}
	count := in.Src[0][0].V
	if count == nil || count.Kind != ir.Literal || count.Bits != 0 ||
		!x.c.ShouldRewrite(in, "no-trip", "removed: it makes no trip") {
		return nil, false
	}
	x.replace(in.Results, in.Args)
	return nil, true
}

// replace maps the results of a removed construct to their replacements.
func (x *folder) replace(results, by []*ir.Value) {
	for k, v := range results {
		x.replaced[v] = ir.Lane{V: by[k]}
	}
}

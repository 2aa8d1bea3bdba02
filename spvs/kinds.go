package spvs

import "github.com/shaderlift/shaderlift/ir"

// kinds is the kind in which each value is kept. Values that a phi, a move or a selection connects form a class, which
// has one kind. Each definition and each use votes for a kind of its class.
type kinds struct {
	class []ir.ID    // parent in the forest of classes, by value
	votes [][5]int32 // by class and kind: definitions count more than uses
}

// weight is the number of uses that one definition outweighs.
const weight = 1 << 16

func newKinds(n int) *kinds {
	ks := &kinds{class: make([]ir.ID, n), votes: make([][5]int32, n)}
	for i := range ks.class {
		ks.class[i] = ir.ID(i)
	}
	return ks
}

// find returns the root of the class of a value.
func (ks *kinds) find(id ir.ID) ir.ID {
	for ks.class[id] != id {
		ks.class[id] = ks.class[ks.class[id]]
		id = ks.class[id]
	}
	return id
}

// join puts two values into one class, unless one of them is a literal.
func (ks *kinds) join(a, b *ir.Value) {
	if a == nil || b == nil || a.Kind == ir.Literal || b.Kind == ir.Literal || a.Kind == ir.Undef || b.Kind == ir.Undef {
		return
	}
	x, y := ks.find(a.ID), ks.find(b.ID)
	if x == y {
		return
	}
	ks.class[x] = y
	for k, n := range ks.votes[x] {
		ks.votes[y][k] += n
	}
}

// define votes for the kind in which a value is computed.
func (ks *kinds) define(v *ir.Value, k Scalar) {
	if v != nil {
		ks.votes[ks.find(v.ID)][k] += weight
	}
}

// use votes for the kind in which a value is read.
func (ks *kinds) use(v *ir.Value, k Scalar) {
	if v != nil && !v.IsLeaf() {
		ks.votes[ks.find(v.ID)][k]++
	}
}

// of returns the kind of a value: the one with the most votes. A class is boolean only if all its definitions are.
func (ks *kinds) of(v *ir.Value) Scalar {
	votes := &ks.votes[ks.find(v.ID)]
	words := max(votes[Float], votes[Int], votes[Uint])
	if votes[Bool] > 0 && (words < weight || words == 0) {
		return Bool
	}
	best := Uint
	for _, k := range []Scalar{Int, Float} {
		if votes[k] > votes[best] {
			best = k
		}
	}
	return best
}

// vote collects the votes of the code of f.
func (ks *kinds) vote(f *ir.Func) {
	f.Walk(func(in *ir.Instr) {
		switch in.Op {
		case ir.OpIf:
			for k, v := range in.Results {
				ks.join(v, in.Sub[0].Results[k])
				ks.join(v, in.Sub[1].Results[k])
			}
		case ir.OpLoop:
			for k, v := range in.Sub[0].Params {
				ks.join(v, in.Args[k])
				ks.join(v, in.Sub[0].Results[k])
			}
			in.Sub[0].EachBreak(func(b *ir.Instr) {
				for k, v := range in.Results {
					ks.join(v, b.Args[k])
				}
			})
		default:
			ks.voteInstr(in)
		}
	})
}

// voteInstr collects the votes of an instruction that is no construct.
func (ks *kinds) voteInstr(in *ir.Instr) {
	r, ok := opRules[in.Op]
	if !ok {
		return
	}
	for i, v := range in.Out {
		if v == nil {
			continue
		}
		switch {
		case in.Op == ir.OpSel:
			ks.join(v, in.Src[1][i].V)
			ks.join(v, in.Src[2][i].V)
		case in.Op == ir.OpMov && in.Mods&ir.Sat == 0 && in.Src[0][i].Mod&(ir.Neg|ir.Abs) == 0:
			ks.join(v, in.Src[0][i].V)
		case in.Op == ir.OpMov:
			ks.define(v, Float)
		case r.result != words:
			ks.define(v, r.result)
		case logical[in.Op] != 0:
			for s := range in.Src {
				ks.join(v, in.Src[s][i].V)
			}
		}
	}
	from := r.source
	if from == NoScalar {
		from = r.result
	}
	for s := range in.Src {
		for _, l := range in.Src[s] {
			if from != words && from != NoScalar {
				ks.use(l.V, from)
			}
		}
	}
}

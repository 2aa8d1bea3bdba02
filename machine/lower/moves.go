package lower

import (
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/ir"
)

// keptMoves finds the moves that are carried out: those of which some lane is read in
// another straight piece of code. AMD's published counts for its tutorial's kernels have
// room for just these: 209, 593 and 594 operations, where moves that are propagated
// everywhere would leave 201, 586 and 588.
func keptMoves(f *ir.Func, need *ir.Needs) map[*ir.Instr]bool {
	k := &moveKeeper{need: need, at: make([]int, f.NumValues()), materialized: map[*ir.Instr]bool{}}
	k.region(f.Body)
	for _, o := range f.Outs {
		k.read(o.V)
	}
	return k.materialized
}

// moveKeeper walks the program with straight pieces of code numbered in order.
type moveKeeper struct {
	need         *ir.Needs
	piece, last  int
	at           []int // by ir.ID: the piece that a move is in, 0 of other values
	materialized map[*ir.Instr]bool
}

func (k *moveKeeper) begin() {
	k.last++
	k.piece = k.last
}

// region records the piece of every plain move, and every read of one from another piece.
func (k *moveKeeper) region(r *ir.Region) {
	k.begin()
	for _, in := range r.Code {
		if in.Op.Has(ir.Structured) && !k.need.Reached[in] {
			continue // it will not be there
		}
		for s := range in.Src {
			in.Src[s].Each(func(_ int, l *ir.Lane) { k.read(l.V) })
		}
		for _, v := range in.Args {
			k.read(v)
		}
		if in.Op == ir.OpMov && in.Mods == 0 {
			for _, v := range in.Out {
				if v != nil {
					k.at[v.ID] = k.piece
				}
			}
		}
		for _, sub := range in.Sub {
			k.region(sub)
			for _, v := range sub.Results {
				k.read(v)
			}
		}
		if in.Op.Has(ir.Structured) {
			k.begin()
		}
	}
}

func (k *moveKeeper) read(v *ir.Value) {
	if at := k.at[v.ID]; at != 0 && at != k.piece {
		k.materialized[v.Def] = true
	}
}

// materialize carries a move out. Of one that reads constants all components are made, wanted
// or not, equal ones once: the tutorial's kernels hold a literal vector in a register, and
// their counts have room for all of it.
func (l *lowerer) materialize(in *ir.Instr) {
	for i, v := range in.Out {
		if v == nil || !l.need.Live[v.ID] && !in.Src[0][i].V.IsLeaf() {
			continue
		}
		a := l.op(r600.OpMov, l.src(in, 0, i))
		if in.Src[0][i].V.IsConst() {
			l.vals[a.Val].whole = true
		}
		l.define(v, a)
	}
}

package lower

import (
	"github.com/shaderlift/shaderlift/asm/r600"
	"github.com/shaderlift/shaderlift/ir"
)

// keptMoves returns the moves that are kept: those with a lane that another basic block reads.
// AMD's published counts for its tutorial's kernels match this: 209, 593 and 594 operations. With
// moves propagated everywhere they would be 201, 586 and 588.
func keptMoves(f *ir.Func, need *ir.Needs) map[*ir.Instr]bool {
	k := &moveKeeper{need: need, at: make([]int, f.NumValues()), materialized: map[*ir.Instr]bool{}}
	k.region(f.Body)
	for _, o := range f.Outs {
		k.noteRead(o.V)
	}
	return k.materialized
}

// moveKeeper walks the program and numbers its basic blocks in order.
type moveKeeper struct {
	need         *ir.Needs
	piece, last  int
	at           []int // by ir.ID: the block of a move, 0 for other values
	materialized map[*ir.Instr]bool
}

func (k *moveKeeper) begin() {
	k.last++
	k.piece = k.last
}

// region records the block of every plain move, and every read of one from another block.
func (k *moveKeeper) region(r *ir.Region) {
	k.begin()
	for _, in := range r.Code {
		if in.Op.Has(ir.Structured) && !k.need.Reached[in] {
			continue // it is unreachable and will be removed
		}
		for s := range in.Src {
			in.Src[s].EachLane(func(_ int, l *ir.Lane) { k.noteRead(l.V) })
		}
		for _, v := range in.Args {
			k.noteRead(v)
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
				k.noteRead(v)
			}
		}
		if in.Op.Has(ir.Structured) {
			k.begin()
		}
	}
}

func (k *moveKeeper) noteRead(v *ir.Value) {
	if at := k.at[v.ID]; at != 0 && at != k.piece {
		k.materialized[v.Def] = true
	}
}

// materialize emits a move. If it reads constants, all its components are emitted, needed or not,
// equal ones once. The tutorial's kernels hold a literal vector in a register, and their counts
// include all of it.
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

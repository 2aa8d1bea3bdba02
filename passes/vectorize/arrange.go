package vectorize

import (
	"math/bits"

	"github.com/shaderlift/shaderlift/ir"
)

// permutation moves lane i to component p[i].
type permutation [4]uint8

var identity = permutation{0, 1, 2, 3}

// apply returns the set of lanes that mask is moved to.
func (to permutation) apply(mask uint8) (out uint8) {
	for i, j := range to {
		out |= mask >> i & 1 << j
	}
	return out
}

// arrangements lists, for each mask, one permutation for each way to place its lanes, identity first.
var arrangements = func() (all [16][]permutation) {
	for mask := range uint8(16) {
		seen := map[permutation]bool{}
		for n := range 256 {
			to := permutation{uint8(n >> 6), uint8(n >> 4 & 3), uint8(n >> 2 & 3), uint8(n & 3)}
			if to.apply(0xf) != 0xf {
				continue
			}
			if to = to.restrict(mask); !seen[to] {
				seen[to] = true
				all[mask] = append(all[mask], to)
			}
		}
		for i, to := range all[mask] {
			if to == identity {
				copy(all[mask][1:i+1], all[mask][:i])
				all[mask][0] = identity
			}
		}
	}
	return all
}()

// restrict returns the permutation that agrees with to on the lanes in mask and moves as few of the others as
// possible.
func (to permutation) restrict(mask uint8) permutation {
	used := to.apply(mask)
	rest := ^mask & 0xf
	for i := range to {
		if rest>>i&1 != 0 && used>>i&1 == 0 {
			to[i] = uint8(i)
			used |= 1 << i
			rest &^= 1 << i
		}
	}
	for ; rest != 0; rest &= rest - 1 {
		free := uint8(bits.TrailingZeros8(^used))
		to[bits.TrailingZeros8(rest)] = free
		used |= 1 << free
	}
	return to
}

// arrange plans the lanes of a and b in the joined instruction. It takes the first pair of arrangements with
// disjoint lanes, identity first, that the dialect can write and all readers can read.
func (p *packer) arrange(a, b *ir.Instr) bool {
	ra, rb := p.webOf(a), p.webOf(b)
	mayMove := [2]bool{p.movable(a, ra), p.movable(b, rb)}
	ma, mb := a.Mask(), b.Mask()
	pl := &p.plan
	mark := len(pl.moves)
	for i, ta := range arrangements[ma] {
		if i > 0 && !mayMove[0] {
			break
		}
		for j, tb := range arrangements[mb] {
			if j > 0 && !mayMove[1] {
				break
			}
			if ta.apply(ma)&tb.apply(mb) != 0 {
				continue
			}
			pl.moves = pl.moves[:mark]
			if p.fitsJoined(a, b, ta, tb) && (ra == rb || p.lanesAfter(a, ta)&p.lanesAfter(b, tb) == 0 || p.takeTurns(ra, rb)) {
				return true
			}
		}
	}
	return false
}

// lanesAfter returns the components that the web of in uses once in is permuted. Only an instruction with a
// web to itself may be permuted.
func (p *packer) lanesAfter(in *ir.Instr, to permutation) uint8 {
	if root := p.webOf(in); !p.solo[root] {
		return p.lanes[root]
	}
	return to.apply(in.Mask())
}

// fitsJoined reports whether a and b, permuted, form one legal instruction without cost for its readers. It
// adds the permutations to the plan.
func (p *packer) fitsJoined(a, b *ir.Instr, ta, tb permutation) bool {
	pl := &p.plan
	pl.begin(a)
	if !pl.overlay(a, ta, false) || !pl.overlay(b, tb, pl.swap) {
		return false
	}
	if ta != identity {
		pl.moves = append(pl.moves, move{a, ta})
	}
	if tb != identity {
		pl.moves = append(pl.moves, move{b, tb})
	}
	return p.legal(&pl.joined) && (ta == identity || p.readersFit(a)) && (tb == identity || p.readersFit(b))
}

// begin resets the joined instruction to the operation of in.
func (pl *plan) begin(in *ir.Instr) {
	pl.joined = ir.Instr{Op: in.Op, Mods: in.Mods, Cond: in.Cond, Res: in.Res, Base: in.Base, Imm: in.Imm,
		Src: pl.joined.Src[:0]}
	for range in.Src {
		pl.joined.Src = append(pl.joined.Src, ir.Operand{})
	}
}

// overlay adds the permuted lanes of in to the joined instruction. It returns false if a lane is already read
// differently.
func (pl *plan) overlay(in *ir.Instr, to permutation, swap bool) bool {
	for i, v := range in.Out {
		if v != nil {
			pl.joined.Out[to[i]] = v
		}
	}
	for s := range in.Src {
		from := &in.Src[s]
		if swap && s < 2 {
			from = &in.Src[1-s]
		}
		for i, l := range from {
			if l.V == nil {
				continue
			}
			if lanesMove(in.Op) {
				i = int(to[i])
			}
			o := &pl.joined.Src[s][i]
			if o.V != nil && *o != l {
				return false
			}
			*o = l
		}
	}
	return true
}

// plannedComp returns the component of v after the plan is carried out.
func (p *packer) plannedComp(v *ir.Value) int {
	c := v.ReadComponent()
	if v.Def != nil && v.Def.Out[v.Lane] == v {
		for i := range p.plan.moves {
			if p.plan.moves[i].in == v.Def {
				return int(p.plan.moves[i].to[c])
			}
		}
	}
	return c
}

// legal reports whether in can be written with its present operands.
func (p *packer) legal(in *ir.Instr) bool {
	if !p.f.Dialect.Encodable(in) {
		return false
	}
	for s := range in.Src {
		if !p.sourceReadable(in, s, p.plannedComp) {
			return false
		}
	}
	return true
}

// sourceReadable reports whether source s of in is readable as one register, judged by the components of temporaries.
func (p *packer) sourceReadable(in *ir.Instr, s int, comp func(*ir.Value) int) bool {
	from := [4]int8{-1, -1, -1, -1}
	var read [4]*ir.Value
	for i, l := range in.Src[s] {
		if l.V == nil || !isTemp(l.V) {
			continue
		}
		c := comp(l.V)
		if read[c] != nil && read[c] != l.V {
			return false
		}
		read[c] = l.V
		from[i] = int8(c)
	}
	return read == [4]*ir.Value{} || p.swz.CanRead(in.Op, s, from)
}

// readersFit reports whether every operand that reads a result of in is as readable with the planned moves as
// now. It ignores the instructions to be joined.
func (p *packer) readersFit(in *ir.Instr) bool {
	for _, v := range in.Out {
		if v == nil {
			continue
		}
		for u := p.head[v.ID]; u >= 0; u = p.uses[u].next {
			if p.uses[u].reader < 0 {
				continue
			}
			n := p.followJoins(p.uses[u].reader)
			if n == p.plan.a || n == p.plan.b {
				continue
			}
			r := p.nodes[n].in
			for s := range r.Src {
				if !p.sourceReadable(r, s, p.plannedComp) && p.sourceReadable(r, s, (*ir.Value).ReadComponent) {
					return false
				}
			}
		}
	}
	return true
}

package d3d9

import "math/bits"

// live is a set of components of temporaries.
type live [(32*4 + 63) / 64]uint64

func (s *live) add(r Reg, m Mask) {
	if r.File == Temp && r.Index < 32 {
		s[r.Index/16] |= uint64(m) << (r.Index % 16 * 4)
	}
}

func (s *live) remove(r Reg, m Mask) {
	if r.File == Temp && r.Index < 32 {
		s[r.Index/16] &^= uint64(m) << (r.Index % 16 * 4)
	}
}

// Live counts, behind each statement of p, the components of temporaries that some way from
// there reads before it writes them. What a predicated statement writes may still be what was
// there before.
func Live(p *Program) []int {
	next := successors(p)
	tex := map[uint16]TexType{}
	for i := range p.Insts {
		if in := &p.Insts[i]; in.Op == OpDcl && in.Dst.File == Sampler {
			tex[in.Dst.Index] = in.Decl.Tex
		}
	}
	in, out := make([]live, len(p.Insts)+1), make([]live, len(p.Insts))
	for again := true; again; {
		again = false
		for i := len(p.Insts) - 1; i >= 0; i-- {
			q := &p.Insts[i]
			var after live
			for _, n := range next[i] {
				for k := range after {
					after[k] |= in[n][k]
				}
			}
			before := after
			if kind := q.Op.Kind(); kind != Declaration && kind != Trivia {
				switch {
				case q.Op == OpTexKill:
					before.add(q.Dst.Reg, q.Dst.Mask)
				case q.HasDst && !q.HasPred:
					before.remove(q.Dst.Reg, q.Dst.Mask)
				}
				for k, s := range q.Sources() {
					for row := range q.Rows(k) {
						r := s.Reg
						r.Index += uint16(row)
						before.add(r, q.Components(k, tex[q.Src[1].Index]))
					}
				}
			}
			again = again || before != in[i]
			if in[i], out[i] = before, after; q.Op == OpCall || q.Op == OpCallnz {
				out[i] = in[i+1] // when it has come back
			}
		}
	}
	counts := make([]int, len(out))
	for i, s := range out {
		for _, w := range s {
			counts[i] += bits.OnesCount64(w)
		}
	}
	return counts
}

// successors lists the statements that may follow each one of p; the end of p is behind the
// last.
func successors(p *Program) [][]int {
	n := len(p.Insts)
	var open []int
	match := make([]int, n)             // of what opens a block or divides it, what comes at its end, and of an end what opens it
	around := make([]int, n)            // of a break, the loop
	labels := map[uint16]int{}          // where subroutines begin
	calls := map[uint16][]int{}         // and who calls them
	owner, inside := make([]int, n), -1 // the subroutine that a statement is of, by its label
	for i := range p.Insts {
		in := &p.Insts[i]
		owner[i] = inside
		switch in.Op {
		case OpIf, OpIfc, OpLoop, OpRep:
			open = append(open, i)
		case OpElse, OpEndIf, OpEndLoop, OpEndRep:
			if len(open) == 0 {
				continue
			}
			last := len(open) - 1
			match[open[last]], match[i] = i, open[last]
			if open = open[:last]; in.Op == OpElse {
				open = append(open, i)
			}
		case OpBreak, OpBreakc, OpBreakp:
			for k := len(open) - 1; k >= 0; k-- {
				if op := p.Insts[open[k]].Op; op == OpLoop || op == OpRep {
					around[i] = open[k]
					break
				}
			}
		case OpLabel:
			inside = int(in.Src[0].Index)
			labels[in.Src[0].Index], owner[i] = i, inside
		case OpCall, OpCallnz:
			calls[in.Src[0].Index] = append(calls[in.Src[0].Index], i)
		}
	}
	next := make([][]int, n)
	for i := range p.Insts {
		in := &p.Insts[i]
		switch in.Op {
		case OpIf, OpIfc, OpLoop, OpRep:
			next[i] = []int{i + 1, match[i] + 1}
		case OpElse:
			next[i] = []int{match[i]}
		case OpEndLoop, OpEndRep:
			next[i] = []int{i + 1, match[i] + 1}
		case OpBreak:
			next[i] = []int{match[around[i]] + 1}
		case OpBreakc, OpBreakp:
			next[i] = []int{i + 1, match[around[i]] + 1}
		case OpCall:
			next[i] = []int{labels[in.Src[0].Index]}
		case OpCallnz:
			next[i] = []int{i + 1, labels[in.Src[0].Index]}
		case OpRet:
			if owner[i] < 0 {
				continue
			}
			for _, c := range calls[uint16(owner[i])] {
				next[i] = append(next[i], c+1)
			}
		default:
			next[i] = []int{i + 1}
		}
	}
	return next
}

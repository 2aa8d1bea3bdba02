package d3d9

import "math/bits"

// live is a set of components of temporaries: component c of r(n) is bit 4n+c of the
// array. No model has more than 32 temporaries (MSDN, "Temporary Register").
type live [(32*4 + 63) / 64]uint64

// add puts the components m of r into the set, if r is a temporary.
func (s *live) add(r Reg, m Mask) {
	if r.File == Temp && r.Index < 32 {
		s[r.Index/16] |= uint64(m) << (r.Index % 16 * 4)
	}
}

// remove takes the components m of r out of the set, if r is a temporary.
func (s *live) remove(r Reg, m Mask) {
	if r.File == Temp && r.Index < 32 {
		s[r.Index/16] &^= uint64(m) << (r.Index % 16 * 4)
	}
}

// LiveComponents returns, for each statement of p, the number of temporary components that are live after it.
// This is the classic backward analysis
//
//	in[i]  = (out[i] - defs(i)) + uses(i)
//	out[i] = union of in[n] over the successors n of i
//
// from empty sets up to the least fixed point (Aho et al., "Compilers", section 9.2.5). It repeats
// as long as a set grows; straight code needs two rounds and each nested loop at most one more, in
// practice.
//
// A predicated statement may keep the old value of its destination, so it kills nothing.
//
// The analysis is context-insensitive: ret continues after every call of its label. This may
// overestimate liveness, and never underestimates it.
func LiveComponents(p *Program) []int {
	next := successors(p)
	// The texture type of a sampler determines the number of coordinate components read.
	tex := map[uint16]TexType{}
	for i := range p.Insts {
		if in := &p.Insts[i]; in.Op == OpDcl && in.Dst.File == Sampler {
			tex[in.Dst.Index] = in.Decl.Tex
		}
	}
	// in has an extra element for the end of the program, which stays empty.
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
				// Definitions are removed before uses are added: add r0, r0, c0 leaves r0 live
				// before it.
				switch {
				case q.Op == OpTexKill:
					// texkill has its source in the destination field.
					before.add(q.Dst.Reg, q.Dst.Mask)
				case q.HasDst && !q.HasPred:
					before.remove(q.Dst.Reg, q.Dst.Mask)
				}
				// A matrix instruction reads several registers of a source, one for each row.
				for k, s := range q.Sources() {
					for row := range q.SourceRegisters(k) {
						r := s.Reg
						r.Index += uint16(row)
						before.add(r, q.Components(k, tex[q.Src[1].Index]))
					}
				}
			}
			again = again || before != in[i]
			if in[i], out[i] = before, after; q.Op == OpCall || q.Op == OpCallnz {
				// After a call that has returned: the successor of call is the label, whose live
				// set differs from that at the caller's next statement.
				out[i] = in[i+1]
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

// successors returns the successors of each statement of p; the index len(p.Insts) is the end. p
// has to be well nested, as [Validate] demands; successors ignores an end without a beginning.
//
// A loop may run zero times, and its end may leave the loop or repeat it. Control reaches else from
// the end of the first block, so its successor is endif:
//
//	if b0      -> next, statement after else (or after endif)
//	else       -> endif
//	endif      -> next
func successors(p *Program) [][]int {
	n := len(p.Insts)
	var open []int
	match := make([]int, n)             // for the start or middle of a block, its end; for an end, its start
	around := make([]int, n)            // for a break, the loop
	labels := map[uint16]int{}          // statements that begin subroutines
	calls := map[uint16][]int{}         // calls of each label
	owner, inside := make([]int, n), -1 // the label of the subroutine that has the statement
	// First pass: match the ends of blocks with their beginnings, breaks with loops,
	// and calls with labels.
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
	// Second pass: the edges.
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
			// ret of the main program ends it.
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

package vsps

import (
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/slab"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// prune removes what moves write and nothing reads, and notes where every value is
// defined. Moves that rounds of repair added may be unread after later rounds.
func (a *assigner) prune() {
	used := slab.Zeros(a.used, int(a.b.n))
	a.used = used
	// Phase 1: the values that a statement reads, those kept under a predicate among them.
	see := func(lanes []lane) {
		for i := range lanes {
			if l := &lanes[i]; l.kind == laneTemp {
				used[l.v] = true
			}
		}
	}
	for _, s := range a.b.stmts {
		for k := range s.src {
			see(s.src[k][:])
		}
		see(s.args)
		if s.cond {
			for _, v := range s.keep {
				if v >= 0 {
					used[v] = true
				}
			}
		}
	}
	// Phase 2: drop the lanes of moves that nothing reads. Only moves that legalization added
	// qualify (in is nil): other dead code was removed in the IR. Pinned values are in an output
	// register.
	kept := a.b.stmts[:0]
	a.def = slab.Zeros(a.def, int(a.b.n))
	for i := range a.def {
		a.def[i] = -1
	}
	for _, s := range a.b.stmts {
		if s.in == nil && s.op == d3d9.OpMov && !s.colour {
			for i, v := range s.out {
				if v >= 0 && !used[v] && a.b.pin[v] == regalloc.NoPin {
					s.out[i], s.src[0][i] = -1, lane{}
				}
			}
			if s.mask() == 0 {
				continue
			}
		}
		// def is the index of a value's statement in the list as it is now, -1 for what comes from
		// outside.
		for _, v := range s.out {
			if v >= 0 {
				a.def[v] = int32(len(kept))
			}
		}
		kept = append(kept, s)
	}
	a.b.stmts = kept
}

// coalesce puts the source and the destination of plain moves into one place where they
// do not meet; such moves are not written. It is greedy, in program order, without
// weights: a move is a slot wherever it stands. Under restricted swizzles a component
// must not change any more once operands have been found readable, so components are
// fixed first.
func (a *assigner) coalesce() {
	restricted := a.b.d.limits.Swizzles != nil
	for _, s := range a.b.stmts {
		if s.op != d3d9.OpMov || s.irop != ir.OpMov || s.mods&ir.Sat != 0 || s.in != nil && s.in.IsPredicated() {
			continue
		}
		for i, v := range s.out {
			l := &s.src[0][i]
			if v < 0 || l.kind != laneTemp || l.mod != 0 || a.b.pin[v] != regalloc.NoPin {
				continue
			}
			// A value that is alone in its web may still change its component; its readers were
			// legalized for the one it has.
			for _, x := range []int32{v, l.v} {
				if restricted && !a.webs.Alone(x) {
					a.webs.Fix(x) // swizzles that read it are legal as it is
				}
			}
			// JoinAt refuses where the two live at the same time.
			a.webs.JoinAt(v, l.v)
		}
	}
}

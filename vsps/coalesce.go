package vsps

import (
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/regalloc"
)

// prune removes the lanes of moves that nothing reads, and records the definition of every value.
// Later rounds of repair may make moves of earlier rounds dead.
func (a *assigner) prune() {
	used := container.Zeros(a.used, int(a.b.n))
	a.used = used
	// Phase 1: the values that a statement reads or keeps under a predicate.
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
	// Phase 2: drop the dead lanes of moves. Only moves added by legalization qualify (in is nil),
	// because IR passes remove other dead code. Pinned values are in an output register.
	kept := a.b.stmts[:0]
	a.def = container.Zeros(a.def, int(a.b.n))
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
		// def is the index of the statement that defines a value in the current list, or -1 for
		// values from outside.
		for _, v := range s.out {
			if v >= 0 {
				a.def[v] = int32(len(kept))
			}
		}
		kept = append(kept, s)
	}
	a.b.stmts = kept
}

// coalesce assigns the source and the destination of plain moves to one place if they do not
// interfere; such moves are not written. It is greedy, in program order, without weights, because
// each move costs one slot. Under restricted swizzles a component must not change after operands
// were found readable, so it fixes components first.
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
			// A value that is alone in its web may still change its component, but its readers were
			// legalized for the current one.
			for _, x := range []int32{v, l.v} {
				if restricted && !a.webs.Alone(x) {
					a.webs.Fix(x) // swizzles that read it are legal for the current component
				}
			}
			// JoinAt fails if the two live at the same time.
			a.webs.JoinAt(v, l.v)
		}
	}
}

package amdil

import (
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/regalloc"
)

// conditionTest returns the statement of kind nz or z that depends on the condition of s. ifnz is an older spelling of
// if_logicalnz, kept where the input has it.
func (w *writer) conditionTest(s *stmt, nz, z il.Op) (il.Inst, error) {
	in := il.Inst{Op: nz, NSrc: 1}
	var hint *il.Src
	if s.orig >= 0 {
		if o := &w.orig.Insts[s.orig]; o.NSrc > 0 {
			hint = &o.Src[0]
			if o.Op == il.OpIfNZ && nz == il.OpIfLogicalNZ && !s.not {
				in.Op = il.OpIfNZ
			}
		}
	}
	if s.not {
		in.Op = z
	}
	src, err := w.source(&s.src[0], [4]int{0, 1, 2, 3}, il.AllLanes, hint)
	in.Src[0] = src
	return in, err
}

// conditional writes the beginning, middle or end of a conditional. It omits an empty side:
//
//	if_logicalnz r0.x;  else;  A;  endif      if_logicalz r0.x;  A;  endif
//
// A side is known to be empty only once its moves are written. So the if is written first, and changed or
// removed later.
func (w *writer) conditional(s *stmt) error {
	if s.head != nil {
		return w.emitSwitchPart(s)
	}
	if s.kind == regalloc.If {
		in, err := w.conditionTest(s, il.OpIfLogicalNZ, il.OpIfLogicalZ)
		if err != nil {
			return err
		}
		w.appendFor(in, s)
		w.open = append(w.open, opened{at: len(w.out) - 1})
		return nil
	}
	if _, err := w.emitPhiMoves(s); err != nil {
		return err
	}
	ends, known := w.ends[s.open.orig]
	if !known || w.orig.Insts[s.open.orig].Op.Role() != il.If {
		ends = blockEnd{-1, -1}
	}
	top := &w.open[len(w.open)-1]
	// At the else: the first side is empty if nothing was written since the if.
	if s.kind == regalloc.Else {
		if len(w.out)-1 > top.at {
			top.mid = len(w.out)
			w.appendInst(il.Inst{Op: il.OpElse}, ends.mid)
			return nil
		}
		x := &w.out[top.at]
		x.Text = ""
		if x.Op == il.OpIfLogicalZ {
			x.Op = il.OpIfLogicalNZ
		} else {
			x.Op = il.OpIfLogicalZ
		}
		return nil
	}
	// At the end: remove an empty else, and an if whose sides are both empty.
	w.open = w.open[:len(w.open)-1]
	if n := len(w.out) - 1; n == top.mid && n > top.at {
		w.out = w.out[:n]
	} else if n == top.at {
		w.out = w.out[:n]
		return nil
	}
	w.appendInst(il.Inst{Op: il.OpEndIf}, ends.end)
	return nil
}

// writeLoop writes the beginning or end of a loop, or a break.
func (w *writer) writeLoop(s *stmt) error {
	if s.kind == regalloc.Break {
		return w.breakIf(s)
	}
	if _, err := w.emitPhiMoves(s); err != nil {
		return err
	}
	in, orig := il.Inst{Op: s.op}, s.orig
	switch s.kind {
	case regalloc.Loop:
		if orig >= 0 && w.orig.Insts[orig].Op.Role() == il.Loop {
			in.Op = w.orig.Insts[orig].Op
		}
	case regalloc.EndLoop:
		orig = -1
		if ends, known := w.ends[s.open.orig]; known {
			orig = ends.end
		}
	}
	in.Also = s.origins()
	w.appendInst(in, orig)
	return nil
}

// breakIf writes a conditional break. If it has to move values first, the moves must not happen on the other
// path:
//
//	break_logicalnz r0.x      if_logicalnz r0.x;  mov r1, r2;  break;  endif
func (w *writer) breakIf(s *stmt) error {
	targets := w.handed(s)
	if len(targets) == 0 {
		in, err := w.conditionTest(s, il.OpBreakLogicalNZ, il.OpBreakLogicalZ)
		w.appendFor(in, s)
		return err
	}
	in, err := w.conditionTest(s, il.OpIfLogicalNZ, il.OpIfLogicalZ)
	if err != nil {
		return err
	}
	w.appendFor(in, s)
	if err := w.copies(targets, nil); err != nil {
		return err
	}
	w.appendInst(il.Inst{Op: il.OpBreak}, -1)
	w.appendInst(il.Inst{Op: il.OpEndIf}, -1)
	return nil
}

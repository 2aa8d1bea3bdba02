package d3d9

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm"
)

// flow is the block structure of a program, as statement indices. checkBlocks computes it; it is
// meaningless if that fails.
type flow struct {
	// end maps the opening statement of a block to the closing one: else or endif for an if, endif
	// for an else, endrep, endloop.
	end []int
	// breaks marks the loops that have a break.
	breaks []bool
	// bodies are the main program, which is body 0, and the subroutines, in order; subs maps labels
	// to bodies.
	bodies []body
	subs   map[uint16]int
}

// body is a range of statements, label and ret excluded: first to last-1.
type body struct{ first, last int }

// checkBlocks checks that blocks nest and bodies end, and records their structure. It reports
// whether they do; the checks of paths need this. A program is a main part followed by subroutines,
// each from its label to its ret:
//
//	main ... ret  label l0 ... ret  label l1 ... ret
func (v *validator) checkBlocks() bool {
	f := &v.flow
	f.end = make([]int, len(v.p.Insts))
	f.breaks = make([]bool, len(v.p.Insts))
	f.subs = map[uint16]int{}
	b := blocks{v: v}
	for i := range v.p.Insts {
		if k := v.p.Insts[i].Op.Kind(); k == Trivia || k == Declaration {
			continue
		}
		b.statement(i, &v.p.Insts[i])
	}
	b.finish(len(v.p.Insts))
	return !b.broken
}

// blocks matches the statements of control flow in one walk, with a stack of open blocks.
type blocks struct {
	v     *validator
	open  []int // opening statements of the enclosing blocks
	first int   // start of the current body
	// after a ret, only a label may follow
	ended bool
	// an error was reported
	broken bool
	// astray is set when a statement does not match its enclosing block. Either of the two may be
	// wrong, so the checks report nothing more about this body.
	astray bool
}

// reportFault reports a fault of the structure.
func (b *blocks) reportFault(i int, code asm.Code, format string, args ...any) {
	b.broken = true
	if !b.astray {
		b.v.report(i, code, format, args...)
	}
}

// misfit reports a statement that is not allowed in the innermost block.
func (b *blocks) misfit(i int, code asm.Code) {
	opener := &b.v.p.Insts[b.open[len(b.open)-1]]
	place := fmt.Sprintf("of line %d", opener.Pos.Line)
	if opener.Pos.Line == 0 {
		place = fmt.Sprintf("at +0x%x", opener.Pos.Offset)
	}
	b.reportFault(i, code, "%s within the %s %s", b.v.p.Insts[i].Op, opener.Op, place)
	b.astray = true
}

// statement processes one statement. ret ends a body and is not allowed in a block (MSDN, "ret -
// vs").
func (b *blocks) statement(i int, in *Inst) {
	if b.ended && in.Op != OpLabel {
		b.reportFault(i, codeRet, "%s after the end of the program or subroutine", in.Op)
		b.ended = false
	}
	switch in.Op {
	case OpIf, OpIfc, OpRep, OpLoop:
		b.open = append(b.open, i)
	case OpElse:
		if b.close(i, in.Op, OpIf, OpIfc) {
			b.open = append(b.open, i)
		}
	case OpEndIf:
		b.close(i, in.Op, OpIf, OpIfc, OpElse)
	case OpEndRep:
		b.close(i, in.Op, OpRep)
	case OpEndLoop:
		b.close(i, in.Op, OpLoop)
	case OpBreak, OpBreakc, OpBreakp:
		b.leave(i, in.Op)
	case OpLabel:
		b.label(i, in.Src[0].Index)
	case OpRet:
		if len(b.open) > 0 {
			b.misfit(i, codeRet)
			return
		}
		b.v.flow.bodies = append(b.v.flow.bodies, body{b.first, i})
		b.ended = true
	}
}

// close ends the innermost block, whose opening statement must be one of openers.
func (b *blocks) close(i int, op Op, openers ...Op) bool {
	n := len(b.open) - 1
	if n >= 0 {
		top := b.open[n]
		for _, o := range openers {
			if b.v.p.Insts[top].Op == o {
				b.open = b.open[:n]
				b.v.flow.end[top] = i
				return true
			}
		}
	}
	if n >= 0 {
		b.misfit(i, codeBlock)
	} else {
		b.reportFault(i, codeBlock, "%s closes no block", op)
	}
	return false
}

// leave marks the innermost loop, outside any ifs, as having a break.
func (b *blocks) leave(i int, op Op) {
	for k := len(b.open) - 1; k >= 0; k-- {
		if o := b.v.p.Insts[b.open[k]].Op; o == OpRep || o == OpLoop {
			b.v.flow.breaks[b.open[k]] = true
			return
		}
	}
	b.reportFault(i, codeBreak, "%s outside a loop", op)
}

// label begins a subroutine.
func (b *blocks) label(i int, l uint16) {
	subs := b.v.flow.subs
	if _, ok := subs[l]; ok {
		b.reportFault(i, codeDuplicateLabel, "label l%d is defined twice", l)
	}
	if !b.ended {
		if len(b.open) > 0 {
			b.misfit(i, codeLabel)
		} else {
			b.reportFault(i, codeLabel, "label l%d does not follow a ret", l)
		}
		b.v.flow.bodies = append(b.v.flow.bodies, body{b.first, i})
	}
	subs[l] = len(b.v.flow.bodies)
	b.first, b.open, b.ended, b.astray = i+1, nil, false, false
}

// finish ends the program. The main part needs no ret if there are no subroutines.
func (b *blocks) finish(n int) {
	for _, i := range b.open {
		b.reportFault(i, codeBlock, "%s is never closed", b.v.p.Insts[i].Op)
	}
	if b.ended {
		return
	}
	if len(b.v.flow.subs) > 0 {
		b.reportFault(-1, codeNoRet, "the last subroutine has no ret")
	}
	b.v.flow.bodies = append(b.v.flow.bodies, body{b.first, n})
}

package amdil

import (
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
)

// emitCopies adds the copies of a mov, or of a load that was not folded, as one statement of copies. The writer
// splits it into movs once registers are known.
func (b *emitter) emitCopies(in *ir.Instr) {
	// A dmov stays one, though a mov would be enough.
	s := b.statement(il.OpMov, in)
	if o := b.original(in); o != nil && o.Op == il.OpDMov {
		s.op = il.OpDMov
	}
	for i, v := range in.Out {
		if v == nil {
			continue
		}
		c := copied{to: b.recordHint(v, i), sat: in.Mods&ir.Sat != 0}
		if in.Op == ir.OpMov {
			c.from = b.operandLane(in.Src[0][i])
		} else {
			c.from = lane{kind: laneLeaf, comp: uint8(i)}
			c.from.reg, c.from.elem = b.indexed(in)
		}
		s.copies = append(s.copies, c)
	}
	b.appendStmt(s)
}

// transpose adds the moves of a transpose, or the remaining ones, as one statement, and returns their number.
// It returns 0 if code does not begin with them. A transpose was lifted as four movs. They become one again
// if they are still adjacent and unmodified, in the rows that the input wrote.
func (b *emitter) transpose(code []*ir.Instr) (n int) {
	orig := b.original(code[0])
	if orig == nil || orig.Op != il.OpTranspose {
		return 0
	}
	s := b.statement(il.OpTranspose, code[0])
	for _, in := range code[:min(4, len(code))] {
		if in.Op != ir.OpMov || in.Orig != s.orig || in.Mods != 0 {
			break
		}
		for i, v := range in.Out {
			if v == nil {
				continue
			}
			l := b.operandLane(in.Src[0][i])
			// The row that it writes.
			row := int(v.Home.Index) - int(orig.Dst.Num)
			if l.kind != laneTemp || l.mod != 0 || v.Home.File != ir.File(orig.Dst.File) || int(v.Home.Comp) != i || row < 0 ||
				row > 3 {
				return 0
			}
			s.copies = append(s.copies, copied{to: b.recordHint(v, i), from: l, row: row})
		}
		n++
	}
	// One row alone is a mov.
	if n < 2 {
		return 0
	}
	b.appendStmt(s)
	return n
}

package amdil

import (
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
)

// move adds the copies of a mov, or of a load that is no operand, as one statement of
// copies: which movs they become is decided when registers are known.
func (b *emitter) move(in *ir.Instr) {
	// A dmov stays one, though a mov would do.
	s := b.statement(il.OpMov, in)
	if o := b.original(in); o != nil && o.Op == il.OpDMov {
		s.op = il.OpDMov
	}
	for i, v := range in.Out {
		if v == nil {
			continue
		}
		c := copied{to: b.note(v, i), sat: in.Mods&ir.Sat != 0}
		if in.Op == ir.OpMov {
			c.from = b.lane(in.Src[0][i])
		} else {
			c.from = lane{kind: laneLeaf, comp: uint8(i)}
			c.from.reg, c.from.elem = b.indexed(in)
		}
		s.copies = append(s.copies, c)
	}
	b.add(s)
}

// transpose adds the moves that a transpose stands for, or what is left of them, as one
// statement, if code begins with them, and returns how many they are. It was lifted as
// four movs; they are one again if they still stand together, unmodified, in the rows
// that the input wrote.
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
			l := b.lane(in.Src[0][i])
			// Which of the four registers it writes.
			row := int(v.Home.Index) - int(orig.Dst.Num)
			if l.kind != laneTemp || l.mod != 0 || v.Home.File != ir.File(orig.Dst.File) || int(v.Home.Comp) != i || row < 0 || row > 3 {
				return 0
			}
			s.copies = append(s.copies, copied{to: b.note(v, i), from: l, row: row})
		}
		n++
	}
	// One row alone is a mov.
	if n < 2 {
		return 0
	}
	b.add(s)
	return n
}

package mutate

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// d3d9FlowKinds change the path of a program and its trip counts.
var d3d9FlowKinds = []Kind{
	{Name: "kill-lost", Doc: "a texkill is removed", d3d9: (*d3d9Site).killLost},
	{Name: "kill-added", Doc: "a texkill of a register in use is added", d3d9: (*d3d9Site).killAdded},
	{Name: "kill-register", Doc: "a texkill looks at another register", d3d9: (*d3d9Site).killRegister},
	{Name: "condition-flipped", Doc: "a branch, a break or a setp is taken where it was not",
		d3d9: (*d3d9Site).conditionFlipped},
	{Name: "condition-strict", Subtle: true,
		Doc: "a comparison includes equality where it did not, or the other way round", d3d9: (*d3d9Site).conditionStrict},
	{Name: "condition-other", Doc: "a comparison is another one", d3d9: (*d3d9Site).conditionOther},
	{Name: "condition-constant", Doc: "a branch looks at another boolean constant", d3d9: (*d3d9Site).conditionConstant},
	{Name: "exit-lost", Doc: "a break is removed", d3d9: (*d3d9Site).exitLost},
	{Name: "exit-added", Doc: "a loop breaks in its first trip", d3d9: (*d3d9Site).exitAdded},
	{Name: "loop-register", Doc: "a loop takes its count from another i#", d3d9: (*d3d9Site).loopRegister},
	{Name: "trip-from-6", Subtle: true, Doc: "a loop does something else from its sixth trip on",
		d3d9: (*d3d9Site).tripFrom},
	{Name: "rare-equality", Subtle: true, Doc: "a value is another where a host constant equals 12345",
		d3d9: (*d3d9Site).rareEquality},
	{Name: "else-exchanged", Doc: "the two sides of a branch change places", d3d9: (*d3d9Site).elseExchanged},
}

func (m *d3d9Site) killLost() bool {
	if m.statement().Op != d3d9.OpTexKill {
		return false
	}
	m.remove()
	return true
}

// killAdded kills fragments if any component of the temporary just computed is negative.
func (m *d3d9Site) killAdded() bool {
	in := m.statement()
	if m.p.Model.Stage != d3d9.Pixel || !computes(in) || in.Dst.File != d3d9.Temp {
		return false
	}
	m.insert(m.i+1, d3d9.Inst{Op: d3d9.OpTexKill, HasDst: true, Dst: d3d9.Dst{Reg: in.Dst.Reg, Mask: d3d9.MaskAll}})
	return true
}

// killRegister picks from the registers up to two beyond the old one, like all kinds that change a number.
// This range usually hits other registers in use, and sometimes an unused one.
func (m *d3d9Site) killRegister() bool {
	in := m.statement()
	if in.Op != d3d9.OpTexKill {
		return false
	}
	old := in.Dst.Index
	in.Dst.Index = uint16(m.r.IntN(int(old) + 3))
	return in.Dst.Index != old
}

// complement maps a comparison to the one that holds where it does not, except for NaN.
var complement = [...]d3d9.Cmp{d3d9.CmpGT: d3d9.CmpLE, d3d9.CmpEQ: d3d9.CmpNE, d3d9.CmpGE: d3d9.CmpLT,
	d3d9.CmpLT: d3d9.CmpGE, d3d9.CmpNE: d3d9.CmpEQ, d3d9.CmpLE: d3d9.CmpGT}

// strictness pairs comparisons that differ only for equal operands; eq and ne have no such partner.
var strictness = [...]d3d9.Cmp{d3d9.CmpGT: d3d9.CmpGE, d3d9.CmpGE: d3d9.CmpGT, d3d9.CmpLT: d3d9.CmpLE,
	d3d9.CmpLE: d3d9.CmpLT, d3d9.CmpEQ: 0, d3d9.CmpNE: 0}

// conditionFlipped inverts a comparison (if_cc, break_cc, setp_cc), or negates the boolean or predicate of
// if, breakp and callnz.
func (m *d3d9Site) conditionFlipped() bool {
	switch in := m.statement(); {
	case in.Cmp != 0:
		in.Cmp = complement[in.Cmp]
	case in.Op == d3d9.OpIf || in.Op == d3d9.OpBreakp:
		in.Src[0].Mod ^= d3d9.ModNot
	case in.Op == d3d9.OpCallnz:
		in.Src[1].Mod ^= d3d9.ModNot
	default:
		return false
	}
	return true
}

func (m *d3d9Site) conditionStrict() bool {
	in := m.statement()
	if in.Cmp == 0 || strictness[in.Cmp] == 0 {
		return false
	}
	in.Cmp = strictness[in.Cmp]
	return true
}

// conditionOther adds 1 to 5 to the comparison modulo 6, counted from 1, so the result always differs.
func (m *d3d9Site) conditionOther() bool {
	in := m.statement()
	if in.Cmp == 0 {
		return false
	}
	in.Cmp = (in.Cmp+d3d9.Cmp(m.r.IntN(5)))%6 + 1
	return true
}

func (m *d3d9Site) conditionConstant() bool {
	in := m.statement()
	for k := range in.Sources() {
		if s := &in.Src[k]; s.File == d3d9.ConstBool {
			old := s.Index
			s.Index = uint16(m.r.IntN(int(old) + 3))
			return s.Index != old
		}
	}
	return false
}

func (m *d3d9Site) exitLost() bool {
	switch m.statement().Op {
	case d3d9.OpBreak, d3d9.OpBreakc, d3d9.OpBreakp:
		m.remove()
		return true
	}
	return false
}

// blockEnd returns the statement that closes the block that statement i opens.
func (m *d3d9Site) blockEnd(i int) int {
	depth := 0
	for ; i < len(m.p.Insts); i++ {
		switch m.p.Insts[i].Op {
		case d3d9.OpIf, d3d9.OpIfc, d3d9.OpLoop, d3d9.OpRep:
			depth++
		case d3d9.OpEndIf, d3d9.OpEndLoop, d3d9.OpEndRep:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// opensLoop reports whether the statement opens a loop.
func (m *d3d9Site) opensLoop() bool {
	op := m.statement().Op
	return op == d3d9.OpRep || op == d3d9.OpLoop
}

// constant returns a read of c#.x.
func constant(i uint16) d3d9.Src {
	return d3d9.Src{Reg: d3d9.Reg{File: d3d9.Const, Index: i}, Swz: d3d9.Replicate(0)}
}

// exitAdded inserts break_eq c, c at the end of a loop's body, which leaves after the first trip.
func (m *d3d9Site) exitAdded() bool {
	if !m.opensLoop() {
		return false
	}
	end := m.blockEnd(m.i)
	if end < 0 {
		return false
	}
	c := constant(uint16(m.r.IntN(8)))
	m.insert(end, d3d9.Inst{Op: d3d9.OpBreakc, Cmp: d3d9.CmpEQ, NSrc: 2, Src: [4]d3d9.Src{c, c}})
	return true
}

// loopRegister changes the last operand: rep has only i#, loop has aL before it.
func (m *d3d9Site) loopRegister() bool {
	if !m.opensLoop() {
		return false
	}
	in := m.statement()
	s := &in.Src[in.NSrc-1]
	old := s.Index
	s.Index = uint16(m.r.IntN(int(old) + 3))
	return s.Index != old
}

// freeRegister returns the lowest register of a file that the model has and the program does not name, or -1. The
// second source of a matrix instruction names at most four rows; k == 1 counts four for all instructions.
func (m *d3d9Site) freeRegister(f d3d9.File) int {
	used := map[uint16]bool{}
	for i := range m.p.Insts {
		in := &m.p.Insts[i]
		if in.HasDst && in.Dst.File == f {
			used[in.Dst.Index] = true
		}
		for k, s := range in.Sources() {
			if s.File == f {
				for row := range uint16(4) {
					if row == 0 || k == 1 {
						used[s.Index+row] = true
					}
				}
			}
		}
	}
	for i := range m.p.Model.Limits().Regs[f] {
		if !used[uint16(i)] {
			return i
		}
	}
	return -1
}

// define returns the def of a free constant with the components v and zeros, and a source that reads its x.
// The caller must insert the def last, since it shifts the statements' numbers. define fails without a free
// constant.
func (m *d3d9Site) define(v ...float32) (d3d9.Src, d3d9.Inst, bool) {
	c := m.freeRegister(d3d9.Const)
	def := d3d9.Inst{Op: d3d9.OpDef, HasDst: true,
		Dst: d3d9.Dst{Reg: d3d9.Reg{File: d3d9.Const, Index: uint16(c)}, Mask: d3d9.MaskAll}}
	for i, x := range v {
		def.Imm[i] = math.Float32bits(x)
	}
	return constant(uint16(c)), def, c >= 0
}

// tripFrom counts the trips of a loop in a separate register. From the sixth trip on, it adds one to the
// result of an instruction in the body. With r9 and c9 free, for add r0, r1, r2:
//
//	def c9, 0, 1, 5, 0
//	mov r9.x, c9.x
//	rep i0
//	  add r0, r1, r2
//	  add r9.x, r9.x, c9.y
//	  if_gt r9.x, c9.z
//	    add r0, r0, c9.y
//	  endif
//	endrep
//
// Inputs with fewer trips do not show the change, so this kind tests whether the judge tries long loops.
func (m *d3d9Site) tripFrom() bool {
	if !m.opensLoop() {
		return false
	}
	count := m.statement().Src[m.statement().NSrc-1].Reg
	for i := range m.p.Insts {
		if in := &m.p.Insts[i]; in.Op == d3d9.OpDefI && in.Dst.Reg == count && int32(in.Imm[0]) < 7 {
			return false // it always makes fewer trips
		}
	}
	end, t := m.blockEnd(m.i), m.freeRegister(d3d9.Temp)
	k, def, ok := m.define(0, 1, 5)
	if end < 0 || t < 0 || !ok {
		return false
	}
	victim := -1
	for i := m.i + 1; i < end; i++ {
		if in := &m.p.Insts[i]; computes(in) && in.Dst.File == d3d9.Temp {
			victim = i
			if m.r.IntN(2) == 0 {
				break
			}
		}
	}
	if victim < 0 {
		return false
	}
	trips := d3d9.Reg{File: d3d9.Temp, Index: uint16(t)}
	one, five := k, k
	one.Swz, five.Swz = d3d9.Replicate(1), d3d9.Replicate(2)
	counter := d3d9.Src{Reg: trips, Swz: d3d9.Replicate(0)}
	dst := m.p.Insts[victim].Dst
	dst.Mods = 0
	m.insert(victim+1,
		d3d9.Inst{Op: d3d9.OpAdd, HasDst: true, Dst: d3d9.Dst{Reg: trips, Mask: d3d9.MaskX}, NSrc: 2,
			Src: [4]d3d9.Src{counter, one}},
		d3d9.Inst{Op: d3d9.OpIfc, Cmp: d3d9.CmpGT, NSrc: 2, Src: [4]d3d9.Src{counter, five}},
		d3d9.Inst{Op: d3d9.OpAdd, HasDst: true, Dst: dst, NSrc: 2, Src: [4]d3d9.Src{{Reg: dst.Reg, Swz: d3d9.Identity}, one}},
		d3d9.Inst{Op: d3d9.OpEndIf})
	m.insert(m.i, d3d9.Inst{Op: d3d9.OpMov, HasDst: true, Dst: d3d9.Dst{Reg: trips, Mask: d3d9.MaskX}, NSrc: 1,
		Src: [4]d3d9.Src{k}})
	m.insert(0, def)
	return true
}

// hostConstant returns a float constant that the program reads and does not define, searching from a random
// statement on.
func (m *d3d9Site) hostConstant() (uint16, bool) {
	defined := map[uint16]bool{}
	for i := range m.p.Insts {
		if in := &m.p.Insts[i]; in.Op == d3d9.OpDef {
			defined[in.Dst.Index] = true
		}
	}
	for n, first := 0, m.r.IntN(len(m.p.Insts)); n < len(m.p.Insts); n++ {
		for _, s := range m.p.Insts[(first+n)%len(m.p.Insts)].Sources() {
			if s.File == d3d9.Const && s.Rel.File == d3d9.NoFile && !defined[s.Index] {
				return s.Index, true
			}
		}
	}
	return 0, false
}

// rareEquality replaces a result by 12345 if a constant of the host is 12345. Random inputs never reach
// that; only a judge that derives values from the program does.
func (m *d3d9Site) rareEquality() bool {
	in := m.statement()
	if !computes(in) || in.Dst.File != d3d9.Temp || in.HasPred {
		return false
	}
	h, ok := m.hostConstant()
	k, def, free := m.define(12345)
	t := m.freeRegister(d3d9.Temp)
	if !ok || !free || t < 0 {
		return false
	}
	dst := in.Dst
	dst.Mods = 0
	copied := d3d9.Src{Reg: d3d9.Reg{File: d3d9.Temp, Index: uint16(t)}, Swz: d3d9.Replicate(0)} // a statement reads one constant
	m.insert(m.i+1,
		d3d9.Inst{Op: d3d9.OpMov, HasDst: true, Dst: d3d9.Dst{Reg: copied.Reg, Mask: d3d9.MaskX}, NSrc: 1,
			Src: [4]d3d9.Src{constant(h)}},
		d3d9.Inst{Op: d3d9.OpIfc, Cmp: d3d9.CmpEQ, NSrc: 2, Src: [4]d3d9.Src{copied, k}},
		d3d9.Inst{Op: d3d9.OpMov, HasDst: true, Dst: dst, NSrc: 1, Src: [4]d3d9.Src{k}},
		d3d9.Inst{Op: d3d9.OpEndIf})
	m.insert(0, def)
	return true
}

// elseExchanged exchanges the two sides of a branch, around its else at depth one.
func (m *d3d9Site) elseExchanged() bool {
	if op := m.statement().Op; op != d3d9.OpIf && op != d3d9.OpIfc {
		return false
	}
	end, depth, middle := m.blockEnd(m.i), 0, -1
	for i := m.i; i < end; i++ {
		switch m.p.Insts[i].Op {
		case d3d9.OpIf, d3d9.OpIfc:
			depth++
		case d3d9.OpEndIf:
			depth--
		case d3d9.OpElse:
			if depth == 1 {
				middle = i
			}
		}
	}
	if middle < 0 {
		return false
	}
	// The order: if, second side, else, first side, endif.
	list := append([]d3d9.Inst{}, m.p.Insts[:m.i+1]...)
	list = append(list, m.p.Insts[middle+1:end]...)
	list = append(list, m.p.Insts[middle])
	list = append(list, m.p.Insts[m.i+1:middle]...)
	m.p.Insts = append(list, m.p.Insts[end:]...)
	return true
}

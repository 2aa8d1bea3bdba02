package mutate

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/il"
)

// ilLiteralKinds change the words of literals. A literal has no type: its readers determine the meaning of
// a word, so integers sometimes change as floats.
var ilLiteralKinds = []Kind{
	{Name: "literal-ulp", Subtle: true, Dialect: IL, Doc: "a word of a literal is one more or one less",
		il: changeWord(func(m *ilSite, w uint32) uint32 { return w + choose(m.r, uint32(1), ^uint32(0)) })},
	{Name: "literal-sign", Dialect: IL, Doc: "a word of a literal has another first bit",
		il: changeWord(func(_ *ilSite, w uint32) uint32 { return w ^ 1<<31 })},
	{Name: "literal-2^61", Dialect: IL, Doc: "a word of a literal is, as a float, 2^61 times or 2^-61 of itself",
		il: changeWord(func(m *ilSite, w uint32) uint32 {
			f := math.Float32frombits(w) * choose[float32](m.r, 0x1p61, 0x1p-61)
			if f != f || math.IsInf(float64(f), 0) {
				return w
			}
			return math.Float32bits(f)
		})},
	{Name: "literal-extreme", Dialect: IL, Doc: "a word of a literal is an infinity, a NaN, the largest or the smallest number", il: changeWord(func(m *ilSite, _ uint32) uint32 {
		return choose[uint32](m.r, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, 0x80000000, 0x7fffffff, 0xffffffff, 1)
	})},
	{Name: "literal-payload", Subtle: true, Dialect: IL,
		Doc: "a NaN with another payload, or one that signals, in place of a word of a literal", il: changeWord(func(m *ilSite, w uint32) uint32 {
			if w&0x7f800000 == 0x7f800000 && w&0x7fffff != 0 {
				return w ^ 5
			}
			return choose[uint32](m.r, 0x7fc01234, 0xffc00001, 0x7f800001)
		})},
	{Name: "literal-exchanged", Dialect: IL, Doc: "two words of a literal change places", il: (*ilSite).exchangedWords},
	{Name: "shift-count", Dialect: IL, Doc: "a literal that counts a shift is one more, or 32 more",
		il: (*ilSite).shiftCount},
	{Name: "trip-bound", Subtle: true, Dialect: IL, Doc: "a literal that a loop compares with is one more",
		il: (*ilSite).tripBound},
}

// changeWord changes one of the four words of a literal for all its readers.
func changeWord(change func(m *ilSite, w uint32) uint32) func(*ilSite) bool {
	return func(m *ilSite) bool {
		in := m.statement()
		if in.Op != il.OpDclLiteral {
			return false
		}
		w := &in.Imm[m.r.IntN(4)]
		old := *w
		*w = change(m, old)
		return *w != old
	}
}

func (m *ilSite) exchangedWords() bool {
	in := m.statement()
	if in.Op != il.OpDclLiteral {
		return false
	}
	i, j := m.r.IntN(4), m.r.IntN(4)
	in.Imm[i], in.Imm[j] = in.Imm[j], in.Imm[i]
	return in.Imm[i] != in.Imm[j]
}

// ownLiteral gives source s a new literal with the words of the old one changed by delta. Other readers of
// the old literal are unaffected.
func (m *ilSite) ownLiteral(s *il.Src, delta func(w uint32) uint32) bool {
	if s.File != il.Literal {
		return false
	}
	highest := uint16(0)
	var dcl *il.Inst
	for i := range m.k.Insts {
		if in := &m.k.Insts[i]; in.Op == il.OpDclLiteral {
			if highest = max(highest, in.Dst.Num); in.Dst.Num == s.Num {
				dcl = in
			}
		}
	}
	if dcl == nil {
		return false
	}
	own := *dcl
	own.Dst.Num = highest + 1
	for i := range own.Imm {
		own.Imm[i] = delta(own.Imm[i])
	}
	s.Num = own.Dst.Num
	m.insert(0, own)
	return true
}

// shiftCount adds 1 to a count, or 32, which has no effect: shifts use the low five bits.
func (m *ilSite) shiftCount() bool {
	in := m.statement()
	switch in.Op {
	case il.OpIShl, il.OpIShr, il.OpUShr:
		by := choose[uint32](m.r, 1, 32)
		return m.ownLiteral(&in.Src[1], func(w uint32) uint32 { return w + by })
	}
	return false
}

// tripBound increments the bound of the comparison of a break. break_c contains its comparison. For
// break_logical, it searches the five preceding statements for the comparison.
func (m *ilSite) tripBound() bool {
	in := m.statement()
	if in.Op.Role() != il.Break || in.NSrc == 0 {
		return false
	}
	cond := in
	if in.NSrc == 1 {
		for i := m.i - 1; i >= 0 && i > m.i-6; i-- {
			if o := &m.k.Insts[i]; o.HasDst && o.Dst.Reg == in.Src[0].Reg && o.NSrc == 2 {
				cond = o
				break
			}
		}
	}
	if cond.NSrc != 2 {
		return false
	}
	// break_c compares floats.
	isFloat := cond.Op.Kind() == il.Float || cond == in
	next := func(w uint32) uint32 {
		if isFloat {
			return math.Float32bits(math.Float32frombits(w) + 1)
		}
		return w + 1
	}
	return m.ownLiteral(&cond.Src[1], next) || m.ownLiteral(&cond.Src[0], next)
}

// insert inserts statements before statement i, as separate lines of text. Pointers into the old statements
// remain readable, but no longer change the kernel.
func (m *ilSite) insert(i int, list ...il.Inst) {
	for j := range list {
		list[j].Lead, list[j].Text = "\n", ""
	}
	m.k.Insts = append(m.k.Insts[:i:i], append(list, m.k.Insts[i:]...)...)
}

// remove removes statement i.
func (m *ilSite) remove(i int) { m.k.Insts = append(m.k.Insts[:i], m.k.Insts[i+1:]...) }

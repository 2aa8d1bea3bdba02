package rules

import (
	"go/constant"
	"math"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Host is the pass that rules are for: what it knows of the program, and what it may
// look through.
type Host interface {
	// Literal is the value of a lane that is known, its modifiers applied.
	Literal(l ir.Lane) (bits uint32, ok bool)
	// Def is the instruction that writes everything o reads, nil if there is none that may be
	// computed where root stands instead.
	Def(o ir.Operand, root *ir.Instr) *ir.Instr
	// Readers counts the lanes that read what in writes.
	Readers(in *ir.Instr) int32
	// Legal reports whether in can be written as it stands.
	Legal(in *ir.Instr) bool
	// Known is what the pass knows of a variable, by name: a boolean, a number, or nothing.
	Known(name string, l ir.Lane) constant.Value
}

// Matcher finds what rules are about. It is used again for each instruction; bound,
// signs and defs are those of the last match.
type Matcher struct {
	Func *ir.Func
	Host Host
	// Free admits replacements of several instructions whatever they cost.
	Free bool
	// Reals says that over the reals is enough, whatever the class of a rule may be.
	Reals bool
	// About is the operation that has to be the shared one, if it is not nil.
	About *ir.Instr

	rule  *Compiled
	in    *ir.Instr
	bound [maxSlots]ir.Operand
	signs uint8
	defs  []*ir.Instr // the operations below the root, in order
	dies  []*ir.Instr // those of them that nobody else reads
	ieee  bool        // an operation has the rules of IEEE 754
}

// match matches in with one order of a rule. Operands are matched in order, so a
// variable is bound where the pattern names it first.
func (m *Matcher) match(r *Compiled, root *node, in *ir.Instr) bool {
	if !is(root, in) || in.Mods&ir.Sat == 0 && root.sat {
		return false
	}
	m.rule, m.in, m.signs, m.defs, m.dies, m.ieee = r, in, 0, m.defs[:0], m.dies[:0], in.Op != in.Op.Legacy()
	for s := range root.kids {
		if !m.operand(&root.kids[s], &in.Src[s], LanesOf(&in.Src[s])) {
			return false
		}
	}
	return m.holds(r.where)
}

func is(n *node, in *ir.Instr) bool {
	return in.Op == n.op || n.twin != ir.OpInvalid && in.Op == n.twin
}

// operand matches what an instruction reads as one source. It reads so many lanes.
func (m *Matcher) operand(n *node, o *ir.Operand, reads int32) bool {
	switch {
	case n.kind == operation:
		return m.operation(n, o, reads)
	case n.again:
		return m.same(n, o)
	case n.kind == variable:
		m.bind(n, o)
		return true
	}
	for i := range o {
		if o[i].V == nil {
			continue
		}
		bits, ok := m.literal(o[i])
		if !ok || n.kind == number && bits != n.bits && !(m.rule.Class >= passes.Real && !m.rule.onWords && float(bits) == float(n.bits)) {
			return false
		}
	}
	if n.kind == literal {
		m.bind(n, o)
	}
	return reads > 0
}

// bind binds a slot to what o is without the sign that the pattern reads it with: -x that
// comes first is not x.
func (m *Matcher) bind(n *node, o *ir.Operand) {
	b := &m.bound[n.slot]
	*b = *o
	if mod := m.sign(n); mod != 0 {
		*b = apply(*b, mod)
	}
}

func float(bits uint32) float32 { return math.Float32frombits(bits) }

// literal is the value of a lane as operations on words or on numbers read it.
func (m *Matcher) literal(l ir.Lane) (bits uint32, ok bool) {
	if m.rule.onWords && l.Mod != 0 {
		return 0, false
	}
	return m.Host.Literal(l)
}

// same reports whether o is what a slot is bound to.
func (m *Matcher) same(n *node, o *ir.Operand) bool {
	mod := m.sign(n)
	for i, l := range m.bound[n.slot] {
		if m.rule.onWords && l.V != nil && o[i].V != nil {
			if Origin(l) != Origin(o[i]) {
				return false
			}
			continue
		}
		if l.V != nil {
			l.Mod ^= mod
		}
		if l != o[i] {
			return false
		}
	}
	return true
}

// sign is the modifier that n is read with: its own minus, and the signs that
// operations were bound with.
func (m *Matcher) sign(n *node) (mod ir.LaneMod) {
	for signs := n.signs & m.signs; signs != 0; signs &= signs - 1 {
		mod ^= ir.Neg
	}
	if n.neg {
		mod ^= ir.Neg
	}
	return mod
}

// operation matches an operand with what an operation computes: one instruction, all of
// whose lanes are read under one modifier, and by nobody else unless it is shared. A
// modifier is allowed only where the pattern has a sign to bind it to.
func (m *Matcher) operation(n *node, o *ir.Operand, reads int32) bool {
	first := ir.Lane{}
	for _, l := range o {
		if l.V != nil {
			first = l
			break
		}
	}
	if first.V == nil || first.V.Def == nil || !is(n, first.V.Def) {
		return false
	}
	def := m.Host.Def(*o, m.in)
	if def == nil || n.sat != (def.Mods&ir.Sat != 0) || n.shared && m.About != nil && def != m.About {
		return false
	}
	positional := def.Op.Info().Shape == ir.Positional
	for i, l := range o {
		if l.V != nil && (l.Mod != first.Mod || positional && l.V.Lane != uint8(i)) {
			return false
		}
	}
	if n.neg {
		first.Mod ^= ir.Neg
	}
	switch {
	case first.Mod == 0:
		m.signs &^= n.signs
	case first.Mod == ir.Neg && n.signs != 0:
		m.signs |= n.signs
	default:
		return false
	}
	if !n.shared {
		if m.Host.Readers(def) != reads {
			return false
		}
		m.dies = append(m.dies, def)
	}
	m.defs = append(m.defs, def)
	m.ieee = m.ieee || def.Op != def.Op.Legacy()
	for s := range n.kids {
		src := def.Src[s]
		switch {
		// A scalar operand is read in lane x; in the terms of the root it is the same
		// in all lanes.
		case n.scalar>>s&1 != 0:
			for i := range src {
				if src[i] = (ir.Lane{}); o[i].V != nil {
					src[i] = def.Src[s][0]
				}
			}
		case def.Op.Info().Shape == ir.Lanewise:
			src = Through(o, def, s)
		}
		if !m.operand(&n.kids[s], &src, LanesOf(&def.Src[s])) {
			return false
		}
	}
	return true
}

// Through is operand s of def as the lanes of o select it: where o reads lane j of
// def, it reads what lane j of def reads. def is lane-wise.
func Through(o *ir.Operand, def *ir.Instr, s int) (out ir.Operand) {
	for i, l := range o {
		if l.V != nil {
			out[i] = def.Src[s][l.V.Lane]
		}
	}
	return out
}

// LanesOf counts the lanes that o reads.
func LanesOf(o *ir.Operand) (n int32) {
	for i := range o {
		if o[i].V != nil {
			n++
		}
	}
	return n
}

// Origin is what l is a copy of.
func Origin(l ir.Lane) ir.Lane {
	for {
		def := l.V.Def
		if def == nil || def.Op != ir.OpMov || def.Mods != 0 || def.IsPredicated() || def.Out[l.V.Lane] != l.V {
			return l
		}
		from := def.Src[0][l.V.Lane]
		if from.Mod != 0 || from.V.Def != nil && from.V.Def.Op == ir.OpLoad {
			return l // what is read through an index may change
		}
		l.V = from.V
	}
}

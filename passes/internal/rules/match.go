package rules

import (
	"go/constant"
	"math"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Host is the pass that uses the rules: it provides facts about the program, and decides which instructions
// may be looked through.
type Host interface {
	// Literal returns the value of a known lane, with its modifiers applied.
	Literal(l ir.Lane) (bits uint32, ok bool)
	// DefinitionOf returns the instruction that writes everything o reads, or nil if none exists that may be computed
	// in place of root.
	DefinitionOf(o ir.Operand, root *ir.Instr) *ir.Instr
	// Readers returns the number of lanes that read results of in.
	Readers(in *ir.Instr) int32
	// Legal reports whether in can be written without a move.
	Legal(in *ir.Instr) bool
	// Known returns a fact about a variable, by name: a boolean, a number, or unknown.
	Known(name string, l ir.Lane) constant.Value
}

// Matcher matches rules. It is reused for each instruction; bound, signs and defs belong to the last match.
type Matcher struct {
	Func *ir.Func
	Host Host
	// Free admits replacements of several instructions regardless of cost.
	Free bool
	// Reals means that equality over the reals is enough, regardless of the class of a rule.
	Reals bool
	// About is the required shared operation, if it is not nil.
	About *ir.Instr

	rule  *Compiled
	in    *ir.Instr
	bound [maxSlots]ir.Operand
	signs uint8
	defs  []*ir.Instr // the operations below the root, in order
	dies  []*ir.Instr // those of them that have no other reader
	ieee  bool        // an operation has the rules of IEEE 754
}

// match matches in with one order of a rule. Operands are matched in order, so a variable is bound where the
// pattern names it first.
func (m *Matcher) match(r *Compiled, root *node, in *ir.Instr) bool {
	if !matchesOp(root, in) || in.Mods&ir.Sat == 0 && root.sat {
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

func matchesOp(n *node, in *ir.Instr) bool {
	return in.Op == n.op || in.Op == n.twin
}

// operand matches one source of an instruction, of which it reads the given number of lanes.
func (m *Matcher) operand(n *node, o *ir.Operand, reads int32) bool {
	switch {
	case n.kind == operation:
		return m.operation(n, o, reads)
	case n.again:
		return m.equalsBound(n, o)
	case n.kind == variable:
		m.bind(n, o)
		return true
	}
	for i := range o {
		if o[i].V == nil {
			continue
		}
		bits, ok := m.literal(o[i])
		if !ok || n.kind == number && bits != n.bits &&
			!(m.rule.Class >= passes.Real && !m.rule.onWords && float(bits) == float(n.bits)) {
			return false
		}
	}
	if n.kind == literal {
		m.bind(n, o)
	}
	return reads > 0
}

// bind binds a slot to o without the sign of the pattern: a pattern that begins with -x binds x to the
// negated operand.
func (m *Matcher) bind(n *node, o *ir.Operand) {
	b := &m.bound[n.slot]
	*b = *o
	if mod := m.readSign(n); mod != 0 {
		*b = apply(*b, mod)
	}
}

func float(bits uint32) float32 { return math.Float32frombits(bits) }

// literal returns the value of a lane as operations on words or on numbers read it.
func (m *Matcher) literal(l ir.Lane) (bits uint32, ok bool) {
	if m.rule.onWords && l.Mod != 0 {
		return 0, false
	}
	return m.Host.Literal(l)
}

// equalsBound reports whether o equals the operand that a slot is bound to.
func (m *Matcher) equalsBound(n *node, o *ir.Operand) bool {
	mod := m.readSign(n)
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

// readSign returns the modifier that n is read with: its minus, and the signs that operations were bound with.
func (m *Matcher) readSign(n *node) (mod ir.LaneMod) {
	for signs := n.signs & m.signs; signs != 0; signs &= signs - 1 {
		mod ^= ir.Neg
	}
	if n.neg {
		mod ^= ir.Neg
	}
	return mod
}

// operation matches an operand with an operation. One instruction must compute it, all lanes must have one
// modifier, and it must have no other reader unless it is shared. A modifier is allowed only where the
// pattern has a sign to bind it to.
func (m *Matcher) operation(n *node, o *ir.Operand, reads int32) bool {
	first := ir.Lane{}
	for _, l := range o {
		if l.V != nil {
			first = l
			break
		}
	}
	if first.V == nil || first.V.Def == nil || !matchesOp(n, first.V.Def) {
		return false
	}
	def := m.Host.DefinitionOf(*o, m.in)
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
		// A scalar operand is read in lane x; seen from the root it is the same in all lanes.
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

// Through returns operand s of def as the lanes of o select it: where o reads lane j of def, the result is
// the operand lane of lane j. def is lane-wise.
func Through(o *ir.Operand, def *ir.Instr, s int) (out ir.Operand) {
	for i, l := range o {
		if l.V != nil {
			out[i] = def.Src[s][l.V.Lane]
		}
	}
	return out
}

// LanesOf returns the number of lanes that o reads.
func LanesOf(o *ir.Operand) (n int32) {
	for i := range o {
		if o[i].V != nil {
			n++
		}
	}
	return n
}

// Origin follows moves from l to its source.
func Origin(l ir.Lane) ir.Lane {
	for {
		from, ok := l.V.CopyOf(0)
		if !ok || l.V.Def.Out[l.V.Lane] != l.V || from.Mod != 0 || from.V.IsLoaded() {
			return l
		}
		l.V = from.V
	}
}

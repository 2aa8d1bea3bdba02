package vsps

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
)

// match finds the statement that computes the values of n, and puts its opcode, modifiers and
// operands into n; registers come later. It takes the instructions off a statement from the outside
// in: the clamp to the range of registers, then saturation, then the shift of the result. What is
// left is the operation, and modifiers are taken off its operands ([fixedEmitter.operand]). A step
// fails if the lanes of n differ in it, as a statement has one opcode for all.
//
//	c = add a, b;  d = mul c, 2;  e = range d      add_x2 r0, a, b
func (x *fixedEmitter) match(n *fixedNode) error {
	n.inst, n.src = d3d9.Inst{}, nil
	// lane[c] is the lane of the instruction at hand that component c of n comes from. It changes
	// with each step inwards.
	var lane [4]uint8
	cur := n.in
	for c, v := range n.val {
		if v == nil {
			continue
		}
		lane[c] = v.Lane
		switch cur = x.core(v); {
		case cur != v.Def: // clamped
			lane[c] = v.Def.Src[0][v.Lane].V.Lane
		// A statement clamps its result, always. Without an OpRange in the IR the value must lie in
		// the range anyway, else the clamp would change it.
		case cur.Mods&ir.Sat == 0 && !x.spans.of(v).held:
			return fixedErr(cur, "the range")
		}
	}
	// Saturation may be on the instruction itself, or on a mov of one that is not
	// clamped.
	switch {
	case cur.Mods&ir.Sat != 0:
		n.inst.Dst.Mods = d3d9.Saturate
		if next, at, ok := x.definingInst(n, cur.Src[0], lane); ok && cur.Op == ir.OpMov && !x.heldOf(cur.Src[0], lane, n) {
			cur, lane = next, at // as the lift leaves it
		}
	case cur.Op == ir.OpRange: // a clamp of what is there already
		return x.form(n, d3d9.OpMov, lane, cur.Src[:1])
	}
	// A product with 2, 4, 8, 1/2, 1/4 or 1/8 is a shift of what is multiplied, if that
	// is computed by the same statement, else of a mov. ps_1_1 to 1_3 have _x2, _x4 and
	// _d2 only.
	first := cur
	if cur.Op == ir.OpMul {
		for k := range 2 {
			shift, ok := shiftBy(n, cur.Src[1-k], lane)
			if !ok || shift > 2 && x.model != d3d9.PS14 || shift < -1 && x.model != d3d9.PS14 {
				continue
			}
			n.inst.Dst.Shift = shift
			next, at, ok := x.definingInst(n, cur.Src[k], lane)
			if !ok {
				return x.form(n, d3d9.OpMov, lane, cur.Src[k:k+1])
			}
			cur, lane = next, at
			break
		}
	}
	// A statement shifts before it saturates, so what is shifted must not be saturated already.
	if cur != first && cur.Mods != 0 {
		return fixedErr(cur, "the clamp")
	}
	// What is only modified is a mov of a modified source.
	if o, ok := x.whole(n, cur, lane); ok {
		return x.operands(n, d3d9.OpMov, []fixedOperand{o})
	}
	// The opcodes that are left map one to one, but for three: add of a negated source is sub (a
	// modifier less), and cmp of 0.5-a is cnd.
	switch cur.Op {
	case ir.OpMov:
		return x.form(n, d3d9.OpMov, lane, cur.Src)
	case ir.OpAdd:
		a, b := cur.Src[0], cur.Src[1]
		switch {
		case minus(n, b, lane):
			return x.form(n, d3d9.OpSub, lane, []ir.Operand{a, negated(b)})
		case minus(n, a, lane):
			return x.form(n, d3d9.OpSub, lane, []ir.Operand{b, negated(a)})
		}
		return x.form(n, d3d9.OpAdd, lane, cur.Src)
	case ir.OpMul:
		return x.form(n, d3d9.OpMul, lane, cur.Src)
	case ir.OpMad:
		return x.form(n, d3d9.OpMad, lane, cur.Src)
	case ir.OpLrp:
		return x.form(n, d3d9.OpLrp, lane, cur.Src)
	case ir.OpDp3:
		return x.product(n, d3d9.OpDp3, 3, cur.Src)
	case ir.OpDp4:
		return x.product(n, d3d9.OpDp4, 4, cur.Src)
	// cmp of 0.5 - a is cnd of a with its choices exchanged.
	case ir.OpCmp:
		if a, ok := x.condition(n, cur.Src[0], lane); ok {
			return x.form(n, d3d9.OpCnd, lane, []ir.Operand{a, cur.Src[2], cur.Src[1]})
		}
		return x.form(n, d3d9.OpCmp, lane, cur.Src)
	}
	return fixedErr(cur, "the operation")
}

// heldOf reports whether all lanes of an operand that n reads lie in the range of registers, so
// that the clamp of a mov does not change them.
func (x *fixedEmitter) heldOf(o ir.Operand, lane [4]uint8, n *fixedNode) bool {
	for c, v := range n.val {
		if v != nil && !x.spans.lane(o[lane[c]]).held {
			return false
		}
	}
	return true
}

// definingInst is the instruction, not yet clamped, that all of an operand comes from: part of
// the same statement. What is clamped, or what a texture instruction left, is in a
// register, and so no part of another statement.
func (x *fixedEmitter) definingInst(n *fixedNode, o ir.Operand, lane [4]uint8) (in *ir.Instr, at [4]uint8, ok bool) {
	for c, v := range n.val {
		if v == nil {
			continue
		}
		l := o[lane[c]]
		// A modifier between the two instructions would have to be one of the result; there is none
		// but the shift.
		if l.V == nil || l.V.Kind != ir.Result || l.Mod != 0 || l.V.Def == nil || in != nil && l.V.Def != in {
			return nil, lane, false
		}
		if !x.isFoldable(l.V) {
			return nil, lane, false
		}
		in, at[c] = l.V.Def, l.V.Lane
	}
	return in, at, in != nil
}

// isFoldable reports whether v is computed by an instruction that a statement may hold besides
// others.
func (x *fixedEmitter) isFoldable(v *ir.Value) bool {
	if v == nil || v.Kind != ir.Result || v.Def == nil {
		return false
	}
	in := v.Def
	return in.Mods == 0 && in.Op != ir.OpRange && !in.Op.Has(ir.IsFetch) && (in.Orig < 0 || !anchored(x.orig.Insts[in.Orig].Op))
}

// uniformLiteral is the number that all lanes of an operand are, with its sign.
func uniformLiteral(n *fixedNode, o ir.Operand, lane [4]uint8) (float32, bool) {
	var bits uint32
	first := true
	for c, v := range n.val {
		if v == nil {
			continue
		}
		l := o[lane[c]]
		if l.V == nil || l.V.Kind != ir.Literal {
			return 0, false
		}
		// Bits are compared, not values: 0 and -0 differ.
		b := l.Mod.Apply(l.V.Bits)
		if !first && b != bits {
			return 0, false
		}
		bits, first = b, false
	}
	return math.Float32frombits(bits), !first
}

// shiftBy is the k for which all lanes of o are 2^k, from -3 (_d8) to 3 (_x8) but 0.
func shiftBy(n *fixedNode, o ir.Operand, lane [4]uint8) (int8, bool) {
	v, ok := uniformLiteral(n, o, lane)
	for k := int8(-3); k <= 3 && ok; k++ {
		if k != 0 && v == float32(math.Ldexp(1, int(k))) {
			return k, true
		}
	}
	return 0, false
}

// minus reports whether all lanes of an operand are negated values. A negated literal is a literal,
// so it does not count.
func minus(n *fixedNode, o ir.Operand, lane [4]uint8) bool {
	for c, v := range n.val {
		if v != nil && (o[lane[c]].Mod&ir.Neg == 0 || o[lane[c]].V.Kind == ir.Literal) {
			return false
		}
	}
	return true
}

// condition is the operand a where o is 0.5 - a: cmp chooses its second source where 0.5-a >= 0,
// cnd where a > 0.5.
func (x *fixedEmitter) condition(n *fixedNode, o ir.Operand, lane [4]uint8) (ir.Operand, bool) {
	in, at, ok := x.definingInst(n, o, lane)
	if !ok || in.Op != ir.OpAdd {
		return o, false
	}
	for k := range 2 {
		if v, ok := uniformLiteral(n, in.Src[k], at); ok && v == 0.5 {
			var a ir.Operand
			for c, v := range n.val {
				if v != nil {
					// add 0.5, -a has a negated in the IR; the operand of cnd is a itself.
					a[lane[c]] = in.Src[1-k][at[c]]
					a[lane[c]].Mod ^= ir.Neg
				}
			}
			return a, true
		}
	}
	return o, false
}

// whole is the source with a modifier that in stands for, if n is no more than a mov of one: mov
// r0, r1_bx2. The source must be in the range, as registers hold nothing else.
func (x *fixedEmitter) whole(n *fixedNode, in *ir.Instr, lane [4]uint8) (fixedOperand, bool) {
	mod, src, neg, ok := x.modifier(in, func(k int) (float32, bool) { return uniformLiteral(n, in.Src[k], lane) })
	if !ok {
		return fixedOperand{}, false
	}
	var o ir.Operand
	for c, v := range n.val {
		if v != nil {
			l := in.Src[src][lane[c]]
			if neg != (l.Mod&ir.Neg != 0) || l.Mod&ir.Abs != 0 || l.V.Kind == ir.Result && !x.spans.of(l.V).held {
				return fixedOperand{}, false
			}
			o[c] = ir.Lane{V: l.V}
		}
	}
	f, err := x.source(o, mod)
	return f, err == nil
}

// modifier is what modifier an instruction is, of which source, and whether that source
// has to be negated: 1 + -x is 1-x.
func (x *fixedEmitter) modifier(in *ir.Instr, number func(k int) (float32, bool)) (mod d3d9.SrcMod, src int, neg, ok bool) {
	// Partial precision may round the inner result; then the instruction is not the modifier.
	if in.Mods&ir.Half != 0 {
		return 0, 0, false, false
	}
	// x-0.5 is _bias, 1-x the complement, 2x-1 is _bx2, and 2x is _x2, in ps_1_4 only.
	switch in.Op {
	case ir.OpAdd:
		for k := range 2 {
			switch v, ok := number(k); {
			case ok && v == -0.5:
				return d3d9.ModBias, 1 - k, false, true
			case ok && v == 1:
				return d3d9.ModComp, 1 - k, true, true
			}
		}
	case ir.OpMad:
		if c, ok := number(2); ok && c == -1 {
			for k := range 2 {
				if v, ok := number(k); ok && v == 2 {
					return d3d9.ModSign, 1 - k, false, true
				}
			}
		}
	case ir.OpMul:
		for k := range 2 {
			if v, ok := number(k); ok && v == 2 && x.model == d3d9.PS14 {
				return d3d9.ModX2, 1 - k, false, true
			}
		}
	}
	return 0, 0, false, false
}

// form gives n an operation that works component by component: component c of each source is what
// lane lane[c] of the IR's operand is.
func (x *fixedEmitter) form(n *fixedNode, op d3d9.Op, lane [4]uint8, srcs []ir.Operand) error {
	var list []fixedOperand
	for _, s := range srcs {
		var o ir.Operand
		for c, v := range n.val {
			if v != nil {
				o[c] = s[lane[c]]
			}
		}
		f, err := x.operand(o)
		if err != nil {
			return err
		}
		list = append(list, f)
	}
	return x.operands(n, op, list)
}

// product gives n a dot product. Its sources are read in the first lanes, whatever components n
// writes: dp3 replicates its result.
func (x *fixedEmitter) product(n *fixedNode, op d3d9.Op, lanes int, srcs []ir.Operand) error {
	var list []fixedOperand
	for _, s := range srcs {
		for c := lanes; c < 4; c++ {
			s[c] = ir.Lane{}
		}
		f, err := x.operand(s)
		if err != nil {
			return err
		}
		list = append(list, f)
	}
	return x.operands(n, op, list)
}

// operands puts the opcode and the sources into n.
func (x *fixedEmitter) operands(n *fixedNode, op d3d9.Op, list []fixedOperand) error {
	if !op.Exists(x.model) {
		return fixedErr(n.in, "the operation")
	}
	n.inst.Op, n.inst.HasDst, n.inst.NSrc, n.src = op, true, uint8(len(list)), list
	return nil
}

// operand is an operand with its modifier. Lanes have to agree on sign and, for a
// modifier, on the instruction that computes it.
func (x *fixedEmitter) operand(o ir.Operand) (fixedOperand, error) {
	sign, first := ir.LaneMod(0), true
	var in *ir.Instr
	// same: the lanes agree in sign and defining instruction, the condition for a modifier.
	// literals: all are numbers, whose signs the constant takes in.
	same, literals := true, true
	for _, l := range o {
		if l.V == nil {
			continue
		}
		literals = literals && l.V.Kind == ir.Literal
		if first {
			sign, in, first = l.Mod, l.V.Def, false
		}
		same = same && l.Mod == sign && l.V.Def == in
	}
	if literals {
		return x.source(o, d3d9.ModNone)
	}
	for _, l := range o {
		if l.V != nil && (l.Mod != sign || l.Mod&^ir.Neg != 0) {
			return fixedOperand{}, errFixed
		}
	}
	// Try the source as a modified one: bias, sign, complement and x2 apply to all lanes of the
	// register.
	if same && in != nil && in.Mods == 0 && x.isModifier(in) {
		mod, src, neg, ok := x.modifier(in, func(k int) (float32, bool) { return numberAt(o, in.Src[k]) })
		if ok && !(mod == d3d9.ModComp && sign != 0) {
			var inner ir.Operand
			fits := true
			for c, l := range o {
				if l.V != nil {
					m := in.Src[src][l.V.Lane]
					fits = fits && neg == (m.Mod&ir.Neg != 0) && m.Mod&ir.Abs == 0
					inner[c] = ir.Lane{V: m.V}
				}
			}
			// -(1-x) has no modifier of its own; the others have a negated form.
			if fits {
				if sign != 0 {
					mod++ // the numbering of the bytecode: the negated one follows
				}
				return x.source(inner, mod)
			}
		}
	}
	mod := d3d9.ModNone
	if sign != 0 {
		mod = d3d9.ModNeg
	}
	for c := range o {
		o[c].Mod = 0
	}
	return x.source(o, mod)
}

// isModifier reports whether in may be folded into a source as a modifier. The result of a texture
// instruction is in its register as a whole.
func (x *fixedEmitter) isModifier(in *ir.Instr) bool {
	return in.Orig < 0 || !anchored(x.orig.Insts[in.Orig].Op)
}

// numberAt is the literal that s has in all the lanes that o reads of the instruction.
func numberAt(o, s ir.Operand) (v float32, ok bool) {
	first := true
	for _, l := range o {
		if l.V == nil {
			continue
		}
		k := s[l.V.Lane]
		if k.V == nil || k.V.Kind != ir.Literal {
			return 0, false
		}
		w := math.Float32frombits(k.Mod.Apply(k.V.Bits))
		if !first && w != v {
			return 0, false
		}
		v, first = w, false
	}
	return v, !first
}

// source is a source whose lanes are of one register, with modifier mod. Temporaries
// are found by the search; leaves are fixed here.
func (x *fixedEmitter) source(o ir.Operand, mod d3d9.SrcMod) (f fixedOperand, err error) {
	f.mod, f.comp = mod, [4]int8{-1, -1, -1, -1}
	var kind ir.Kind
	first := true
	for c, l := range o {
		// f.lane[c] is the value that component c reads; the search finds a register that has all
		// of them. f.comp[c] is the component of a fixed register, -1 if it is not read.
		if l.V == nil || l.V.Kind == ir.Undef {
			continue
		}
		switch {
		case first:
			kind, first = l.V.Kind, false
		case l.V.Kind == kind:
		// ir.Result, then, means "somewhere in a temporary": the search finds literals there by
		// their bits.
		case l.V.Kind <= ir.Param && kind == ir.Literal || l.V.Kind == ir.Literal && kind <= ir.Param:
			kind = ir.Result // texm3x3 leaves a literal beside values
		default:
			return f, errFixed
		}
		f.lane[c] = l.V
	}
	switch {
	// Nothing is read (all lanes undefined): any register is as good; constants are always there.
	case first:
		f.fixed, f.reg = true, d3d9.Reg{File: d3d9.Const}
	case kind == ir.Literal:
		return x.constant(o, mod)
	case kind == ir.Uniform || kind == ir.Input:
		f.fixed = true
		for c, v := range f.lane {
			if v == nil {
				continue
			}
			r := d3d9.Reg{File: d3d9.File(v.Home.File), Index: v.Home.Index}
			if f.reg.File != d3d9.NoFile && f.reg != r {
				return f, errFixed
			}
			f.reg, f.comp[c] = r, int8(v.Home.Comp)
		}
		// Modifiers on constants are undefined up to ps_1_3 and refused in ps_1_4; they
		// are written only where the program has some.
		if f.reg.File == d3d9.Const && mod != d3d9.ModNone && !x.signed || f.reg.File != d3d9.Const && f.reg.File != d3d9.Input {
			return f, errFixed
		}
	}
	return f, nil
}

// constant puts literals into a constant register that the program defines, as the modifier makes
// them, so that none is needed: mad r0, r1_bx2 of a literal would need one. Numbers outside of
// -1..1 cannot be had, as constants are clamped. It tries in turn the definitions as they are,
// under each swizzle; those that this emission added and that have components left; and a new one
// in a register that neither the program nor the host uses.
func (x *fixedEmitter) constant(o ir.Operand, mod d3d9.SrcMod) (f fixedOperand, err error) {
	var bits [4]uint32
	var set d3d9.Mask
	for c, l := range o {
		if l.V != nil && l.V.Kind == ir.Literal {
			bits[c] = scaledLiteral(l.Mod.Apply(l.V.Bits), mod)
			set |= 1 << c
			if clampedConstant(bits[c]) != bits[c] {
				return f, errFixed
			}
		}
	}
	f.fixed, f.mod = true, d3d9.ModNone
	// try reports whether d has the numbers under some swizzle of the model, and makes f read them
	// there.
	try := func(d *constDef) bool {
		for _, s := range x.swizzles() {
			ok := true
			for c := range 4 {
				ok = ok && (!set.Has(c) || d.bits[s.At(c)] == bits[c] && d.set>>s.At(c)&1 != 0)
			}
			if ok {
				for c := range 4 {
					f.comp[c] = -1
					if set.Has(c) {
						f.comp[c] = int8(s.At(c))
					}
				}
				f.reg = d3d9.Reg{File: d3d9.Const, Index: d.reg}
				return true
			}
		}
		return false
	}
	for k := range x.defs {
		if try(&x.defs[k]) {
			return f, nil
		}
	}
	// Only definitions that were added may grow: the components of the others are the program's
	// own.
	for k := range x.defs {
		d := &x.defs[k]
		fits := d.added
		for c := range 4 {
			fits = fits && (!set.Has(c) || d.set>>c&1 == 0 || d.bits[c] == bits[c])
		}
		if fits {
			x.fill(d, bits, set)
			try(d)
			return f, nil
		}
	}
	if x.free == nil {
		x.free = freeConstants(x.orig, x.e.host, x.f)
	}
	for _, r := range x.free {
		if findDef(x.defs, r) < 0 {
			x.defs = append(x.defs, constDef{reg: r, added: true})
			d := &x.defs[len(x.defs)-1]
			x.fill(d, bits, set)
			try(d)
			return f, nil
		}
	}
	return f, errFixed
}

// scaledLiteral is what a modifier makes of a literal, in float32.
func scaledLiteral(bits uint32, mod d3d9.SrcMod) uint32 {
	v := math.Float32frombits(bits)
	switch mod {
	case d3d9.ModBias, d3d9.ModBiasNeg:
		v -= 0.5
	case d3d9.ModSign, d3d9.ModSignNeg:
		v = 2*v - 1
	case d3d9.ModX2, d3d9.ModX2Neg:
		v *= 2
	case d3d9.ModComp:
		v = 1 - v
	}
	switch mod {
	case d3d9.ModNeg, d3d9.ModBiasNeg, d3d9.ModSignNeg, d3d9.ModX2Neg:
		v = -v
	}
	return math.Float32bits(v)
}

// fill puts the components in set into d.
func (x *fixedEmitter) fill(d *constDef, bits [4]uint32, set d3d9.Mask) {
	for c := range 4 {
		if set.Has(c) {
			d.bits[c] = bits[c]
			d.set |= 1 << c
		}
	}
}

// swizzles are those that an operand of the model may have, whatever the instruction writes.
func (x *fixedEmitter) swizzles() []d3d9.Swizzle { return x.model.Limits().Swizzles }

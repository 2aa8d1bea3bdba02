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

package algebra

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// rule states that one op with certain operands equals another op.
type rule struct {
	op    ir.Op
	class passes.Class
	zero  bool // holds only if x*0 is 0
	// rewrite returns the cheaper instruction, or ok = false if the rule does not apply. Outputs and
	// modifiers stay.
	rewrite func(m *match) (op ir.Op, src []ir.Operand, ok bool)
}

// The rules, in the order they are tried. a, b and c are the sources; if the op commutes, a rule about b is
// also tried with a and b swapped. The class of each is the weakest sense in which it is true of all floats:
//
//   - x + -0, x*1, x*-1 and mad with 1 are exact in IEEE 754, signs of zeros
//     included;
//   - x + +0 makes +0 of -0, so it is true over the reals only;
//   - x*0 is NaN for an infinite or NaN x, and -0 for a negative one: true where
//     the hardware defines it so, or approximately;
//   - lrp by 1 is a*(b-c)+c with two roundings, b without;
//   - pow by 1 and 2 is exp2(b*log2|a|) in hardware, with fewer bits.
var rules = []rule{
	{ir.OpAdd, passes.Bits, false, turnToMove(0, literal(1, negZero))},
	{ir.OpAdd, passes.Real, false, turnToMove(0, literal(1, 0))},
	{ir.OpMul, passes.Bits, false, turnToMove(0, literal(1, one))},
	{ir.OpMul, passes.Bits, false, negated(0, literal(1, minusOne))},
	{ir.OpMul, passes.Real, true, turnToMove(1, literal(1, 0))},
	{ir.OpMul, passes.Approx, false, turnToMove(1, literal(1, 0))},
	{ir.OpMad, passes.Bits, false, turnInto(ir.OpAdd, literal(1, one), 0, 2)},
	{ir.OpMad, passes.Bits, false, negatedSum},
	{ir.OpMad, passes.Bits, false, turnInto(ir.OpMul, literal(2, negZero), 0, 1)},
	{ir.OpMad, passes.Real, false, turnInto(ir.OpMul, literal(2, 0), 0, 1)},
	{ir.OpMad, passes.Real, true, turnToMove(2, literal(1, 0))},
	{ir.OpMad, passes.Approx, false, turnToMove(2, literal(1, 0))},
	{ir.OpLrp, passes.Real, false, turnToMove(1, literal(0, one))},
	{ir.OpLrp, passes.Real, false, turnToMove(2, literal(0, 0))},
	{ir.OpMin, passes.Bits, false, turnToMove(0, equal(0, 1))},
	{ir.OpMax, passes.Bits, false, turnToMove(0, equal(0, 1))},
	{ir.OpCmp, passes.Bits, false, turnToMove(1, equal(1, 2))},
	{ir.OpCmp, passes.Bits, false, chosen},
	{ir.OpSel, passes.Bits, false, turnToMove(1, nonzero(0))},
	{ir.OpSel, passes.Bits, false, turnToMove(2, literal(0, 0))},
	{ir.OpPow, passes.Approx, false, power(0)},
	{ir.OpPow, passes.Approx, false, power(one)},
	{ir.OpPow, passes.Approx, false, power(two)},
}

const (
	one      = 0x3f800000
	minusOne = 0xbf800000
	two      = 0x40000000
	negZero  = 0x80000000
)

// simplify applies rules to in until none applies. Every rule has fewer or cheaper operands, so it
// terminates.
func (x *folder) simplify(in *ir.Instr) {
	for x.rewrite(in) {
	}
}

// op returns the op whose rules in has. In kernels, products of IEEE 754 stay: they cost nothing in a free slot of a
// group, and without them one of 73 kernels is 3.6 % slower and one 0.1 % faster.
func (x *folder) op(in *ir.Instr) ir.Op {
	if x.f.Dialect.Launch() != nil {
		return in.Op
	}
	return in.Op.Legacy()
}

func (x *folder) rewrite(in *ir.Instr) bool {
	known := x.op(in)
	for i := range rules {
		r := &rules[i]
		if known != r.op || r.zero && !x.zero || !x.c.Allows(r.class, in) {
			continue
		}
		m := &match{x: x, in: in, src: in.Src}
		for range 2 {
			op, src, ok := r.rewrite(m)
			// A move neither flushes subnormals nor changes a NaN, so values that arithmetic would have
			// changed must not be moved.
			if ok && (op == ir.OpMov || op == ir.OpAbs) &&
				(x.flush && !x.isFlushed(in, &src[0]) || x.knowsInfinite(in, &src[0])) {
				ok = false
			}
			if ok {
				to := *in
				if to.Op, to.Src = op, src; in.Op != r.op {
					to.Op = op.IEEE()
				}
				if x.become(in, &to) {
					return true
				}
			}
			if !in.Op.Has(ir.Commutes) {
				break
			}
			m.src = append(append(x.swapped[:0], in.Src[1], in.Src[0]), in.Src[2:]...)
			x.swapped = m.src
		}
	}
	return false
}

// knowsInfinite reports whether a lane of o that in reads is certainly an infinity or a NaN. Arithmetic
// replaces a NaN by the hardware's NaN, and a move does not.
func (x *folder) knowsInfinite(in *ir.Instr, o *ir.Operand) bool {
	for i, v := range in.Out {
		if v == nil {
			continue
		}
		if bits, known := x.literal(o[i]); known && bits>>23&0xff == 0xff {
			return true
		}
	}
	return false
}

// isFlushed reports whether the lanes of o that in reads are certainly not subnormal. Registers may hold
// integers, which float arithmetic would destroy and a move or an absolute value would not.
func (x *folder) isFlushed(in *ir.Instr, o *ir.Operand) bool {
	for i, v := range in.Out {
		if v != nil && !x.flushed(o[i].V, map[*ir.Value]bool{}) {
			return false
		}
	}
	return true
}

// flushed reports whether v is never subnormal, assuming that the values in assumed are not. A carried value
// is never subnormal if its initial value is not and no trip makes it so (induction over trips).
func (x *folder) flushed(v *ir.Value, assumed map[*ir.Value]bool) bool {
	const most = 16 // values on the path
	switch carried, ok := x.carried[v]; {
	case assumed[v]:
		return true
	case len(assumed) == most:
		return false
	case ok:
		assumed[v] = true
		return x.flushed(carried[0], assumed) && x.flushed(carried[1], assumed)
	case v.Kind == ir.Literal:
		return v.Bits>>23&0xff != 0 || v.Bits<<1 == 0
	case v.Kind == ir.Input && x.f.Dialect.Launch() != nil: // positions of pixels are at least one half
		axis, half := x.f.Dialect.Launch().Coordinate(v.Home)
		return axis >= 0 && half
	case v.Def != nil && v.Def.Op == ir.OpMov && v.Kind == ir.Result && !v.Def.IsPredicated():
		assumed[v] = true
		return x.flushed(v.Def.Src[0][v.Lane].V, assumed)
	}
	return v.Def != nil && flushing[v.Def.Op.Legacy()]
}

// flushing are the float operations whose results are never subnormal if arithmetic flushes subnormals to 0.
var flushing = map[ir.Op]bool{
	ir.OpAdd: true, ir.OpMul: true, ir.OpMad: true, ir.OpFma: true, ir.OpDp2: true, ir.OpDp3: true, ir.OpDp4: true,
	ir.OpFrc: true, ir.OpFloor: true, ir.OpCeil: true, ir.OpTrunc: true, ir.OpRndne: true,
	ir.OpIToF: true, ir.OpUToF: true, ir.OpSqrt: true, ir.OpSin: true, ir.OpCos: true,
}

// match is an instruction that a rule is tried on, possibly with its first two sources swapped.
type match struct {
	x   *folder
	in  *ir.Instr
	src []ir.Operand
}

type test func(m *match) bool

// literal tests that every lane read of source k is the literal with these bits.
func literal(k int, bits uint32) test {
	return func(m *match) bool {
		ok := true
		m.src[k].EachLane(func(_ int, l *ir.Lane) {
			b, known := m.x.literal(*l)
			ok = ok && known && b == bits
		})
		return ok
	}
}

// nonzero tests that every lane read of source k is a literal other than the word 0.
func nonzero(k int) test {
	return func(m *match) bool {
		ok := true
		m.src[k].EachLane(func(_ int, l *ir.Lane) {
			b, known := m.x.literal(*l)
			ok = ok && known && b != 0
		})
		return ok
	}
}

func equal(j, k int) test { return func(m *match) bool { return m.src[j] == m.src[k] } }

// turnToMove turns the instruction into a move of source k.
func turnToMove(k int, when test) func(*match) (ir.Op, []ir.Operand, bool) {
	return turnInto(ir.OpMov, when, k)
}

// turnInto turns the instruction into op on some of its sources.
func turnInto(op ir.Op, when test, ks ...int) func(*match) (ir.Op, []ir.Operand, bool) {
	return func(m *match) (ir.Op, []ir.Operand, bool) {
		if !when(m) {
			return 0, nil, false
		}
		src := make([]ir.Operand, len(ks))
		for i, k := range ks {
			src[i] = m.src[k]
		}
		return op, src, true
	}
}

func negated(k int, when test) func(*match) (ir.Op, []ir.Operand, bool) {
	return func(m *match) (ir.Op, []ir.Operand, bool) {
		return ir.OpMov, []ir.Operand{negate(m.src[k])}, when(m)
	}
}

func negate(o ir.Operand) ir.Operand {
	o.EachLane(func(_ int, l *ir.Lane) { l.Mod = l.Mod.ComposeWith(ir.Neg) })
	return o
}

// negatedSum rewrites a*-1 + c to c - a.
func negatedSum(m *match) (ir.Op, []ir.Operand, bool) {
	return ir.OpAdd, []ir.Operand{negate(m.src[0]), m.src[2]}, literal(1, minusOne)(m)
}

// chosen rewrites cmp on literals to a move of the selected lanes.
func chosen(m *match) (ir.Op, []ir.Operand, bool) {
	var o ir.Operand
	ok := true
	m.src[0].EachLane(func(i int, l *ir.Lane) {
		bits, known := m.x.literal(*l)
		f := math.Float32frombits(bits)
		ok = ok && known && f == f
		o[i] = m.src[2][i]
		if f >= 0 {
			o[i] = m.src[1][i]
		}
	})
	// Lanes of both sides form one operand only if they share a register.
	return ir.OpMov, []ir.Operand{o}, ok && (o == m.src[1] || o == m.src[2] || o.Together())
}

// power rewrites |a|^0 to 1, |a|^1 to |a| and |a|^2 to a*a.
func power(exponent uint32) func(*match) (ir.Op, []ir.Operand, bool) {
	return func(m *match) (ir.Op, []ir.Operand, bool) {
		if !literal(1, exponent)(m) {
			return 0, nil, false
		}
		spread := func(l ir.Lane) (o ir.Operand) {
			for i, v := range m.in.Out {
				if v != nil {
					o[i] = l
				}
			}
			return o
		}
		base := m.src[0][0]
		switch exponent {
		case 0:
			return ir.OpMov, []ir.Operand{spread(ir.Lane{V: m.x.f.Const(one)})}, true
		case two:
			return ir.OpMul, []ir.Operand{spread(base), spread(base)}, true
		}
		if m.x.f.Dialect.Supports(ir.OpAbs) { // not every model has the modifier
			return ir.OpAbs, []ir.Operand{spread(base)}, true
		}
		base.Mod = base.Mod.ComposeWith(ir.Abs)
		return ir.OpMov, []ir.Operand{spread(base)}, true
	}
}

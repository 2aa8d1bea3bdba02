package reals

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// What is equal over the reals is promised where no intermediate value is infinite or NaN.
// That would say nothing of a program which computes with a value that never is a number:
// the reciprocal of a literal zero, a sum of literals that overflows, a literal NaN. Times
// zero, which is zero in the field, or less itself, it leaves no trace in the result of a
// proof, and a NaN in that of an execution. So rung 3 notes, side by side, which such
// constants reach the arithmetic of floats: after may do that with those of before, and leave
// out what is no number anyway, but with no other.
//
// Only what reaches arithmetic counts: choosing, comparing and moving does not change a
// value, integers and masks have the bits of a NaN, and what a function other than sum and
// product is made of is in its image.
type infinities struct {
	// known are values, without their signs, that are no numbers whatever the input, or may
	// be such.
	known map[Image]bool
	// met are those that are operands of arithmetic on the side being executed, if not nil, by
	// what their product with zero is.
	met map[Infinite]bool
}

// Infinite is a constant that is no number, as an operand. Legacy products with zero are zero
// whatever the other factor, strict ones are not.
type Infinite struct {
	v      Image
	strict bool
}

// special reports whether x is known to be no number, or may be a constant that is none, and what that
// is known by, which does not depend on its sign.
func (f *Field) special(x Element) (key Image, ok bool) {
	if x.isBits {
		if size := x.lit &^ symbolic.SignBit; size >= infinityBits {
			return f.Literal(size).v, true
		}
		return key, false
	}
	if len(f.infinities.known) == 0 {
		return key, false
	}
	key, _ = f.unsigned(x.v)
	return key, f.infinities.known[key]
}

const infinityBits = 255 << 23

// singular notes that x is no number, or may be.
func (f *Field) singular(x Element) {
	if !x.isBits {
		u, _ := f.unsigned(x.v)
		f.infinities.known[u] = true
	}
}

// chosen is y, which was chosen among values of which some may be no numbers.
func (f *Field) chosen(y Element, among ...Element) Element {
	for _, x := range among {
		if _, ok := f.special(x); ok {
			f.singular(y)
		}
	}
	return y
}

// watched is the algebra that formulas of floats are evaluated in: another one, in which it
// looks at operands.
type watched struct {
	ir.Algebra[Element]
	f      *Field
	strict bool // of the op being applied
}

// eval computes a lane of an op in alg, which is f or made of it.
func (f *Field) eval(alg ir.Algebra[Element], op ir.Op, lane int, read func(src, lane int) Element) Element {
	f.watch.Algebra, f.watch.f, f.watch.strict = alg, f, op.Has(ir.IEEE)
	return ir.Eval(&f.watch, op, lane, read)
}

func (a *watched) meet(operands ...Element) { a.f.meet(a.strict, operands...) }

// meet notes those operands of arithmetic that are no numbers.
func (f *Field) meet(strict bool, operands ...Element) {
	if f.infinities.met == nil {
		return
	}
	for _, x := range operands {
		if key, ok := f.special(x); ok {
			f.infinities.met[Infinite{key, strict}] = true
		}
	}
}

// overflow notes that literals give a result that is no number.
func (a *watched) overflow(y, p, q Element, op func(p, q float32) float32) Element {
	if p.isBits && q.isBits && !isNumber(op(math.Float32frombits(p.lit), math.Float32frombits(q.lit))) {
		a.f.singular(y)
	}
	return y
}

func isNumber(x float32) bool { return x-x == 0 }

func (a *watched) Add(p, q Element) Element {
	a.meet(p, q)
	return a.overflow(a.Algebra.Add(p, q), p, q, func(p, q float32) float32 { return p + q })
}

func (a *watched) Mul(p, q Element) Element {
	a.meet(p, q)
	return a.overflow(a.Algebra.Mul(p, q), p, q, func(p, q float32) float32 { return p * q })
}

// uses is what primitives make of operands that are no numbers, if not one that shows in
// their image: they may give one of them, or compare.
var uses = map[ir.Prim]use{
	ir.PrimMin: choosing, ir.PrimMax: choosing, ir.PrimMinIEEE: choosing, ir.PrimMaxIEEE: choosing, ir.PrimSelGE: choosing, ir.PrimClamp: choosing, ir.PrimAbs: choosing,
	ir.PrimSlt: comparing, ir.PrimSge: comparing, ir.PrimGT: comparing, ir.PrimEQ: comparing, ir.PrimGE: comparing, ir.PrimLT: comparing, ir.PrimNE: comparing, ir.PrimLE: comparing,
	ir.PrimSgn: comparing, ir.PrimSat: comparing,
	ir.PrimRcp: pole, ir.PrimRsq: pole, ir.PrimLog2: pole, ir.PrimLog2P: pole, ir.PrimExponent: pole, ir.PrimRcpZ: pole, ir.PrimRsqZ: pole, ir.PrimLog2Z: pole, ir.PrimLnZ: pole,
}

type use uint8

const (
	computing use = iota
	choosing
	comparing
	pole // computing, with a pole at zero
)

// Call implements ir.Algebra. A pole of what is zero for every input is an infinity, or what
// stands for it.
func (a *watched) Call(p ir.Prim, args []Element) Element {
	if x := args[0]; p == ir.PrimRcp && x.isBits && x.lit == symbolic.SignBit { // of the other infinity than 1/0
		return a.Neg(a.Call(p, []Element{a.f.Literal(0)}))
	}
	y, use := a.Algebra.Call(p, args), uses[p]
	switch use {
	case choosing:
		return a.f.chosen(y, args...)
	case comparing:
		return y
	}
	a.meet(args...)
	if use == pole && isZero(args[0]) || !isNumber(evaluated(p, args)) {
		a.f.singular(y)
	}
	return y
}

// isZero reports whether x is zero whatever the input; subnormal literals may be.
func isZero(x Element) bool { return x.v == Image{} || x.isBits && x.lit&^symbolic.SignBit < 1<<23 }

// evaluated is the value of a primitive of literals, and else 0.
func evaluated(p ir.Prim, args []Element) float32 {
	var bits [4]uint32
	for i, x := range args {
		if !x.isBits || i == len(bits) {
			return 0
		}
		bits[i] = x.lit
	}
	var w ir.Words
	return math.Float32frombits(w.Call(p, bits[:len(args)]))
}

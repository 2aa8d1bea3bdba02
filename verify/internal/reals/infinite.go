package reals

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Equality over the reals is promised where no intermediate value is infinite or NaN. This is void for a
// program that computes with a value that never is a number. Examples are the reciprocal of a literal zero,
// a sum of literals that overflows, and a literal NaN. Multiplied by zero (zero in the field), or minus
// itself, such a value leaves no trace in a proof, although executions return NaN. The field proof therefore also
// records such constants that reach the arithmetic of floats. After may compute with those of before, and
// may omit some, but may not add any.
//
// Only operands of arithmetic count. Choosing, comparing and moving do not change a value. Integers and
// masks may have the bits of a NaN. The image of a function other than sum and product includes its
// operands.
type infinities struct {
	// known holds values, without their signs, that are not numbers for any input, or may be such.
	known map[Image]bool
	// met, if not nil, holds those that are operands of arithmetic in the version being executed. Its keys
	// distinguish the results of a product with zero.
	met map[Infinite]bool
}

// Infinite is a constant operand that is not a number. Legacy products with zero are zero for every other
// factor, strict ones are not.
type Infinite struct {
	v      Image
	strict bool
}

// special reports whether x is known to be infinite or NaN, or may be a constant that is. key identifies it
// independent of its sign.
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

// singular records that x is not a number, or may not be.
func (f *Field) singular(x Element) {
	if !x.isBits {
		u, _ := f.unsigned(x.v)
		f.infinities.known[u] = true
	}
}

// chosen returns y, which was chosen among values, some of which may not be numbers.
func (f *Field) chosen(y Element, among ...Element) Element {
	for _, x := range among {
		if _, ok := f.special(x); ok {
			f.singular(y)
		}
	}
	return y
}

// watched is the algebra in which formulas of floats are evaluated. It wraps another algebra and inspects
// the operands.
type watched struct {
	ir.Algebra[Element]
	f      *Field
	strict bool // of the op being applied
}

// evalLane computes a lane of an op in alg, which is f or a domain on top of it.
func (f *Field) evalLane(alg ir.Algebra[Element], op ir.Op, lane int, read func(src, lane int) Element) Element {
	f.watch.Algebra, f.watch.f, f.watch.strict = alg, f, op.Has(ir.IEEE)
	return ir.Eval(&f.watch, op, lane, read)
}

func (a *watched) recordOperands(operands ...Element) { a.f.recordSpecials(a.strict, operands...) }

// recordSpecials records the operands of arithmetic that are not numbers.
func (f *Field) recordSpecials(strict bool, operands ...Element) {
	if f.infinities.met == nil {
		return
	}
	for _, x := range operands {
		if key, ok := f.special(x); ok {
			f.infinities.met[Infinite{key, strict}] = true
		}
	}
}

// overflow records a result of literals that is not a number.
func (a *watched) overflow(y, p, q Element, op func(p, q float32) float32) Element {
	if p.isBits && q.isBits && !isNumber(op(math.Float32frombits(p.lit), math.Float32frombits(q.lit))) {
		a.f.singular(y)
	}
	return y
}

func isNumber(x float32) bool { return x-x == 0 }

func (a *watched) Add(p, q Element) Element {
	a.recordOperands(p, q)
	return a.overflow(a.Algebra.Add(p, q), p, q, func(p, q float32) float32 { return p + q })
}

func (a *watched) Mul(p, q Element) Element {
	a.recordOperands(p, q)
	return a.overflow(a.Algebra.Mul(p, q), p, q, func(p, q float32) float32 { return p * q })
}

// uses lists the primitives that need a special treatment of operands that are not numbers. They choose one
// of their operands, compare them, or have a pole at zero. All others compute.
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

// Call implements ir.Algebra. A pole at an operand that is zero for every input is an infinity.
func (a *watched) Call(p ir.Prim, args []Element) Element {
	if x := args[0]; p == ir.PrimRcp && x.isBits && x.lit == symbolic.SignBit { // the opposite infinity of 1/0
		return a.Neg(a.Call(p, []Element{a.f.Literal(0)}))
	}
	y, use := a.Algebra.Call(p, args), uses[p]
	switch use {
	case choosing:
		return a.f.chosen(y, args...)
	case comparing:
		return y
	}
	a.recordOperands(args...)
	if use == pole && isZero(args[0]) || !isNumber(evaluated(p, args)) {
		a.f.singular(y)
	}
	return y
}

// isZero reports whether x is zero for every input; subnormal literals may be.
func isZero(x Element) bool { return x.v == Image{} || x.isBits && x.lit&^symbolic.SignBit < 1<<23 }

// evaluated returns the value of a primitive of literals, or 0.
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

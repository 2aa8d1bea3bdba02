package coarsen

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Invocation n often computes the value of the tile's first invocation plus a constant that follows
// from its position. Such a value is computed by one addition of that constant, which replaces the
// computation of the whole operand. This is strength reduction across the invocations of a tile, as
// compilers do it in loops (Cocke and Kennedy, "An algorithm for reduction of operator strength",
// 1977). For example, an address is converted to an integer once:
//
//	mad r1.x, r0.y, l0.w, r0.x      mad r1.x, r0.y, l0.w, r0.x
//	ftoi r2.x, r1.x                 ftoi r2.x, r1.x
//	mad r3.x, r0.y, l0.w, r4.x
//	ftoi r5.x, r3.x                 iadd r5.x, r2.x, l0.x
//
// The rewrite requires a literal l0.w so small that no intermediate float is rounded. If the host
// sets the factor, the address is computed again.

// word holds the known facts about a word in one invocation, read as a float and as an integer.
type word struct{ float, integer number }

// number is an abstract value: fraction, bounds, and the difference to the tile's first invocation.
type number struct {
	fraction float64 // from 0 up to 1; NaN if unknown
	lo, hi   float64
	more     float64 // the difference; NaN if unknown
	floats   bool    // computed from floats
	rounded  bool    // an intermediate float may be rounded, so more does not hold for an integer made of it
}

// maxPosition bounds pixel positions: it is the longest side of a render target. A float of at most
// maxWhole is exact if it is an integer. Fractions are multiples of 1/finest, so sums of them are
// exact.
const (
	maxPosition = 1 << 14
	maxWhole    = 1 << 24
	finest      = 1 << 8
)

func unknown() number {
	return number{fraction: math.NaN(), lo: math.Inf(-1), hi: math.Inf(1), more: math.NaN()}
}

func literal(x float64) number {
	n := number{fraction: x - math.Floor(x), lo: x, hi: x}
	if x*finest != math.Floor(x*finest) {
		n.fraction = math.NaN()
	}
	return n
}

// uniformNumber returns a number about which only uniformity is known: all invocations share it.
func uniformNumber() number { return number{fraction: math.NaN(), lo: math.Inf(-1), hi: math.Inf(1)} }

func (a number) isLiteral() bool { return a.lo == a.hi }
func (a number) isWhole() bool   { return a.fraction == 0 }
func (a number) inRange() bool   { return a.lo >= -maxWhole && a.hi <= maxWhole }

// asFloat returns a as the result of a float operation. It marks a as rounded unless its magnitude
// is small enough for its fraction.
func (a number) asFloat() number {
	unit := 1.0 // a has a fraction that is a multiple of unit
	for ; unit >= 1.0/finest && a.fraction != unit*math.Floor(a.fraction/unit); unit /= 2 {
	}
	a.rounded = a.rounded || unit < 1.0/finest || a.lo < -maxWhole*unit || a.hi > maxWhole*unit
	return a
}

func (a number) add(b number) number {
	x := a.fraction + b.fraction
	return number{x - math.Floor(x), a.lo + b.lo, a.hi + b.hi, sum(a.more, b.more), a.floats || b.floats, a.rounded ||
		b.rounded}
}

func (a number) neg() number {
	return literal(0).add(number{1 - a.fraction, -a.hi, -a.lo, -a.more, a.floats, a.rounded})
}

// mul multiplies. The difference scales with a literal factor; otherwise it is known only if both
// differences are 0.
func (a number) mul(b number) number {
	if a.isLiteral() {
		a, b = b, a
	}
	p := unknown()
	p.floats, p.rounded = a.floats || b.floats, a.rounded || b.rounded
	if a.more == 0 && b.more == 0 {
		p.more = 0
	}
	if !b.isLiteral() {
		return p
	}
	c := b.lo
	p.more, p.lo, p.hi = product(a.more, c), math.Min(a.lo*c, a.hi*c), math.Max(a.lo*c, a.hi*c)
	if x := a.fraction * c; c == math.Floor(c) {
		p.fraction = x - math.Floor(x)
	}
	return p
}

// sum and product return exact results, or NaN.
func sum(a, b float64) float64 {
	s := a + b
	if s-a != b || s-b != a {
		return math.NaN()
	}
	return s
}

func product(a, b float64) float64 {
	if p := a * b; math.FMA(a, b, -p) == 0 {
		return p
	}
	return math.NaN()
}

// whole rounds a down, or towards zero where both give the same result.
func (a number) whole(down bool) number {
	if !down && !a.isWhole() && !(a.lo >= 0) || a.more != math.Floor(a.more) || math.IsNaN(a.fraction) {
		w := unknown()
		if a.more == 0 {
			w.more = 0
		}
		return w
	}
	return number{0, a.lo - a.fraction, a.hi - a.fraction, a.more, a.floats, a.rounded}
}

// shifts is an evaluation domain of [ir.Eval] over words.
type shifts struct{}

func ofFloat(x number) word {
	x.floats = true
	return word{x, anyOf(x)}
}

func ofInteger(x number) word { return word{anyOf(x), x} }

// anyOf returns the facts about the other reading of a word: it is uniform if this one is.
func anyOf(x number) number {
	if x.more == 0 {
		return uniformNumber()
	}
	return unknown()
}

func (shifts) Const(x float32) word { return ofFloat(literal(float64(x))) }
func (shifts) Add(a, b word) word   { return ofFloat(a.float.add(b.float).asFloat()) }
func (shifts) Mul(a, b word) word   { return ofFloat(a.float.mul(b.float).asFloat()) }
func (shifts) Neg(a word) word      { return ofFloat(a.float.neg()) }

func (shifts) Call(p ir.Prim, args []word) word {
	a, b := args[0], args[len(args)-1]
	switch p {
	case ir.PrimFloor:
		return ofFloat(a.float.whole(true))
	case ir.PrimTrunc:
		return ofFloat(a.float.whole(false))
	case ir.PrimFToI, ir.PrimFToU:
		if x := a.float.whole(false); x.inRange() && !x.rounded && (p == ir.PrimFToI || x.lo >= 0) {
			return ofInteger(x)
		}
	case ir.PrimIToF, ir.PrimUToF:
		if x := a.integer; x.inRange() && (p == ir.PrimIToF || x.lo >= 0) {
			return ofFloat(x)
		}
	case ir.PrimIAdd:
		return ofInteger(a.integer.add(b.integer))
	case ir.PrimISub:
		return ofInteger(a.integer.add(b.integer.neg()))
	case ir.PrimINeg:
		return ofInteger(a.integer.neg())
	case ir.PrimIMul:
		return ofInteger(a.integer.mul(b.integer))
	case ir.PrimIMad:
		return ofInteger(a.integer.mul(args[1].integer).add(b.integer))
	case ir.PrimIShl:
		if n := b.integer; n.isLiteral() {
			return ofInteger(a.integer.mul(literal(math.Exp2(float64(int(n.lo) & 31)))))
		}
	}
	x := unknown()
	for _, y := range args {
		if y.float.more != 0 && y.integer.more != 0 {
			return word{x, x}
		}
	}
	return ofInteger(uniformNumber())
}

// wordOf returns the facts known about v in invocation n.
func (k *copier) wordOf(n int, v *ir.Value) word {
	switch {
	case v.Kind == ir.Literal:
		return word{literal(float64(math.Float32frombits(v.Bits))), literal(float64(int32(v.Bits)))}
	case k.axisOf(v) >= 0:
		return k.positionAt(n, v)
	}
	w, ok := k.words[n][v]
	if !ok {
		w = word{unknown(), unknown()}
	}
	if k.value(n, v) == k.value(0, v) {
		w.float.more, w.integer.more = 0, 0
	}
	return w
}

// positionAt returns the facts about a position input in invocation n.
func (k *copier) positionAt(n int, v *ir.Value) word {
	if k.t.Group != 0 {
		_, more := k.t.Member(n, k.size)
		return ofInteger(number{hi: math.Inf(1), more: float64(more)})
	}
	axis, half := k.f.Dialect.Launch().Coordinate(v.Home)
	x := number{hi: math.Inf(1), more: float64(k.t.Offset(n)[axis])}
	for m := range k.t.Count() {
		if _, would := k.t.LastCoordinate(m, axis); would && n > 0 { // clamping may change the difference
			x.more = math.NaN()
		}
	}
	if !half {
		return ofInteger(x)
	}
	x.fraction, x.lo, x.hi = 0.5, 0.5, maxPosition-0.5
	return ofFloat(x)
}

// shifted returns the facts about lane i of in for invocation n.
func (k *copier) shifted(in *ir.Instr, i, n int) word {
	if !in.Op.HasFormula() || in.IsPredicated() || in.Mods&ir.Sat != 0 {
		return word{unknown(), unknown()}
	}
	return ir.Eval(shifts{}, in.Op, i, func(s, c int) word {
		l := in.Src[s][c]
		switch w := k.wordOf(n, l.V); l.Mod {
		case 0:
			return w
		case ir.Neg:
			return ofFloat(w.float.neg())
		default:
			return word{unknown(), unknown()}
		}
	})
}

// shift returns an instruction that computes lanes of in for invocation n by adding constants to
// the first invocation's values, or nil if it cannot.
func (k *copier) shift(in *ir.Instr, n int, lanes uint8) *ir.Instr {
	if n == 0 || lanes == 0 || in.Op == ir.OpMov || len(in.Results) > 0 || k.code != &k.f.Body.Code {
		return nil
	}
	out := &ir.Instr{Src: make([]ir.Operand, 2), Orig: -1, Pos: in.Pos, Also: in.Also}
	for i := range 4 {
		if lanes>>i&1 == 0 {
			continue
		}
		w, from := k.words[n][in.Out[i]], k.value(0, in.Out[i])
		op, more := ir.OpIAdd, uint32(int64(w.integer.more))
		// The bits stay the same, since no float is rounded, but the proof of that needs the reals.
		if k.c.Numerics < passes.Real && (w.float.floats || w.integer.floats) {
			return nil
		}
		if x := w.float; !math.IsNaN(x.more) && x.more != 0 {
			if x.rounded { // an integer may be made of it
				return nil
			}
			op, more = ir.OpAdd, math.Float32bits(float32(x.more))
			if float64(float32(x.more)) != x.more {
				return nil
			}
		} else if math.IsNaN(w.integer.more) || w.integer.more == 0 {
			return nil
		} else if d := from.Def; d.Op == op && d.Src[1][i].V.Kind == ir.Literal && d.Src[0][i].Mod == 0 {
			from, more = d.Src[0][i].V, more+d.Src[1][i].V.Bits // fold an earlier addition
		}
		if out.Op != ir.OpInvalid && out.Op != op || !k.c.Allows(passes.Bits, in) {
			return nil
		}
		out.Op = op
		out.Src[0][i] = ir.Lane{V: from}
		out.Src[1][i] = ir.Lane{V: k.f.Const(more)}
	}
	return out
}

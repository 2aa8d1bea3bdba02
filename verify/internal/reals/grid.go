package reals

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
)

// grid describes the values of a float: each is over plus a multiple of step, between lo and hi. step is a
// power of two, infinite for a literal.
//
// Grids identify the operations that round nothing. A float32 has 24 bits. If q is a power of two that is
// not too small, every multiple of q up to q*2^24 is a float32.
type grid struct{ step, over, lo, hi float64 }

func literalGrid(x float64) grid { return grid{math.Inf(1), x, x, x} }

// maxPosition bounds the positions of pixels, by the size of a render target.
const maxPosition = 1 << 14

// positions is the grid of the centres of pixels.
var positions = grid{1, 0.5, 0.5, maxPosition - 0.5}

// lowBit returns the largest power of two that divides x, infinite for 0.
func lowBit(x float64) float64 {
	if x == 0 {
		return math.Inf(1)
	}
	frac, e := math.Frexp(math.Abs(x)) // below 2^53 times a power of two
	n := uint64(frac * (1 << 53))
	return math.Ldexp(float64(n&-n), e-53)
}

// quantum returns a power of two that divides all values.
func (g grid) quantum() float64 { return min(g.step, lowBit(g.over)) }

func (g grid) magnitude() float64 { return max(math.Abs(g.lo), math.Abs(g.hi)) }

// isWhole reports whether all values are integers.
func (g grid) isWhole() bool { return g.quantum() >= 1 }

// fitsFloat reports whether multiples of quantum up to size are float32.
func fitsFloat(size, quantum float64) bool {
	const mantissa, least, most = 1 << 24, 0x1p-126, 0x1p127
	return size <= mantissa*quantum && (quantum >= least) && size <= most
}

// union returns the grid of a value that is one of a's or one of b's.
func (a grid) union(b grid) grid {
	return grid{min(a.step, b.step, lowBit(a.over-b.over)), a.over, min(a.lo, b.lo), max(a.hi, b.hi)}
}

func (a grid) neg() grid { return grid{a.step, -a.over, -a.hi, -a.lo} }

func (a grid) add(b grid) grid {
	return grid{min(a.step, b.step), a.over + b.over, a.lo + b.lo, a.hi + b.hi}
}

// mul returns the grid of products: (m+c)*(n+d) = m*n + m*d + n*c + c*d.
func (a grid) mul(b grid) grid {
	step := a.step * b.step
	if b.over != 0 {
		step = min(step, a.step*lowBit(b.over))
	}
	if a.over != 0 {
		step = min(step, b.step*lowBit(a.over))
	}
	p, q, r, s := a.lo*b.lo, a.lo*b.hi, a.hi*b.lo, a.hi*b.hi
	return grid{step, a.over * b.over, min(p, q, r, s), max(p, q, r, s)}
}

// floor returns the grid of a rounded down. If all values have the same fraction, the grid only moves.
func (a grid) floor() grid {
	lo, hi := math.Floor(a.lo), math.Floor(a.hi)
	if a.step >= 1 {
		return grid{a.step, math.Floor(a.over), lo, hi}
	}
	return grid{1, 0, lo, hi}
}

// trunc rounds towards zero.
func (a grid) trunc() grid {
	switch {
	case a.isWhole():
		return a
	case a.lo >= 0:
		return a.floor()
	case a.hi <= 0:
		return a.neg().floor().neg()
	}
	return grid{1, 0, math.Trunc(a.lo), math.Trunc(a.hi)}
}

// reading describes a float that an instruction reads or computes: whether it is exactly its real number,
// and then perhaps its grid.
type reading struct {
	exact, bounded bool
	grid
}

// arithmetic is the algebra of readings. It determines whether a formula rounds nothing, for every order of
// sums, and with or without rounding of products before a sum.
type arithmetic struct{}

func bounded(g grid) reading { return reading{true, true, g} }

func (r reading) isLiteral() bool { return r.bounded && r.lo == r.hi }

// scales reports whether a product with r rounds nothing unless it overflows: r is a power of two of at
// least 1.
func (r reading) scales() bool {
	return r.isLiteral() && math.Abs(r.lo) >= 1 && lowBit(r.lo) == math.Abs(r.lo)
}

// Const implements ir.Algebra.
func (arithmetic) Const(x float32) reading { return bounded(literalGrid(float64(x))) }

// Neg implements ir.Algebra.
func (arithmetic) Neg(a reading) reading {
	a.grid = a.grid.neg()
	return a
}

// Add implements ir.Algebra. The bound of magnitudes covers every partial sum.
func (arithmetic) Add(a, b reading) reading {
	switch {
	case !a.exact || !b.exact:
		return reading{}
	case a.isLiteral() && a.lo == 0:
		return b
	case b.isLiteral() && b.lo == 0:
		return a
	case !a.bounded || !b.bounded || !fitsFloat(a.magnitude()+b.magnitude(), min(a.quantum(), b.quantum())):
		return reading{}
	}
	return bounded(a.grid.add(b.grid))
}

// Mul implements ir.Algebra.
func (arithmetic) Mul(a, b reading) reading {
	if a.isLiteral() {
		a, b = b, a
	}
	switch {
	case !a.exact || !b.exact:
		return reading{}
	case b.isLiteral() && b.lo == 0:
		return b
	case !a.bounded:
		return reading{exact: b.scales()}
	case !b.bounded || !fitsFloat(a.magnitude()*b.magnitude(), a.quantum()*b.quantum()):
		return reading{}
	}
	return bounded(a.grid.mul(b.grid))
}

// Call implements ir.Algebra for functions that round to integers, or return one of their operands.
func (alg arithmetic) Call(p ir.Prim, args []reading) reading {
	for _, x := range args {
		if !x.exact {
			return reading{}
		}
	}
	a, b := args[0], args[len(args)-1]
	r := reading{exact: true, bounded: a.bounded}
	switch p {
	case ir.PrimFloor:
		r.grid = a.floor()
	case ir.PrimCeil:
		r.grid = a.grid.neg().floor().neg()
	case ir.PrimTrunc:
		r.grid = a.trunc()
	case ir.PrimRndne:
		if r.grid = a.grid; !a.isWhole() {
			r.grid = grid{1, 0, math.RoundToEven(a.lo), math.RoundToEven(a.hi)}
		}
	case ir.PrimFrc: // exact except just below an integer
		if !a.bounded || a.quantum() < 0x1p-24 {
			return reading{}
		}
		if r.grid = (grid{a.quantum(), 0, 0, 1}); a.step >= 1 {
			r.grid = literalGrid(a.over - math.Floor(a.over))
		}
	case ir.PrimAbs:
		r.grid = a.union(a.grid.neg())
		r.lo = 0
	case ir.PrimMin, ir.PrimMinIEEE, ir.PrimMax, ir.PrimMaxIEEE:
		r.bounded = a.bounded && b.bounded
		r.grid = a.union(b.grid)
	case ir.PrimSelGE:
		r.bounded = args[1].bounded && b.bounded
		r.grid = args[1].union(b.grid)
	case ir.PrimSat:
		r.grid = a.union(literalGrid(0)).union(literalGrid(1))
		r.lo, r.hi = 0, 1
	case ir.PrimSgn:
		return bounded(grid{1, 0, -1, 1})
	case ir.PrimSlt, ir.PrimSge, ir.PrimGT, ir.PrimEQ, ir.PrimGE, ir.PrimLT, ir.PrimNE, ir.PrimLE:
		return bounded(grid{1, 0, 0, 1})
	case ir.PrimFma:
		return alg.Add(alg.Mul(a, args[1]), b)
	default:
		return reading{}
	}
	return r
}

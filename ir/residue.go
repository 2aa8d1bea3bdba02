package ir

import (
	"math"
	"math/bits"
)

// Residue is knowledge about a number modulo a power of two: the number is R + k*M for some whole k. M is 0
// if the number is known, and then R is its value. Any means that nothing is known. R and M count fractions,
// with 1<<fractionBits to one. This is the domain of arithmetical congruences (Granger, "Static analysis of
// arithmetical congruences", 1989). Moduli are restricted to powers of two, so that wrapping integers stay in
// the domain.
//
// Package passes/fetches uses it to find which number of a packed element a fetch reads. At 4*k + 2.5 for some
// k, it reads number 2 of an element of four.
type Residue struct {
	R, M int64
	Any  bool
}

// fractionBits is the resolution of residues: 1/256. Centres of pixels need halves; the other bits leave room
// for products of fractions.
const fractionBits = 8

const one = 1 << fractionBits

// whole is the residue of any whole number.
var whole = Residue{M: one}

// halves is the residue of pixel centres.
var halves = Residue{R: one / 2, M: one}

var anything = Residue{Any: true}

// residueOf returns the residue of x.
func residueOf(x float64) Residue {
	scaled := x * one
	if scaled != math.Trunc(scaled) || math.Abs(scaled) >= 1<<40 {
		return anything
	}
	return Residue{R: int64(scaled)}
}

// residue returns R = r modulo the largest power of two that divides m (m & -m). This is weaker than modulo
// m, and therefore sound.
func residue(r, m int64) Residue {
	if m != 0 {
		m &= -m
		r &= m - 1
	}
	return Residue{R: r, M: m}
}

// Modulo returns the whole part of a modulo n, in 0..n-1, and the remaining fraction, in 0..1. ok is false
// where a is not known modulo n.
func (a Residue) Modulo(n int) (whole int, over float64, ok bool) {
	m := int64(n) * one
	if a.Any || a.M%m != 0 {
		return 0, 0, false
	}
	r := (a.R%m + m) % m
	return int(r / one), float64(r%one) / one, true
}

// Plus returns the residue of the number plus x.
func (a Residue) Plus(x float64) Residue { return a.add(residueOf(x)) }

// join returns the residue of a number that has residue a or b. R+k*M and S+l*N agree modulo every common
// divisor of M, N and R-S. For powers of two, the least set bit of their union is the greatest common
// divisor.
func (a Residue) join(b Residue) Residue {
	switch {
	case a.Any || b.Any:
		return anything
	case a == b:
		return a
	}
	return residue(a.R, a.M|b.M|(a.R-b.R))
}

// add returns the residue of a sum. The sum of R+k*M and S+l*N is R+S modulo every common divisor of M and N.
func (a Residue) add(b Residue) Residue {
	if a.Any || b.Any {
		return anything
	}
	return residue(a.R+b.R, a.M|b.M)
}

func (a Residue) neg() Residue {
	if a.Any {
		return a
	}
	return residue(-a.R, a.M)
}

// mul returns the residue of a product. (R+k*M)*(S+l*N) = R*S + l*R*N + k*S*M + k*l*M*N, so it is R*S modulo
// every common divisor of the three products.
func (a Residue) mul(b Residue) Residue {
	if a.Any || b.Any {
		return anything
	}
	r, ok := product(a.R, b.R)
	m := int64(0)
	for _, f := range [...][2]int64{{a.R, b.M}, {b.R, a.M}, {a.M, b.M}} {
		part, whole := product(f[0], f[1])
		m, ok = m|part, ok && whole
	}
	if !ok {
		return anything
	}
	return residue(r, m)
}

// product multiplies fractions exactly. ok is false if the product overflows, or if it is finer than a
// fraction.
func product(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	if bits.Len64(uint64(max(a, -a)))+bits.Len64(uint64(max(b, -b))) > 62 || a*b%one != 0 {
		return 0, false
	}
	return a * b / one, true
}

// bitwise returns the residue of a bitwise operation on integers: the bits below both moduli are known. A conjunction
// with a number is also a multiple of the least bit of the number.
func (a Residue) bitwise(p Prim, b Residue) Residue {
	if a.Any || b.Any {
		return whole
	}
	r, m := a.R^b.R, a.M|b.M
	switch p {
	case PrimIOr:
		r = a.R | b.R
	case PrimIAnd:
		r = a.R & b.R
		for _, mask := range [...]Residue{a, b} {
			if least := mask.R & -mask.R; mask.M == 0 && least > m&-m && m != 0 {
				return residue(0, least)
			}
		}
	}
	return residue(r, m)
}

// floor rounds down. If the modulus is whole, only R is rounded; otherwise the result is some whole number.
func (a Residue) floor() Residue {
	if a.Any || a.M%one != 0 {
		return whole
	}
	return residue(a.R&^(one-1), a.M)
}

// Residues holds the residues of a word, read as a float and as an integer.
type Residues struct{ float, integer Residue }

var unknownWord = Residues{anything, whole}

func (a Residues) join(b Residues) Residues {
	return Residues{a.float.join(b.float), a.integer.join(b.integer)}
}

// ModuloValues computes the residues of every value of f, by ID. leaf returns the residues of leaves other
// than literals. It assumes that floats are exact. They are exact while they name a texel: below 1<<24
// divided by the finest fraction in use. Integers wrap around, which preserves residues modulo powers of two
// up to 1<<32.
//
// It walks f until a fixed point. A value can change only to a smaller modulus, so each changes about sixty
// times at most; usually the second or third walk is the last.
func ModuloValues(f *Func, leaf func(*Value) Residues) []Residues {
	return moduloValues(f, leaf, residueAlgebra{})
}

// ModuloIntegers computes the residues of every value of f, by ID, from integers alone. It assumes nothing: a float
// that becomes an integer may have been rounded.
func ModuloIntegers(f *Func) []Residues {
	return moduloValues(f, func(*Value) Residues { return unknownWord }, residueAlgebra{integers: true})
}

func moduloValues(f *Func, leaf func(*Value) Residues, algebra residueAlgebra) []Residues {
	m := &moduli{of: make([]Residues, f.NumValues()), known: make([]bool, f.NumValues()), algebra: algebra}
	for _, v := range f.leaves {
		w := leaf(v)
		if v.Kind == Literal {
			w = Residues{residueOf(float64(math.Float32frombits(v.Bits))), residueOf(float64(int32(v.Bits)))}
		}
		m.of[v.ID], m.known[v.ID] = w, true
	}
	for m.changed = true; m.changed; {
		m.changed = false
		m.region(f.Body, nil)
	}
	return m.of
}

// PositionResidues returns the residues of a leaf of a kernel that is a position: pixels have centres,
// threads whole numbers.
func PositionResidues(l Launch, v *Value) Residues {
	if v.Kind == Input {
		if axis, half := l.Coordinate(v.Home); axis >= 0 && half {
			return Residues{halves, whole}
		}
	}
	return unknownWord
}

// LaneResidue returns the residue of the float that an operand reads. It returns anything for absolute
// values.
func LaneResidue(of []Residues, l Lane) Residue {
	switch r := of[l.V.ID].float; l.Mod {
	case 0:
		return r
	case Neg:
		return r.neg()
	}
	return anything
}

// IntegerResidue returns the residue of the integer that an operand reads.
func IntegerResidue(of []Residues, l Lane) Residue {
	if l.V == nil || l.Mod != 0 {
		return anything
	}
	return of[l.V.ID].integer
}

// moduli computes fixed points from below. Values start as unreached (known is false), parameters first get
// the arguments of a loop, and each trip joins more. of and known are indexed by ID.
type moduli struct {
	of      []Residues
	known   []bool
	changed bool
	algebra residueAlgebra
}

// joinValue joins w to the residues of v.
func (m *moduli) joinValue(v *Value, w Residues) {
	if m.known[v.ID] {
		w = w.join(m.of[v.ID])
	}
	if !m.known[v.ID] || w != m.of[v.ID] {
		m.of[v.ID], m.known[v.ID], m.changed = w, true, true
	}
}

// joinAll joins each value of from to the value of to at the same position.
func (m *moduli) joinAll(from, to []*Value) {
	for i, v := range to {
		if i < len(from) && m.known[from[i].ID] {
			m.joinValue(v, m.of[from[i].ID])
		}
	}
}

func (m *moduli) region(r *Region, loop *Instr) {
	for _, in := range r.Code {
		switch in.Op {
		case OpIf:
			for _, sub := range in.Sub {
				m.region(sub, loop)
				m.joinAll(sub.Results, in.Results)
			}
		case OpLoop:
			body := in.Sub[0]
			if body.Index != nil {
				m.joinValue(body.Index, unknownWord)
			}
			m.joinAll(in.Args, body.Params)
			m.region(body, in)
			m.joinAll(body.Results, body.Params)
			m.joinAll(body.Params, in.Results)
		case OpBreak:
			m.joinAll(in.Args, loop.Results)
		default:
			for lane, v := range in.Out {
				if v != nil {
					m.joinValue(v, m.laneResidues(in, lane))
				}
			}
			for _, v := range in.Results {
				m.joinValue(v, unknownWord)
			}
		}
	}
}

// laneResidues returns the residues of a lane that in computes. The algebra distinguishes floats and integers;
// negation as a modifier applies to the float.
func (m *moduli) laneResidues(in *Instr, lane int) Residues {
	if !in.Op.HasFormula() || in.IsPredicated() || in.Mods&Sat != 0 {
		return unknownWord
	}
	return Eval(m.algebra, in.Op, lane, func(src, l int) Residues {
		x := in.Src[src][l]
		switch w := m.of[x.V.ID]; {
		case !m.known[x.V.ID] || x.Mod&^Neg != 0:
			return unknownWord
		case x.Mod == Neg:
			return Residues{w.float.neg(), whole} // the sign bit of an integer has another meaning
		default:
			return w
		}
	})
}

// residueAlgebra computes sums and products of floats; those of integers are primitives. Call handles the
// primitives that address computations use, and returns unknown for the rest. min, max and selections return
// one of their operands, so their residues are joined.
//
// With integers set, the integers that floats become are unknown.
type residueAlgebra struct{ integers bool }

func ofFloat(r Residue) Residues   { return Residues{r, whole} }
func ofInteger(r Residue) Residues { return Residues{anything, r} }

func (residueAlgebra) Const(f float32) Residues   { return ofFloat(residueOf(float64(f))) }
func (residueAlgebra) Add(a, b Residues) Residues { return ofFloat(a.float.add(b.float)) }
func (residueAlgebra) Mul(a, b Residues) Residues { return ofFloat(a.float.mul(b.float)) }
func (residueAlgebra) Neg(a Residues) Residues    { return ofFloat(a.float.neg()) }

func (x residueAlgebra) Call(p Prim, args []Residues) Residues {
	a, last := args[0], args[len(args)-1]
	switch p {
	case PrimFloor:
		return ofFloat(a.float.floor())
	case PrimTrunc, PrimRndne, PrimCeil:
		if r := a.float; !r.Any && r.M%one == 0 && r.R%one == 0 {
			return ofFloat(r)
		}
		return ofFloat(whole)
	case PrimMin, PrimMax, PrimMinIEEE, PrimMaxIEEE:
		return ofFloat(a.float.join(last.float))
	case PrimSel, PrimSelF:
		return args[1].join(args[2])
	case PrimFToI, PrimFToU:
		if r := a.float; !x.integers && !r.Any && r.M%one == 0 && r.R%one == 0 {
			return ofInteger(r)
		}
		return ofInteger(whole)
	case PrimIToF, PrimUToF:
		return ofFloat(a.integer)
	case PrimIAdd:
		return ofInteger(a.integer.add(last.integer))
	case PrimISub:
		return ofInteger(a.integer.add(last.integer.neg()))
	case PrimINeg:
		return ofInteger(a.integer.neg())
	case PrimIMul:
		return ofInteger(a.integer.mul(last.integer))
	case PrimIMad:
		return ofInteger(a.integer.mul(args[1].integer).add(last.integer))
	case PrimIMin, PrimIMax, PrimUMin, PrimUMax:
		return ofInteger(a.integer.join(last.integer))
	case PrimIAnd, PrimIOr, PrimIXor:
		return ofInteger(a.integer.bitwise(p, last.integer))
	case PrimIShl:
		if n := last.integer; !n.Any && n.M == 0 {
			return ofInteger(a.integer.mul(Residue{R: one << (n.R / one & 31)}))
		}
	}
	return unknownWord
}

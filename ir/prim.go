package ir

import "math"

// Prim is a primitive function: one that is not plus, minus or times, so that
// algebra knows nothing about it but that equal arguments give equal results.
type Prim uint8

const (
	PrimInvalid Prim = iota
	PrimAbs
	PrimSat
	PrimRcp
	PrimRsq
	PrimExp2
	PrimExp2P
	PrimLog2
	PrimLog2P
	PrimPow
	PrimSin
	PrimCos
	PrimFrc
	PrimFloor
	PrimMin
	PrimMax
	PrimSlt
	PrimSge
	PrimSelGE
	PrimLitSpec
	PrimSgn
	PrimRound
	PrimExponent
	PrimMantissa
	PrimLogpW
	PrimDsx
	PrimDsy
	PrimGT
	PrimEQ
	PrimGE
	PrimLT
	PrimNE
	PrimLE
	numPrims
)

// prims is the table of primitives. eval is the float32 value, nil where it
// depends on more than the arguments; fold says that replacing a call on finite
// arguments by a finite value is accepted practice (the reference demands at
// least that precision of hardware, and the compilers that wrote the input do it).
var prims = [numPrims]struct {
	name string
	eval func(a []float32) float32
	fold bool
}{
	PrimAbs:      {"abs", func(a []float32) float32 { return float32(math.Abs(float64(a[0]))) }, true},
	PrimSat:      {"sat", func(a []float32) float32 { return min(max(a[0], 0), 1) }, true},
	PrimRcp:      {"rcp", func(a []float32) float32 { return 1 / a[0] }, true},
	PrimRsq:      {"rsq", func(a []float32) float32 { return float32(1 / math.Sqrt(math.Abs(float64(a[0])))) }, true},
	PrimExp2:     {"exp2", func(a []float32) float32 { return float32(math.Exp2(float64(a[0]))) }, true},
	PrimExp2P:    {"exp2p", nil, false}, // partial precision: the value is the hardware's
	PrimLog2:     {"log2", func(a []float32) float32 { return float32(math.Log2(math.Abs(float64(a[0])))) }, true},
	PrimLog2P:    {"log2p", nil, false},
	PrimPow:      {"pow", evalPow, true},
	PrimSin:      {"sin", func(a []float32) float32 { return float32(math.Sin(float64(a[0]))) }, true},
	PrimCos:      {"cos", func(a []float32) float32 { return float32(math.Cos(float64(a[0]))) }, true},
	PrimFrc:      {"frc", func(a []float32) float32 { return a[0] - float32(math.Floor(float64(a[0]))) }, true},
	PrimFloor:    {"floor", func(a []float32) float32 { return float32(math.Floor(float64(a[0]))) }, true},
	PrimMin:      {"min", func(a []float32) float32 { return choose(a[0] < a[1], a[0], a[1]) }, true},
	PrimMax:      {"max", func(a []float32) float32 { return choose(a[0] >= a[1], a[0], a[1]) }, true},
	PrimSlt:      {"slt", func(a []float32) float32 { return choose(a[0] < a[1], 1, 0) }, true},
	PrimSge:      {"sge", func(a []float32) float32 { return choose(a[0] >= a[1], 1, 0) }, true},
	PrimSelGE:    {"selge", func(a []float32) float32 { return choose(a[0] >= 0, a[1], a[2]) }, true},
	PrimLitSpec:  {"litspec", nil, false},
	PrimSgn:      {"sgn", func(a []float32) float32 { return choose(a[0] > 0, 1, choose(a[0] < 0, -1, 0)) }, true},
	PrimRound:    {"round", nil, false}, // to an address: an integer, not a float
	PrimExponent: {"exponent", nil, false},
	PrimMantissa: {"mantissa", nil, false},
	PrimLogpW:    {"logpw", nil, false}, // 1 as in Direct3D 8, or the logarithm: descriptions differ
	PrimDsx:      {"dsx", nil, false},   // neighbours' values, not just the arguments
	PrimDsy:      {"dsy", nil, false},
	// Booleans: 1 where the comparison holds.
	PrimGT: {"gt", func(a []float32) float32 { return choose(a[0] > a[1], 1, 0) }, true},
	PrimEQ: {"eq", func(a []float32) float32 { return choose(a[0] == a[1], 1, 0) }, true},
	PrimGE: {"ge", func(a []float32) float32 { return choose(a[0] >= a[1], 1, 0) }, true},
	PrimLT: {"lt", func(a []float32) float32 { return choose(a[0] < a[1], 1, 0) }, true},
	PrimNE: {"ne", func(a []float32) float32 { return choose(a[0] != a[1], 1, 0) }, true},
	PrimLE: {"le", func(a []float32) float32 { return choose(a[0] <= a[1], 1, 0) }, true},
}

func choose(c bool, a, b float32) float32 {
	if c {
		return a
	}
	return b
}

func evalPow(a []float32) float32 {
	if a[1] == 0 {
		return 1
	}
	return float32(math.Pow(math.Abs(float64(a[0])), float64(a[1])))
}

func primNamed(name string) Prim {
	for p := range prims {
		if prims[p].name == name {
			return Prim(p)
		}
	}
	panic("ir: no primitive " + name)
}

func (p Prim) String() string { return prims[p].name }

// CondPrim is the primitive that decides c on two operands.
func CondPrim(c Cond) Prim { return PrimGT + Prim(c-CondGT) }

// Floats is the algebra of float32 values in the order the formulas state, each
// step rounded. Fold tells whether everything met so far may be folded at
// compile time: only finite, not subnormal values, and no primitive whose value
// is the hardware's own.
type Floats struct{ Fold bool }

func (f *Floats) see(x float32) float32 {
	a := math.Abs(float64(x))
	if !(a == 0 || a >= 0x1p-126 && a <= math.MaxFloat32) {
		f.Fold = false
	}
	return x
}

// Const implements Algebra.
func (f *Floats) Const(x float32) float32 { return f.see(x) }

// Add implements Algebra.
func (f *Floats) Add(a, b float32) float32 { return f.see(f.see(a) + f.see(b)) }

// Mul implements Algebra.
func (f *Floats) Mul(a, b float32) float32 { return f.see(float32(f.see(a) * f.see(b))) }

// Neg implements Algebra.
func (f *Floats) Neg(a float32) float32 { return -f.see(a) }

// Call implements Algebra.
func (f *Floats) Call(p Prim, args []float32) float32 {
	for _, a := range args {
		f.see(a)
	}
	if !prims[p].fold {
		f.Fold = false
		return 0
	}
	return f.see(prims[p].eval(args))
}

package preshader

import (
	"fmt"
	"math"
)

// Op is an operation. The code of one says what it does as well as, if it goes
// component by component, how many inputs it has: 1, 2 or 3 in the highest digit.
type Op uint16

// The operations, by their codes in the words.
const (
	Mov     Op = 0x100
	Neg     Op = 0x101
	Rcp     Op = 0x103
	Frc     Op = 0x104
	Exp     Op = 0x105
	Log     Op = 0x106
	Rsq     Op = 0x107
	Sin     Op = 0x108
	Cos     Op = 0x109
	Asin    Op = 0x10a
	Acos    Op = 0x10b
	Atan    Op = 0x10c
	Min     Op = 0x200
	Max     Op = 0x201
	Lt      Op = 0x202
	Ge      Op = 0x203
	Add     Op = 0x204
	Mul     Op = 0x205
	Atan2   Op = 0x206
	Div     Op = 0x208
	Cmp     Op = 0x300
	Movc    Op = 0x301
	Dot     Op = 0x500
	Noise   Op = 0x502
	DotSwiz Op = 0x70e
)

// Client is a library that runs preshaders.
type Client uint8

// The clients.
const (
	D3DX       Client = iota // as Wine implements it, and Microsoft's does by Wine's tests
	MojoShader               // as FNA has it
	numClients
)

func (c Client) String() string { return [...]string{"D3DX", "MojoShader"}[c] }

// opInfo is a row of the table of operations.
type opInfo struct {
	name   string
	inputs int // 0 for any number
	// eval computes a component, in the way of each client; without one the operation is
	// not computed component by component, or not at all.
	eval [numClients]func(a, b, c float64) float64
}

// both is an operation that clients agree on.
func both(f func(a, b, c float64) float64) [numClients]func(a, b, c float64) float64 {
	return [numClients]func(a, b, c float64) float64{f, f}
}

// either is one that they do not agree on.
func either(d3dx, mojo func(a, b, c float64) float64) [numClients]func(a, b, c float64) float64 {
	return [numClients]func(a, b, c float64) float64{d3dx, mojo}
}

// unary is an operation of its first input.
func unary(f func(float64) float64) func(a, b, c float64) float64 {
	return func(a, _, _ float64) float64 { return f(a) }
}

// choose is a or b.
func choose(cond bool, a, b float64) float64 {
	if cond {
		return a
	}
	return b
}

// ops is the table of operations. Where the columns of eval differ, both clients were run:
// exp and log are of base 2 in D3DX and of base e in MojoShader, which agrees on powers
// only; a division is 0 in D3DX; D3DX takes roots and logarithms of the absolute value.
var ops = map[Op]opInfo{
	Mov:  {"mov", 1, both(unary(func(a float64) float64 { return a }))},
	Neg:  {"neg", 1, both(unary(func(a float64) float64 { return -a }))},
	Rcp:  {"rcp", 1, both(unary(func(a float64) float64 { return 1 / a }))},
	Frc:  {"frc", 1, both(unary(func(a float64) float64 { return a - math.Floor(a) }))},
	Exp:  {"exp", 1, either(unary(math.Exp2), unary(math.Exp))},
	Log:  {"log", 1, either(unary(func(a float64) float64 { return math.Log2(math.Abs(a)) }), unary(math.Log))},
	Rsq:  {"rsq", 1, either(unary(func(a float64) float64 { return 1 / math.Sqrt(math.Abs(a)) }), unary(func(a float64) float64 { return 1 / math.Sqrt(a) }))},
	Sin:  {"sin", 1, both(unary(math.Sin))},
	Cos:  {"cos", 1, both(unary(math.Cos))},
	Asin: {"asin", 1, both(unary(math.Asin))},
	Acos: {"acos", 1, both(unary(math.Acos))},
	Atan: {"atan", 1, both(unary(math.Atan))},

	Min:   {"min", 2, both(func(a, b, _ float64) float64 { return choose(a < b, a, b) })},
	Max:   {"max", 2, both(func(a, b, _ float64) float64 { return choose(a > b, a, b) })},
	Lt:    {"lt", 2, both(func(a, b, _ float64) float64 { return choose(a < b, 1, 0) })},
	Ge:    {"ge", 2, both(func(a, b, _ float64) float64 { return choose(a >= b, 1, 0) })},
	Add:   {"add", 2, both(func(a, b, _ float64) float64 { return a + b })},
	Mul:   {"mul", 2, both(func(a, b, _ float64) float64 { return a * b })},
	Atan2: {"atan2", 2, both(func(a, b, _ float64) float64 { return math.Atan2(a, b) })},
	Div:   {"div", 2, either(func(_, _, _ float64) float64 { return 0 }, func(a, b, _ float64) float64 { return a / b })},
	Cmp:   {"cmp", 3, both(func(a, b, c float64) float64 { return choose(a >= 0, b, c) })},

	Movc:    {name: "movc", inputs: 3},
	Dot:     {name: "dot", inputs: 2},
	Noise:   {name: "noise"},
	DotSwiz: {name: "dotswiz"},
}

func (o Op) String() string {
	if row, ok := ops[o]; ok {
		return row.name
	}
	return fmt.Sprintf("op%03x", uint16(o))
}

package preshader

import (
	"fmt"
	"math"
)

// Op is an operation. The highest digit of its code is the number of inputs, 1, 2 or 3, if it works
// component by component.
type Op uint16

// The operations, by their codes in the words.
const (
	Mov     Op = 0x100
	Neg     Op = 0x101
	Rcp     Op = 0x103
	Frc     Op = 0x104
	exp     Op = 0x105
	log     Op = 0x106
	Rsq     Op = 0x107
	Sin     Op = 0x108
	Cos     Op = 0x109
	asin    Op = 0x10a
	acos    Op = 0x10b
	atan    Op = 0x10c
	Min     Op = 0x200
	Max     Op = 0x201
	Lt      Op = 0x202
	Ge      Op = 0x203
	Add     Op = 0x204
	Mul     Op = 0x205
	atan2   Op = 0x206
	div     Op = 0x208
	Cmp     Op = 0x300
	movc    Op = 0x301
	dot     Op = 0x500
	noise   Op = 0x502
	dotSwiz Op = 0x70e
)

// Client is a library that runs preshaders.
type Client uint8

// The clients.
const (
	D3DX       Client = iota // as implemented by Wine, and by Microsoft according to Wine's tests
	MojoShader               // as in FNA
	numClients
)

func (c Client) String() string { return [...]string{"D3DX", "MojoShader"}[c] }

// opInfo is a row of the table of operations.
type opInfo struct {
	name   string
	inputs int // 0 for any number
	// eval computes a component for each client. It is nil if the operation does not work component
	// by component, or is not supported.
	eval [numClients]func(a, b, c float64) float64
}

// allClients returns the evaluators of an operation on which the clients agree.
func allClients(f func(a, b, c float64) float64) [numClients]func(a, b, c float64) float64 {
	return [numClients]func(a, b, c float64) float64{f, f}
}

// either returns the evaluators of an operation on which the clients disagree.
func either(d3dx, mojo func(a, b, c float64) float64) [numClients]func(a, b, c float64) float64 {
	return [numClients]func(a, b, c float64) float64{d3dx, mojo}
}

// unary adapts an operation of one input.
func unary(f func(float64) float64) func(a, b, c float64) float64 {
	return func(a, _, _ float64) float64 { return f(a) }
}

// choose returns a if cond holds, and else b.
func choose(cond bool, a, b float64) float64 {
	if cond {
		return a
	}
	return b
}

// ops is the table of operations. The differences in eval come from running both clients. exp and
// log have base 2 in D3DX and base e in MojoShader, which agrees only on powers. A division by zero
// yields 0 in D3DX. D3DX takes roots and logarithms of the absolute value.
var ops = map[Op]opInfo{
	Mov: {"mov", 1, allClients(unary(func(a float64) float64 { return a }))},
	Neg: {"neg", 1, allClients(unary(func(a float64) float64 { return -a }))},
	Rcp: {"rcp", 1, allClients(unary(func(a float64) float64 { return 1 / a }))},
	Frc: {"frc", 1, allClients(unary(func(a float64) float64 { return a - math.Floor(a) }))},
	exp: {"exp", 1, either(unary(math.Exp2), unary(math.Exp))},
	log: {"log", 1, either(unary(func(a float64) float64 { return math.Log2(math.Abs(a)) }), unary(math.Log))},
	Rsq: {"rsq", 1, either(unary(func(a float64) float64 { return 1 / math.Sqrt(math.Abs(a)) }),
		unary(func(a float64) float64 { return 1 / math.Sqrt(a) }))},
	Sin:  {"sin", 1, allClients(unary(math.Sin))},
	Cos:  {"cos", 1, allClients(unary(math.Cos))},
	asin: {"asin", 1, allClients(unary(math.Asin))},
	acos: {"acos", 1, allClients(unary(math.Acos))},
	atan: {"atan", 1, allClients(unary(math.Atan))},

	Min:   {"min", 2, allClients(func(a, b, _ float64) float64 { return choose(a < b, a, b) })},
	Max:   {"max", 2, allClients(func(a, b, _ float64) float64 { return choose(a > b, a, b) })},
	Lt:    {"lt", 2, allClients(func(a, b, _ float64) float64 { return choose(a < b, 1, 0) })},
	Ge:    {"ge", 2, allClients(func(a, b, _ float64) float64 { return choose(a >= b, 1, 0) })},
	Add:   {"add", 2, allClients(func(a, b, _ float64) float64 { return a + b })},
	Mul:   {"mul", 2, allClients(func(a, b, _ float64) float64 { return a * b })},
	atan2: {"atan2", 2, allClients(func(a, b, _ float64) float64 { return math.Atan2(a, b) })},
	div:   {"div", 2, either(func(_, _, _ float64) float64 { return 0 }, func(a, b, _ float64) float64 { return a / b })},
	Cmp:   {"cmp", 3, allClients(func(a, b, c float64) float64 { return choose(a >= 0, b, c) })},

	movc:    {name: "movc", inputs: 3},
	dot:     {name: "dot", inputs: 2},
	noise:   {name: "noise"},
	dotSwiz: {name: "dotswiz"},
}

func (o Op) String() string {
	if row, ok := ops[o]; ok {
		return row.name
	}
	return fmt.Sprintf("op%03x", uint16(o))
}

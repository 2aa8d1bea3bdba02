package ir_test

import (
	"fmt"
	"math"

	"github.com/shaderlift/shaderlift/ir"
)

// Passes build programs out of instructions that define values lane by lane.
func Example() {
	const inputs, outputs = 1, 2 // the dialect numbers register files
	f := ir.NewFunc("demo", ir.Abstract{})
	half := f.Const(math.Float32bits(0.5))
	in := &ir.Instr{Op: ir.OpMad, Mods: ir.Sat, Src: make([]ir.Operand, 3)}
	for i := range 2 { // a write mask of two lanes
		x := f.Leaf(ir.Input, ir.Reg{File: inputs, Comp: uint8(i)})
		in.Src[0][i], in.Src[1][i], in.Src[2][i] = ir.Lane{V: x, Mod: ir.Neg}, ir.Lane{V: half}, ir.Lane{V: half}
		v := f.Define(in, i, ir.Reg{})
		f.Outs = append(f.Outs, ir.Output{Reg: ir.Reg{File: outputs, Comp: uint8(i)}, V: v})
	}
	f.Body.Code = append(f.Body.Code, in)
	fmt.Print(f)
	fmt.Println(f.Check())
	// Output:
	// demo
	//   %2.x, %4.y = mad.sat (-1[0].x -1[0].y), (0.5 0.5), (0.5 0.5)
	//   out 2[0].x = %2
	//   out 2[0].y = %4
	// <nil>
}

// degrees is an algebra: the degree of an expression in its sources.
type degrees struct{}

func (degrees) Const(float32) int       { return 0 }
func (degrees) Add(a, b int) int        { return max(a, b) }
func (degrees) Mul(a, b int) int        { return a + b }
func (degrees) Neg(a int) int           { return a }
func (degrees) Call(ir.Prim, []int) int { return 99 }

// The formula of an op is stated once, and evaluated in any domain: numbers, polynomials, degrees.
func ExampleEval() {
	values := [3][4]float32{{1, 2, 3}, {4, 5, 6}, {0.5, 0.5, 0.5}}
	for _, op := range []ir.Op{ir.OpMad, ir.OpDp3, ir.OpLrp} {
		number := math.Float32frombits(ir.Eval(&ir.Words{}, op, 0,
			func(src, lane int) uint32 { return math.Float32bits(values[src][lane]) }))
		degree := ir.Eval(degrees{}, op, 0, func(src, lane int) int { return 1 })
		fmt.Println(op, number, degree)
	}
	// Output:
	// mad 4.5 2
	// dp3 32 2
	// lrp 4 2
}

package explore_test

import (
	"fmt"
	"math"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/explore"
)

// Example explores a function that compares three times its input with six. The explorer finds the input at
// which both are equal.
func Example() {
	f := ir.NewFunc("third", ir.Abstract{})
	apply := func(op ir.Op, a *ir.Value, b float32) *ir.Value {
		in := &ir.Instr{Op: op, Src: make([]ir.Operand, 2)}
		in.Src[0][0], in.Src[1][0] = ir.Lane{V: a}, ir.Lane{V: f.Const(math.Float32bits(b))}
		f.Body.Code = append(f.Body.Code, in)
		return f.Define(in, 0, ir.Reg{})
	}
	apply(ir.OpSge, apply(ir.OpMul, f.Leaf(ir.Input, ir.Reg{}), 3), 6)
	p := explore.Program{Func: f}
	leaf := explore.Leaf{Kind: ir.Input}
	x := &explore.Explorer{Leaves: []explore.Leaf{leaf}, Work: 1000,
		Base: func(explore.Leaf) uint32 { return math.Float32bits(0.25) }}
	x.Evaluate = func(a explore.Assignment, brief bool) *explore.Survey {
		s := &explore.Survey{Holds: map[explore.Turn]bool{}, Trips: explore.ScoutedTrips, Brief: brief}
		s.Run(p, func(ir.Kind, ir.Reg) uint32 {
			if bits, ok := a.Lookup(leaf); ok {
				return bits
			}
			return x.Base(leaf)
		})
		return s
	}
	undecided := x.Explore()[0]
	fmt.Println(math.Float32frombits(undecided[0].Bits))
	// Output: 2
}

package ir

import "testing"

// carries builds a loop with one carried position: a parameter that the next trip reads, and a result that a
// break passes.
func carries(readResult, readParam bool) (f *Func, next, left *Value) {
	f = NewFunc("t", Abstract{})
	in := func(i uint16) Lane { return Lane{V: f.Leaf(Input, Reg{File: 1, Index: i})} }
	sum := &Instr{Op: OpAdd}
	loop := &Instr{Op: OpLoop, Args: []*Value{in(0).V}, Sub: []*Region{{}}}
	body := loop.Sub[0]
	param, result := f.NewValue(Param, Reg{}), f.NewValue(Result, Reg{})
	result.Def = loop
	body.Params, loop.Results = []*Value{param}, []*Value{result}
	sum.Src = []Operand{Splat(in(1)), Splat(in(2))}
	next = f.Define(sum, 0, Reg{})
	product := &Instr{Op: OpMul, Src: []Operand{Splat(in(1)), Splat(in(3))}}
	left = f.Define(product, 0, Reg{})
	kill := &Instr{Op: OpKill, Src: []Operand{Splat(in(1))}}
	if readParam {
		kill.Src[0][0].V = param
	}
	leave := &Instr{Op: OpBreak, Cond: CondLT, Src: []Operand{Splat(in(4)), Splat(in(5))}, Args: []*Value{left}}
	body.Code, body.Results = []*Instr{sum, product, kill, leave}, []*Value{next}
	f.Body.Code = []*Instr{loop}
	if readResult {
		f.Outs = []Output{{Reg: Reg{File: 2}, V: result}}
	}
	return f, next, left
}

// At one position of a loop both parameter and result are live or neither, unless Needs runs with apart.
func TestNeedsCarried(t *testing.T) {
	for _, test := range []struct{ result, param, apart, next, left bool }{
		{false, false, false, false, false},
		{true, false, false, true, true},
		{true, false, true, false, true},
		{false, true, false, true, true},
		{false, true, true, true, false},
		{true, true, true, true, true},
	} {
		f, next, left := carries(test.result, test.param)
		if err := f.Check(); err != nil {
			t.Fatal(err)
		}
		n := f.Needs(test.apart)
		if n.Live[next.ID] != test.next || n.Live[left.ID] != test.left {
			t.Errorf("%+v: the next value is needed: %v, what the break hands over: %v", test, n.Live[next.ID], n.Live[left.ID])
		}
		if loop := f.Body.Code[0]; !n.Reached[loop] || len(n.Breaks[loop]) != 1 {
			t.Errorf("%+v: the loop kills, and is reached: %v", test, n.Reached[loop])
		}
	}
}

// Lanes are marked one by one.
func TestNeedsLanes(t *testing.T) {
	f := NewFunc("t", Abstract{})
	a := lanesInstr(f, OpMul, 0xf)
	b := &Instr{Op: OpDp3, Src: make([]Operand, 2)}
	for i := range 3 {
		b.Src[0][i], b.Src[1][i] = Lane{V: a.Out[i]}, Lane{V: a.Out[i]}
	}
	f.Body.Code = append(f.Body.Code, b)
	f.Outs = []Output{{Reg: Reg{File: 2}, V: f.Define(b, 1, Reg{})}}
	n := f.Needs(false)
	for i, want := range []bool{true, true, true, false} {
		if n.Live[a.Out[i].ID] != want {
			t.Errorf("lane %d is needed: %v", i, !want)
		}
	}
}

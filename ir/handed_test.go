package ir

import "testing"

// Handed finds block arguments through every construct. An unread block argument does not count as a read of
// its values.
func TestHanded(t *testing.T) {
	f := NewFunc("t", Abstract{})
	leaf := func(i uint16) *Value { return f.Leaf(Input, Reg{File: 1, Index: i}) }
	loop := &Instr{Op: OpLoop, Args: []*Value{leaf(0), leaf(1)}, Sub: []*Region{{}}}
	body := loop.Sub[0]
	for range 2 {
		body.Params = append(body.Params, f.NewValue(Param, Reg{}))
		v := f.NewValue(Result, Reg{})
		v.Def = loop
		loop.Results = append(loop.Results, v)
	}
	sum := &Instr{Op: OpAdd, Src: []Operand{Splat(Lane{V: body.Params[0]}), Splat(Lane{V: leaf(2)})}}
	next := f.Define(sum, 0, Reg{})
	choice := &Instr{Op: OpIf, Cond: CondGT, Src: []Operand{Splat(Lane{V: next}), Splat(Lane{V: leaf(3)})},
		Sub: []*Region{{}, {}}}
	chosen := f.NewValue(Result, Reg{})
	chosen.Def = choice
	choice.Results = []*Value{chosen}
	choice.Sub[0].Results, choice.Sub[1].Results = []*Value{next}, []*Value{leaf(4)}
	leave := &Instr{Op: OpBreak, Cond: CondLT, Src: []Operand{Splat(Lane{V: next}), Splat(Lane{V: leaf(3)})},
		Args: []*Value{chosen, body.Params[1]}}
	body.Code, body.Results = []*Instr{sum, choice, leave}, []*Value{next, body.Params[1]}
	f.Body.Code = []*Instr{loop}
	f.Outs = []Output{{Reg: Reg{File: 2}, V: loop.Results[0]}}
	if err := f.Check(); err != nil {
		t.Fatal(err)
	}
	for _, counted := range []bool{false, true} {
		if counted {
			loop.Src = []Operand{Splat(Lane{V: f.Const(3)})}
		}
		h := f.Handed()
		want := map[*Value]int{body.Params[0]: 2, body.Params[1]: 2, loop.Results[0]: 1, loop.Results[1]: 1, chosen: 2}
		if counted {
			want[loop.Results[0]], want[loop.Results[1]] = 3, 3 // it may end by its count
		}
		if len(h) != len(want) {
			t.Errorf("counted %v: %d values are handed over, not %d", counted, len(h), len(want))
		}
		for v, n := range want {
			if len(h[v]) != n {
				t.Errorf("counted %v: %v may be %v", counted, v, h[v])
			}
		}
		read := make([]bool, f.NumValues())
		h.MarkRead(f, read)
		for v, wanted := range map[*Value]bool{loop.Results[0]: true, chosen: true, next: true, leaf(4): true,
			leaf(0): true, body.Params[0]: true,
			loop.Results[1]: false, body.Params[1]: false, leaf(1): false} {
			if read[v.ID] != wanted {
				t.Errorf("counted %v: %v is read: %v", counted, v, read[v.ID])
			}
		}
	}
}

package ir_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/ir"
)

func TestTogether(t *testing.T) {
	f := ir.NewFunc("f", ir.Abstract{})
	home := func(index uint16, comp int) ir.Reg { return ir.Reg{File: 1, Index: index, Comp: uint8(comp)} }
	one := &ir.Instr{Op: ir.OpMov}
	two := &ir.Instr{Op: ir.OpMov}
	for i := range 4 {
		f.Define(one, i, home(0, i))
		f.Define(two, i, home(0, i))
	}
	far := &ir.Instr{Op: ir.OpMov}
	f.Define(far, 0, home(5, 0))
	undef, leaf := f.Leaf(ir.Undef, home(9, 0)), f.Leaf(ir.Input, ir.Reg{File: 2})
	for _, test := range []struct {
		name  string
		lanes [4]*ir.Value
		want  bool
	}{
		{"one instruction", [4]*ir.Value{one.Out[3], one.Out[0]}, true},
		{"one value", [4]*ir.Value{far.Out[0], far.Out[0]}, true},
		{"one home", [4]*ir.Value{one.Out[0], two.Out[1]}, true},
		{"one component twice", [4]*ir.Value{one.Out[0], two.Out[0]}, false},
		{"two homes", [4]*ir.Value{one.Out[0], far.Out[0]}, false},
		{"undefined lanes", [4]*ir.Value{undef, one.Out[0], undef}, true},
		{"a leaf", [4]*ir.Value{leaf, leaf}, false},
		{"a leaf too", [4]*ir.Value{one.Out[0], leaf}, false},
	} {
		var o ir.Operand
		for i, v := range test.lanes {
			o[i].V = v
		}
		if o.Together() != test.want {
			t.Errorf("%s: %v", test.name, !test.want)
		}
	}
}

package ir_test

import (
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/ir"
)

// Every reader of a known uniform reads the literal instead. The literal keeps the home, and modifiers stay;
// a load through an index stays.
func TestSpecialize(t *testing.T) {
	f := ir.NewFunc("test", ir.Abstract{})
	reg := func(n uint16) ir.Reg { return ir.Reg{File: 2, Index: n} }
	known, other, unread := f.Leaf(ir.Uniform, reg(5)), f.Leaf(ir.Uniform, reg(6)), f.Leaf(ir.Uniform, reg(7))
	add := &ir.Instr{Op: ir.OpAdd, Src: []ir.Operand{ir.Splat(ir.Lane{V: known, Mod: ir.Neg}),
		ir.Splat(ir.Lane{V: other})}}
	sum := f.Define(add, 0, ir.Reg{})
	load := &ir.Instr{Op: ir.OpLoad, Base: reg(5), Src: []ir.Operand{ir.Splat(ir.Lane{V: sum})}}
	f.Define(load, 0, ir.Reg{})
	loop := &ir.Instr{Op: ir.OpLoop, Src: []ir.Operand{ir.Splat(ir.Lane{V: known})}, Args: []*ir.Value{known},
		Sub: []*ir.Region{{Params: []*ir.Value{f.NewValue(ir.Param, ir.Reg{})}, Results: []*ir.Value{known}}}}
	f.Body.Code = []*ir.Instr{add, load, loop}
	f.Outs = []ir.Output{{Reg: ir.Reg{File: 9}, V: known}}

	read := f.Specialize(map[ir.Reg]uint32{known.Home: 42, unread.Home: 43, reg(8): 44})
	if !slices.Equal(read, []ir.Reg{known.Home}) {
		t.Errorf("%v were read", read)
	}
	want := f.LiteralAt(42, known.Home)
	if l := add.Src[0][0]; l.V != want || l.Mod != ir.Neg || add.Src[1][0].V != other {
		t.Errorf("the sum is of %v and %v", add.Src[0][0], add.Src[1][0])
	}
	for _, v := range []*ir.Value{loop.Src[0][0].V, loop.Args[0], loop.Sub[0].Results[0], f.Outs[0].V} {
		if v != want {
			t.Errorf("%+v is read still", v)
		}
	}
	if load.Base != reg(5) || load.Src[0][0].V != sum {
		t.Error("the load is another one")
	}
	if f.Specialize(nil) != nil {
		t.Error("there is something to replace without anything known")
	}
}

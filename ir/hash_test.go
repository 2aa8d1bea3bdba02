package ir

import "testing"

// hashed builds a*b + c over two inputs, wasting some value numbers.
func hashed(waste int, op Op, mod LaneMod, home Reg) uint64 {
	f := NewFunc("t", Abstract{})
	for range waste {
		f.NewValue(Result, Reg{})
	}
	x, y := f.Leaf(Input, Reg{File: 1}), f.Leaf(Input, Reg{File: 1, Comp: 1})
	in := &Instr{Op: op, Src: []Operand{Splat(Lane{V: x}), Splat(Lane{V: y, Mod: mod})}, Orig: int32(waste)}
	v := f.Define(in, 0, home)
	f.Body.Code = append(f.Body.Code, in)
	f.Outs = []Output{{Reg: Reg{File: 2}, V: v}}
	return f.StructuralHash()
}

func TestHash(t *testing.T) {
	base := hashed(0, OpAdd, 0, Reg{File: 3})
	if h := hashed(5, OpAdd, 0, Reg{File: 3, Index: 7}); h != base {
		t.Error("the hash depends on value numbers, homes or origins")
	}
	for what, h := range map[string]uint64{
		"op":       hashed(0, OpMul, 0, Reg{File: 3}),
		"modifier": hashed(0, OpAdd, Neg, Reg{File: 3}),
	} {
		if h == base {
			t.Errorf("the hash does not depend on the %s", what)
		}
	}
}

func TestHashClone(t *testing.T) {
	f := NewFunc("t", Abstract{})
	in := &Instr{Op: OpMov, Src: []Operand{Splat(Lane{V: f.Leaf(Uniform, Reg{File: 1})})}}
	f.Body.Code = append(f.Body.Code, in)
	f.Outs = []Output{{Reg: Reg{File: 2}, V: f.Define(in, 0, Reg{})}}
	if f.Clone().StructuralHash() != f.StructuralHash() {
		t.Error("a clone hashes to something else")
	}
}

package ir

import "testing"

// TestWordSum checks the forms of sums and products of integers, and that other operations are terms.
func TestWordSum(t *testing.T) {
	f := NewFunc("t", Abstract{})
	x, y := f.Leaf(Input, Reg{File: 1}), f.Leaf(Input, Reg{File: 1, Index: 1})
	op := func(op Op, src ...*Value) *Value {
		in := &Instr{Op: op}
		for _, v := range src {
			in.Src = append(in.Src, Splat(Lane{V: v}))
		}
		f.Body.Code = append(f.Body.Code, in)
		return f.Define(in, 0, Reg{})
	}
	n := func(k uint32) *Value { return f.Const(k) }
	fs := WordSums{}
	base := op(OpIMad, x, n(16), y)
	other := op(OpIAdd, op(OpIShl, x, n(4)), op(OpMov, op(OpIAdd, y, n(12))))
	a, b := fs.of(base), fs.of(other)
	if d, ok := a.Distance(b); !ok || d != 12 {
		t.Errorf("the distance is %d, %v", d, ok)
	}
	if _, ok := a.Distance(fs.of(op(OpIMad, x, n(8), y))); ok {
		t.Error("8*x + y and 16*x + y differ by a number")
	}
	if c := fs.of(op(OpIAdd, other, op(OpINeg, base))); len(c.Terms) != 0 || c.More != 12 {
		t.Errorf("the difference is %v", c)
	}
	if c := fs.of(op(OpIMul, x, y)); len(c.Terms) != 1 || c.Terms[0].Times != 1 {
		t.Errorf("a product is %v", c)
	}
	for _, c := range []struct {
		v                  *Value
		remainder, modulus uint32
	}{{op(OpIMad, x, n(48), n(36)), 4, 16}, {x, 0, 1}, {n(7), 7, 0}, {op(OpIMad, x, n(16), op(OpIMad, y, n(8), n(4))), 4, 8}} {
		if r, m := fs.of(c.v).Alignment(); r != c.remainder || m != c.modulus {
			t.Errorf("%v is %d modulo %d", fs.of(c.v), r, m)
		}
	}
	if _, ok := fs.Of(Lane{V: x, Mod: Neg}); ok {
		t.Error("a float with another sign is an integer")
	}
}

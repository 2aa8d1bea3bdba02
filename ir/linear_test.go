package ir

import "testing"

// The table of classes of results, given the classes of operands: the operations that interpolation
// preserves.
func TestLinearities(t *testing.T) {
	const (
		k = Constant
		u = Invariant
		v = Affine
		n = Nonlinear
	)
	for _, test := range []struct {
		op   Op
		mods Mods
		src  []Linearity
		want Linearity
	}{
		{OpMov, 0, []Linearity{v}, v},
		{OpMov, Half, []Linearity{v}, v},
		{OpMov, Sat, []Linearity{v}, n}, // clamping bends
		{OpMov, Sat, []Linearity{u}, u},
		{OpAdd, 0, []Linearity{v, v}, v},
		{OpAdd, 0, []Linearity{v, k}, v},
		{OpAdd, 0, []Linearity{k, k}, k},
		{OpAdd, 0, []Linearity{u, k}, u},
		{OpAdd, 0, []Linearity{n, k}, n},
		{OpMul, 0, []Linearity{v, u}, v},
		{OpMul, 0, []Linearity{k, v}, v},
		{OpMul, 0, []Linearity{v, v}, n}, // quadratic
		{OpMad, 0, []Linearity{v, u, v}, v},
		{OpMad, 0, []Linearity{v, v, u}, n},
		{OpDp3, 0, []Linearity{v, u}, v},
		{OpDp3, 0, []Linearity{v, v}, n},
		{OpDp4, 0, []Linearity{u, u}, u},
		{OpDp2Add, 0, []Linearity{v, k, v}, v},
		{OpLrp, 0, []Linearity{u, v, v}, v},
		{OpLrp, 0, []Linearity{v, u, u}, v},
		{OpLrp, 0, []Linearity{v, v, u}, n},
		{OpCrs, 0, []Linearity{v, u}, v},
		{OpRcp, 0, []Linearity{v}, n},
		{OpRcp, 0, []Linearity{u}, u},
		{OpNrm, 0, []Linearity{v}, n},
		{OpNrm, 0, []Linearity{u}, u},
		{OpMin, 0, []Linearity{v, k}, n},
		{OpAbs, 0, []Linearity{v}, n},
		{OpFrc, 0, []Linearity{v}, n},
		{OpCmp, 0, []Linearity{u, v, v}, n}, // affine on either side, but the choice between them is unknown
		{OpSel, 0, []Linearity{u, v, v}, v}, // a draw takes one side
		{OpSel, 0, []Linearity{u, k, k}, u},
		{OpSel, 0, []Linearity{v, k, k}, n},
		{OpExp, 0, []Linearity{k}, k},
		{OpDsx, 0, []Linearity{v}, n},
		{OpSetp, 0, []Linearity{u, u}, n},
	} {
		f := NewFunc("test", Abstract{})
		in := &Instr{Op: test.op, Mods: test.mods, Src: make([]Operand, len(test.src))}
		in.Out[0] = nil
		out := f.Define(in, 0, Reg{})
		for s := range test.src {
			reads := in.Reads(s)
			for i := range 4 {
				if reads>>i&1 != 0 {
					in.Src[s][i].V = f.Leaf(Input, Reg{File: File(1 + test.src[s]), Index: uint16(s), Comp: uint8(i)})
				}
			}
		}
		f.Body.Code = []*Instr{in}
		class := Linearities(f, func(v *Value) Linearity { return Linearity(v.Home.File - 1) })
		if got := class[out.ID]; got != test.want {
			t.Errorf("%v of %v: %v, not %v", test.op, test.src, got, test.want)
		}
	}
}

// Modifiers of operands count too, and so do conditional writes.
func TestLinearitiesModifiers(t *testing.T) {
	for _, test := range []struct {
		mod  LaneMod
		pred bool
		want Linearity
	}{{0, false, Affine}, {Neg, false, Affine}, {Abs, false, Nonlinear}, {Abs | Neg, false, Nonlinear},
		{0, true, Nonlinear}} {
		f := NewFunc("test", Abstract{})
		x := f.Leaf(Input, Reg{File: 1})
		in := &Instr{Op: OpMov, Src: []Operand{Splat(Lane{V: x, Mod: test.mod})}}
		if test.pred {
			in.Pred, in.Keep[0] = Splat(Lane{V: f.Leaf(Uniform, Reg{File: 2})}), x
		}
		v := f.Define(in, 0, Reg{})
		f.Body.Code = []*Instr{in}
		if got := Linearities(f, func(*Value) Linearity { return Affine })[v.ID]; got != test.want {
			t.Errorf("modifier %d, predicated %v: %v, not %v", test.mod, test.pred, got, test.want)
		}
	}
}

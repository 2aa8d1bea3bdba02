package ir

import "testing"

// lanesInstr makes an instruction that writes mask and reads inputs lane by lane.
func lanesInstr(f *Func, op Op, mask uint8) *Instr {
	in := &Instr{Op: op}
	for i := range 4 {
		if mask>>i&1 != 0 {
			f.Define(in, i, Reg{File: 1, Comp: uint8(i)})
		}
	}
	for s := range op.Info().NSrc {
		var o Operand
		for i := range 4 {
			if in.Reads(s)>>i&1 != 0 {
				o[i] = Lane{V: f.Leaf(Input, Reg{File: 2, Index: uint16(s), Comp: uint8(i)})}
			}
		}
		in.Src = append(in.Src, o)
	}
	f.Body.Code = append(f.Body.Code, in)
	return in
}

func TestSplitAndJoin(t *testing.T) {
	f := NewFunc("test", Abstract{})
	in := lanesInstr(f, OpMul, 0xf)
	out, src := in.Out, append([]Operand(nil), in.Src...)
	rest, err := Split(in, 0b1100)
	if err != nil {
		t.Fatal(err)
	}
	f.Body.Code = append(f.Body.Code, rest)
	if err := f.Check(); err != nil {
		t.Fatal(err)
	}
	if in.Mask() != 0b0011 || rest.Mask() != 0b1100 || rest.Out[2] != out[2] || out[2].Def != rest ||
		in.Src[0][2].V != nil {
		t.Errorf("split into %04b and %04b", in.Mask(), rest.Mask())
	}
	if err := Join(in, rest); err != nil {
		t.Fatal(err)
	}
	f.Body.Code = f.Body.Code[:1]
	if err := f.Check(); err != nil {
		t.Fatal(err)
	}
	if in.Out != out || in.Src[0] != src[0] || in.Src[1] != src[1] || out[2].Def != in {
		t.Error("joining what was split gives another instruction")
	}
}

func TestSplitDotReadsEverythingTwice(t *testing.T) {
	f := NewFunc("test", Abstract{})
	in := lanesInstr(f, OpDp3, 0b0011)
	rest, err := Split(in, 0b0010)
	if err != nil {
		t.Fatal(err)
	}
	if in.Src[0] != rest.Src[0] || in.Src[0][2].V == nil {
		t.Error("both halves read all three lanes")
	}
}

func TestSplitRefuses(t *testing.T) {
	f := NewFunc("test", Abstract{})
	for _, test := range []struct {
		in   *Instr
		mask uint8
	}{
		{lanesInstr(f, OpMul, 0b0011), 0b0100}, // not written
		{lanesInstr(f, OpMul, 0b0011), 0b0011}, // everything
		{lanesInstr(f, OpMul, 0b0011), 0},
		{&Instr{Op: OpKill}, 1},
	} {
		if _, err := Split(test.in, test.mask); err == nil {
			t.Errorf("%v: lanes %04b left", test.in.Op, test.mask)
		}
	}
}

func TestJoinRefuses(t *testing.T) {
	f := NewFunc("test", Abstract{})
	x := func() *Instr { return lanesInstr(f, OpMul, 0b0001) }
	y := func(change func(*Instr)) *Instr {
		in := lanesInstr(f, OpMul, 0b0010)
		change(in)
		return in
	}
	same := x()
	for _, test := range []struct {
		why  string
		a, b *Instr
	}{
		{"itself", same, same},
		{"operation", x(), y(func(in *Instr) { in.Op = OpAdd })},
		{"saturation", x(), y(func(in *Instr) { in.Mods = Sat })},
		{"partial precision", x(), y(func(in *Instr) { in.Mods = Half })},
		{"lanes", x(), x()},
		{"predicate", x(), y(func(in *Instr) { in.Pred[1].V = f.Leaf(Uniform, Reg{File: 3}) })},
		{"operands of a dot product", lanesInstr(f, OpDp3, 1), func() *Instr {
			in := lanesInstr(f, OpDp3, 2)
			in.Src[0][0].Mod = Neg
			return in
		}()},
		{"effects", &Instr{Op: OpKill}, &Instr{Op: OpKill}},
	} {
		if err := Join(test.a, test.b); err == nil {
			t.Errorf("joined in spite of different %s", test.why)
		}
	}
}

func TestPermute(t *testing.T) {
	f := NewFunc("test", Abstract{})
	in := lanesInstr(f, OpAdd, 0b0101)
	v, o := in.Out[2], in.Src[1][2]
	if err := Permute(in, [4]uint8{3, 1, 0, 2}); err != nil {
		t.Fatal(err)
	}
	if in.Mask() != 0b1001 || in.Out[0] != v || v.Lane != 0 || in.Src[1][0] != o {
		t.Error("lane z did not become lane x")
	}
	if err := f.Check(); err != nil {
		t.Error(err)
	}
	dot := lanesInstr(f, OpDp3, 0b0001)
	src := dot.Src[0]
	if err := Permute(dot, [4]uint8{1, 0, 2, 3}); err != nil || dot.Mask() != 0b0010 || dot.Src[0] != src {
		t.Errorf("a dot product moves its result alone: %v", err)
	}
	if err := Permute(lanesInstr(f, OpLit, 0b0010), [4]uint8{1, 0, 2, 3}); err == nil {
		t.Error("lanes of lit were permuted")
	}
	if err := Permute(in, [4]uint8{0, 0, 1, 2}); err == nil {
		t.Error("not a permutation")
	}
}

// onlyIdentity is a dialect that can read no swizzles.
type onlyIdentity struct{ Abstract }

func (onlyIdentity) Encodable(in *Instr) bool {
	for _, o := range in.Src {
		for i, l := range o {
			if l.V != nil && int(l.V.Home.Comp) != i {
				return false
			}
		}
	}
	return true
}

func TestSwizzles(t *testing.T) {
	any, none := NewSwizzles(Abstract{}), NewSwizzles(onlyIdentity{})
	for _, test := range []struct {
		from [4]int8
		want bool
	}{
		{[4]int8{0, 1, 2, 3}, true},
		{[4]int8{-1, 1, -1, -1}, true},
		{[4]int8{1, -1, -1, -1}, false},
	} {
		for range 2 { // computed, then cached
			if !any.CanRead(OpMul, 1, test.from) || none.CanRead(OpMul, 1, test.from) != test.want {
				t.Errorf("%v", test.from)
			}
		}
	}
}

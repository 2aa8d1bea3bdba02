package ir

import "testing"

func TestReads(t *testing.T) {
	kill := &Instr{Op: OpKill, Src: []Operand{{0: {V: &Value{}}, 2: {V: &Value{}}}}}
	for _, test := range []struct {
		in    *Instr
		mask  uint8
		reads [3]uint8
	}{
		{&Instr{Op: OpMov}, 0b1010, [3]uint8{0b1010}},
		{&Instr{Op: OpMad}, 0b0110, [3]uint8{0b0110, 0b0110, 0b0110}},
		{&Instr{Op: OpDp3}, 0b1000, [3]uint8{0b0111, 0b0111}},
		{&Instr{Op: OpDp4}, 0b0011, [3]uint8{0b1111, 0b1111}},
		{&Instr{Op: OpDp2Add}, 0b1111, [3]uint8{0b0011, 0b0011, 0b0001}},
		{&Instr{Op: OpRcp}, 0b1110, [3]uint8{0b0001}},
		{&Instr{Op: OpPow}, 0b0100, [3]uint8{0b0001, 0b0001}},
		{&Instr{Op: OpNrm}, 0b0001, [3]uint8{0b0111}},
		{&Instr{Op: OpNrm}, 0b1000, [3]uint8{0b1111}},
		{&Instr{Op: OpCrs}, 0b0001, [3]uint8{0b0110, 0b0110}},
		{&Instr{Op: OpCrs}, 0b0011, [3]uint8{0b0111, 0b0111}},
		{&Instr{Op: OpLit}, 0b1001, [3]uint8{0}},
		{&Instr{Op: OpLit}, 0b0010, [3]uint8{0b0001}},
		{&Instr{Op: OpLit}, 0b0100, [3]uint8{0b1011}},
		{&Instr{Op: OpDst}, 0b1111, [3]uint8{0b0110, 0b1010}},
		{&Instr{Op: OpSinCos}, 0b0011, [3]uint8{0b0001}},
		{&Instr{Op: OpSetp}, 0b0101, [3]uint8{0b0101, 0b0101}},
		{&Instr{Op: OpLoad}, 0b1111, [3]uint8{0b0001}},
		{&Instr{Op: OpFetch, Res: Resource{Dim: Dim1D}}, 0b1111, [3]uint8{0b0001}},
		{&Instr{Op: OpFetch, Res: Resource{Dim: Dim2D}}, 0b0001, [3]uint8{0b0011}},
		{&Instr{Op: OpFetch, Res: Resource{Dim: DimCube}}, 0b0001, [3]uint8{0b0111}},
		{&Instr{Op: OpFetchProj, Res: Resource{Dim: Dim2D}}, 0b0001, [3]uint8{0b1011}},
		{&Instr{Op: OpFetchBias, Res: Resource{Dim: DimVolume}}, 0b0001, [3]uint8{0b1111}},
		{&Instr{Op: OpFetchLod, Res: Resource{Dim: Dim1D}}, 0b0001, [3]uint8{0b1001}},
		{&Instr{Op: OpFetchGrad, Res: Resource{Dim: Dim2D}}, 0b0001, [3]uint8{0b0011, 0b0011, 0b0011}},
		{&Instr{Op: OpLoop}, 0, [3]uint8{0b0111}},
		{&Instr{Op: OpIf}, 0, [3]uint8{1, 1}},
		{kill, 0, [3]uint8{0b0101}},
	} {
		for s := range test.in.Op.Info().NSrc {
			if got := test.in.ReadsFor(s, test.mask); got != test.reads[s] {
				t.Errorf("%v writing %04b reads lanes %04b of source %d, want %04b", test.in.Op, test.mask, got, s, test.reads[s])
			}
		}
		for i := range 4 {
			if test.mask>>i&1 != 0 {
				test.in.Out[i] = &Value{}
			}
		}
		if got := test.in.Reads(0); got != test.reads[0] {
			t.Errorf("%v writing %04b reads lanes %04b", test.in.Op, test.mask, got)
		}
	}
}

func TestShapes(t *testing.T) {
	for op, want := range map[Op]Shape{OpMov: Lanewise, OpMad: Lanewise, OpCmp: Lanewise, OpDp3: Replicated,
		OpRcp:    Replicated,
		OpDp2Add: Replicated, OpNrm: Positional, OpCrs: Positional, OpLit: Positional, OpDst: Positional, OpFetch: Positional} {
		if got := op.Info().Shape; got != want {
			t.Errorf("%v: shape %d, want %d", op, got, want)
		}
	}
}

// Ops on words are the ops whose formulas use primitives on words. No such op adds or multiplies as floats
// do, and 0 is the same word.
func TestOnWords(t *testing.T) {
	n := 0
	for op := range numOps {
		for lane := range 4 {
			for _, x := range ops[op].lanes[lane] {
				onWords := x.kind == nodeCall && prims[x.prim].word != nil
				if onWords && !op.Has(OnWords) || op.Has(OnWords) && x.kind != nodeCall && x.kind != nodeArg &&
					rows[op].formulas[lane] != "0" {
					t.Errorf("%v: %q works on words: %v", op, rows[op].formulas, onWords)
				}
			}
		}
		if op.Has(OnWords) {
			n++
		}
	}
	if n == 0 {
		t.Error("no op works on words")
	}
}

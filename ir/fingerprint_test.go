package ir

import "testing"

// The fingerprint covers everything that emission may read of a function, and nothing else.
func TestFingerprint(t *testing.T) {
	f := NewFunc("t", Abstract{})
	x, y := f.Leaf(Input, Reg{File: 1}), f.Leaf(Uniform, Reg{File: 4, Comp: 1})
	in := &Instr{Op: OpAdd, Src: []Operand{Splat(Lane{V: x}), Splat(Lane{V: y})}}
	v := f.Define(in, 0, Reg{File: 3})
	loop := &Instr{Op: OpLoop, Sub: []*Region{{Params: []*Value{f.NewValue(Param, Reg{File: 3})}, Results: []*Value{v}}},
		Args: []*Value{x}, Results: []*Value{f.NewValue(Result, Reg{})}}
	f.Body.Code = []*Instr{in, loop}
	f.Outs = []Output{{Reg: Reg{File: 2}, V: v}}
	base := f.Fingerprint()
	if f.Clone().Fingerprint() != base {
		t.Error("a clone has another fingerprint")
	}
	seen := map[[2]uint64]string{base: "what it was"}
	for what, change := range map[string]func(f *Func, in, loop *Instr){
		"op":          func(f *Func, in, loop *Instr) { in.Op = OpMul },
		"mods":        func(f *Func, in, loop *Instr) { in.Mods = Sat },
		"condition":   func(f *Func, in, loop *Instr) { in.Cond = CondGT },
		"unit":        func(f *Func, in, loop *Instr) { in.Res.Unit = 1 },
		"dimension":   func(f *Func, in, loop *Instr) { in.Res.Dim = Dim2D },
		"sampler":     func(f *Func, in, loop *Instr) { in.Res.Sampler = 1 },
		"offset":      func(f *Func, in, loop *Instr) { in.Res.Offset[2] = -1 },
		"unnorm":      func(f *Func, in, loop *Instr) { in.Res.Unnorm = true },
		"base":        func(f *Func, in, loop *Instr) { in.Base.Index = 1 },
		"immediate":   func(f *Func, in, loop *Instr) { in.Imm = 1 },
		"origin":      func(f *Func, in, loop *Instr) { in.Orig = 7 },
		"precise":     func(f *Func, in, loop *Instr) { in.Precise = true },
		"modifier":    func(f *Func, in, loop *Instr) { in.Src[1][0].Mod = Neg },
		"lane":        func(f *Func, in, loop *Instr) { in.Src[1][1] = in.Src[1][0] },
		"home":        func(f *Func, in, loop *Instr) { in.Out[0].Home.Comp = 2 },
		"literal":     func(f *Func, in, loop *Instr) { in.Src[0][0].V = &Value{ID: x.ID, Kind: Literal, Bits: 1} },
		"kind":        func(f *Func, in, loop *Instr) { in.Src[0][0].V = &Value{ID: x.ID, Kind: Uniform, Home: x.Home} },
		"number":      func(f *Func, in, loop *Instr) { f.NewValue(Result, Reg{}) },
		"predicate":   func(f *Func, in, loop *Instr) { in.Pred[0].V = in.Src[0][0].V },
		"argument":    func(f *Func, in, loop *Instr) { loop.Args[0] = in.Out[0] },
		"parameter":   func(f *Func, in, loop *Instr) { loop.Sub[0].Params[0].Home.Comp = 1 },
		"handed over": func(f *Func, in, loop *Instr) { loop.Sub[0].Results[0] = loop.Sub[0].Params[0] },
		"result":      func(f *Func, in, loop *Instr) { loop.Results[0].Home.Comp = 1 },
		"order":       func(f *Func, in, loop *Instr) { f.Body.Code = []*Instr{loop, in} },
		"output":      func(f *Func, in, loop *Instr) { f.Outs[0].Reg.Index = 1 },
	} {
		g := f.Clone()
		change(g, g.Body.Code[0], g.Body.Code[1])
		p := g.Fingerprint()
		if other, met := seen[p]; met {
			t.Errorf("changing %s gives the fingerprint of %s", what, other)
		}
		seen[p] = what
	}
	if f.Fingerprint(Varying{Semantic: 3}) == base {
		t.Error("a varying gives the same fingerprint")
	}
}

package ir

import (
	"strings"
	"testing"
)

// body builds a program to break:
//
//	%a = add x, y
//	%r = if.gt %a, x { %b = mov %a; yield %b } else { yield %a }
//	%s = loop 3 carry %p := %r { %c = mul %p, x; break.lt %c, y with %c; yield %c }
//	%d = mov %s where %q else %a
func body() (f *Func, at map[string]*Instr) {
	f = NewFunc("test", Abstract{})
	at = map[string]*Instr{}
	x, y := f.Leaf(Input, Reg{File: 1}), f.Leaf(Input, Reg{File: 1, Index: 1})
	lane := func(v *Value) Operand { return Splat(Lane{V: v}) }
	add := func(r *Region, name string, in *Instr) *Instr {
		r.Code = append(r.Code, in)
		at[name] = in
		return in
	}
	one := func(r *Region, name string, op Op, vs ...*Value) *Value {
		in := add(r, name, &Instr{Op: op})
		for _, v := range vs {
			in.Src = append(in.Src, lane(v))
		}
		return f.Define(in, 0, Reg{})
	}
	result := func(in *Instr) *Value {
		v := f.NewValue(Result, Reg{})
		v.Def = in
		in.Results = append(in.Results, v)
		return v
	}
	a := one(f.Body, "a", OpAdd, x, y)
	then, other, loop := &Region{}, &Region{}, &Region{}
	cond := add(f.Body, "if", &Instr{Op: OpIf, Cond: CondGT, Src: []Operand{lane(a), lane(x)},
		Sub: []*Region{then, other}})
	then.Results, other.Results = []*Value{one(then, "b", OpMov, a)}, []*Value{a}
	r := result(cond)
	lp := add(f.Body, "loop", &Instr{Op: OpLoop, Src: []Operand{lane(f.Leaf(Uniform, Reg{File: 2}))},
		Sub: []*Region{loop}, Args: []*Value{r}})
	p := f.NewValue(Param, Reg{})
	loop.Params = []*Value{p}
	c := one(loop, "c", OpMul, p, x)
	add(loop, "break", &Instr{Op: OpBreak, Cond: CondLT, Src: []Operand{lane(c), lane(y)}, Args: []*Value{c}})
	loop.Results = []*Value{c}
	s := result(lp)
	q := one(f.Body, "q", OpSetp, s, x)
	at["q"].Cond = CondGE
	d := one(f.Body, "d", OpMov, s)
	at["d"].Pred, at["d"].Keep = lane(q), [4]*Value{a}
	f.Outs = []Output{{Reg: Reg{File: 3}, V: d}}
	return f, at
}

// Check misses none of the listed invariants.
func TestCheck(t *testing.T) {
	if f, _ := body(); f.Check() != nil {
		t.Fatal(f.Check())
	}
	for name, test := range map[string]struct {
		harm func(f *Func, at map[string]*Instr)
		want string
	}{
		"use before definition": {func(f *Func, at map[string]*Instr) {
			f.Body.Code[0], f.Body.Code[1] = f.Body.Code[1], f.Body.Code[0]
		}, "before or outside"},
		"use outside its region": {func(f *Func, at map[string]*Instr) { at["d"].Src[0][0].V = at["b"].Out[0] },
			"before or outside"},
		"output from a region": {func(f *Func, at map[string]*Instr) { f.Outs[0].V = at["c"].Out[0] },
			"before or outside"},
		"a second definition": {func(f *Func, at map[string]*Instr) { f.Body.Code = append(f.Body.Code, at["a"]) },
			"defined twice"},
		"a wrong definition": {func(f *Func, at map[string]*Instr) { at["a"].Out[0].Def = at["d"] }, "its definition"},
		"a wrong lane":       {func(f *Func, at map[string]*Instr) { at["a"].Out[0].Lane = 1 }, "cannot be its lane"},
		"a lane that is not read": {func(f *Func, at map[string]*Instr) { at["a"].Src[0][2] = at["a"].Src[0][0] },
			"lane 2: set is true"},
		"a lane that is missing": {func(f *Func, at map[string]*Instr) { at["c"].Src[1][0] = Lane{} },
			"lane 0: set is false"},
		"a source that is missing": {func(f *Func, at map[string]*Instr) { at["c"].Src = at["c"].Src[:1] }, "sources"},
		"a lane that cannot be written": {func(f *Func, at map[string]*Instr) {
			at["a"].Op = OpCrs
			v := at["a"].Out[0]
			at["a"].Out, v.Lane = [4]*Value{3: v}, 3
		}, "cannot be its lane"},
		"a value of another function": {func(f *Func, at map[string]*Instr) {
			g := NewFunc("other", Abstract{})
			for range 100 {
				at["d"].Src[0][0].V = g.NewValue(Result, Reg{})
			}
		}, "another function"},
		"a predicate of nothing": {func(f *Func, at map[string]*Instr) { at["d"].Pred[1] = at["d"].Pred[0] }, "not written"},
		"what nothing keeps":     {func(f *Func, at map[string]*Instr) { at["d"].Keep[1] = at["a"].Out[0] }, "not written"},
		"nothing to keep":        {func(f *Func, at map[string]*Instr) { at["d"].Keep[0] = nil }, "without what to keep"},
		"a third side": {func(f *Func, at map[string]*Instr) { at["if"].Sub = append(at["if"].Sub, &Region{}) },
			"3 regions"},
		"results of a side": {func(f *Func, at map[string]*Instr) { at["if"].Sub[1].Results = nil }, "hands over 0"},
		"arguments":         {func(f *Func, at map[string]*Instr) { at["loop"].Args = nil }, "0 arguments"},
		"break without loop": {func(f *Func,
			at map[string]*Instr) {
			f.Body.Code = append(f.Body.Code, &Instr{Op: OpBreak})
		}, "does not fit its loop"},
		"break's arguments": {func(f *Func, at map[string]*Instr) { at["break"].Args = nil }, "does not fit its loop"},
		"an output twice": {func(f *Func, at map[string]*Instr) { f.Outs = append(f.Outs, f.Outs[0]) },
			"written twice"},
		"no output value": {func(f *Func, at map[string]*Instr) { f.Outs[0].V = nil }, "nil value"},
		"a parameter of two regions": {func(f *Func, at map[string]*Instr) {
			at["if"].Sub[0].Params = at["loop"].Sub[0].Params
			at["loop"].Sub[0].Params = []*Value{at["a"].Out[0]}
		}, "parameter"},
	} {
		f, at := body()
		test.harm(f, at)
		if err := f.Check(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A clone is the same program, and changes to one do not affect the other.
func TestClone(t *testing.T) {
	f, _ := body()
	text, hash := f.String(), f.StructuralHash()
	g := f.Clone()
	if err := g.Check(); err != nil {
		t.Fatal(err)
	}
	if g.String() != text || g.StructuralHash() != hash || g.NumValues() != f.NumValues() {
		t.Fatalf("the clone is\n%s\nnot\n%s", g, text)
	}
	var theirs []*Instr
	g.Walk(func(in *Instr) { theirs = append(theirs, in) })
	seen := map[any]bool{}
	f.Walk(func(in *Instr) {
		seen[in] = true
		in.EachDef(func(v *Value) { seen[v] = true })
		in.EachUse(func(l *Lane) { seen[l.V] = true })
	})
	for _, in := range theirs {
		shared := seen[in]
		in.EachDef(func(v *Value) { shared = shared || seen[v] || v.Def != in })
		in.EachUse(func(l *Lane) { shared = shared || seen[l.V] })
		if shared {
			t.Errorf("%v is shared", in.Op)
		}
	}
	// Wreck the clone.
	for _, in := range theirs {
		in.Op, in.Mods = OpMax, Sat
		for s := range in.Src {
			in.Src[s] = Operand{}
		}
		clear(in.Args)
		for _, r := range in.Sub {
			clear(r.Results)
			r.Code = nil
		}
	}
	g.Outs[0].Reg.Index = 9
	g.Body.Code = nil
	g.Leaf(Input, Reg{File: 9})
	if f.String() != text || f.StructuralHash() != hash {
		t.Errorf("what happened to the clone happened to the original:\n%s", f)
	}
	if v := f.Leaf(Input, Reg{File: 9}); int(v.ID) != f.NumValues()-1 {
		t.Error("the leaves are shared")
	}
}

func TestReplace(t *testing.T) {
	f := NewFunc("test", Abstract{})
	x, y := f.Leaf(Input, Reg{File: 1}), f.Leaf(Input, Reg{File: 1, Index: 1})
	mov := &Instr{Op: OpMov, Src: []Operand{Splat(Lane{V: x, Mod: Neg})}}
	a := f.Define(mov, 0, Reg{})
	abs := &Instr{Op: OpMov, Src: []Operand{Splat(Lane{V: a, Mod: Abs})}}
	b := f.Define(abs, 0, Reg{})
	sum := &Instr{Op: OpAdd, Src: []Operand{Splat(Lane{V: b, Mod: Neg}), Splat(Lane{V: a, Mod: Neg})}}
	c := f.Define(sum, 0, Reg{})
	f.Body.Code = []*Instr{mov, abs, sum}
	f.Outs = []Output{{Reg: Reg{File: 3}, V: c}, {Reg: Reg{File: 3, Index: 1}, V: a}, {Reg: Reg{File: 3, Index: 2}, V: y}}
	// a is -x, b is |a|: Replace follows the chain and composes the modifiers.
	f.Replace(map[*Value]Lane{a: {V: x, Mod: Neg}, b: {V: a, Mod: Abs}, y: {V: x}})
	if got := sum.Src[0][0]; got != (Lane{x, Abs | Neg}) {
		t.Errorf("-|-x| is %v", got)
	}
	if got := sum.Src[1][0]; got != (Lane{x, 0}) {
		t.Errorf("-(-x) is %v", got)
	}
	if f.Outs[1].V != a {
		t.Error("an output cannot be negated, and was replaced by what is")
	}
	if f.Outs[2].V != x {
		t.Error("an output was not replaced")
	}
}

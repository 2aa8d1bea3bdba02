package unroll

import "github.com/shaderlift/shaderlift/ir"

// slice computes v anew, with the value of the carried value that counts replaced by x.
// What the loop does not change is read where it is: v is made of the additions, moves and
// conversions that counted has followed, and of nothing else. It appends to code what it takes.
func (c *counter) slice(f *ir.Func, code *[]*ir.Instr, v, x *ir.Value) *ir.Value {
	if v == c.param {
		return x
	}
	in := v.Def
	if in == nil || !c.inside[v] {
		return v
	}
	out := &ir.Instr{Op: in.Op, Mods: in.Mods, Imm: in.Imm, Src: make([]ir.Operand, len(in.Src)), Orig: -1, Pos: in.Pos, Also: in.Also}
	for s := range in.Src {
		l := in.Src[s][v.Lane]
		out.Src[s][v.Lane] = ir.Lane{V: c.slice(f, code, l.V, x), Mod: l.Mod}
	}
	*code = append(*code, out)
	return f.Define(out, int(v.Lane), v.Home)
}

// copier makes copies of what runs in a loop. The last copy of the exit's break is in
// none of them: its test is known to fail.
type copier struct {
	f     *ir.Func
	index *ir.Value // of a counting loop, the counter that copies read
}

// body appends a copy of the body of a loop without its exit, which reads carried and of
// which it returns the next carried values.
func (m *copier) body(code *[]*ir.Instr, body *ir.Region, e *exit, carried []*ir.Value) []*ir.Value {
	return m.until(code, body, e, len(body.Code), carried).Values(body.Results)
}

// until appends a copy of the body as far as end.
func (m *copier) until(code *[]*ir.Instr, body *ir.Region, e *exit, end int, carried []*ir.Value) *ir.Copier {
	c := ir.NewCopier(m.f)
	for k, p := range body.Params {
		c.Map(p, carried[k])
	}
	if body.Index != nil {
		c.Map(body.Index, m.index)
	}
	for i, in := range body.Code[:end] {
		if e != nil && i == e.at {
			continue
		}
		out := c.Instr(in)
		if !m.f.Dialect.KeepsOrig() {
			out.Orig = -1
			for _, sub := range out.Sub {
				sub.Walk(func(in *ir.Instr) { in.Orig = -1 })
			}
		}
		*code = append(*code, out)
	}
	return c
}

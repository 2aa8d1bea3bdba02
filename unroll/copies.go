package unroll

import "github.com/shaderlift/shaderlift/ir"

// slice appends to code a copy of the computation of v with x in place of the counter, and returns
// the result. Loop-invariant values are read directly. v consists only of the additions, moves and
// conversions that counted has followed.
func (c *counter) slice(f *ir.Func, code *[]*ir.Instr, v, x *ir.Value) *ir.Value {
	if v == c.param {
		return x
	}
	in := v.Def
	if in == nil || !c.inside[v] {
		return v
	}
	out := &ir.Instr{Op: in.Op, Mods: in.Mods, Imm: in.Imm, Src: make([]ir.Operand, len(in.Src)), Orig: -1, Pos: in.Pos,
		Also: in.Also}
	for s := range in.Src {
		l := in.Src[s][v.Lane]
		out.Src[s][v.Lane] = ir.Lane{V: c.slice(f, code, l.V, x), Mod: l.Mod}
	}
	*code = append(*code, out)
	return f.Define(out, int(v.Lane), v.Home)
}

// copier copies loop bodies. The copies omit the exit's break, because its test is known to fail.
type copier struct {
	f     *ir.Func
	index *ir.Value // of a counting loop, the counter that copies read
}

// copyBody appends a copy of a loop body without its exit. The copy reads carried; body returns the
// next carried values.
func (m *copier) copyBody(code *[]*ir.Instr, body *ir.Region, e *exit, carried []*ir.Value) []*ir.Value {
	return m.until(code, body, e, len(body.Code), carried).Values(body.Results)
}

// until appends a copy of the first end instructions of the body.
func (m *copier) until(code *[]*ir.Instr, body *ir.Region, e *exit, end int, carried []*ir.Value) *ir.Copier {
	c := ir.NewCopier(m.f)
	for k, p := range body.Params {
		c.MapValue(p, carried[k])
	}
	if body.Index != nil {
		c.MapValue(body.Index, m.index)
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

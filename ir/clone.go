package ir

import "github.com/shaderlift/shaderlift/budget"

// Clone copies f. Value IDs stay, so that tables indexed by ID fit both.
func (f *Func) Clone() *Func {
	c := &cloner{budget: f.Budget, vals: make([]*Value, f.nextID), chunk: min(int(f.nextID), maxChunk)}
	g := &Func{Name: f.Name, Dialect: f.Dialect, Budget: f.Budget, nextID: f.nextID, leaves: make(map[leafKey]*Value, len(f.leaves))}
	for k, v := range f.leaves {
		g.leaves[k] = c.value(v)
	}
	g.Body = c.region(f.Body)
	g.Outs = make([]Output, len(f.Outs))
	for i, o := range f.Outs {
		g.Outs[i] = Output{o.Reg, c.value(o.V)}
	}
	return g
}

// maxChunk is how many values or instructions are made at a time.
const maxChunk = 64

// cloner is one copy in the making. What it makes comes from chunks: copies are many, and
// live as long as their function.
type cloner struct {
	budget   *budget.Budget
	vals     []*Value // by ID
	chunk    int
	made     []Value
	instrs   []Instr
	operands []Operand
}

// from takes the next n of a chunk.
func from[T any](chunk *[]T, n, size int) []T {
	if len(*chunk) < n {
		*chunk = make([]T, max(n, size))
	}
	taken := (*chunk)[:n:n]
	*chunk = (*chunk)[n:]
	return taken
}

func (c *cloner) value(v *Value) *Value {
	if v == nil {
		return nil
	}
	if w := c.vals[v.ID]; w != nil {
		return w
	}
	w := &from(&c.made, 1, c.chunk)[0]
	*w = *v
	w.Def = nil // set when the definition is cloned
	c.vals[v.ID] = w
	return w
}

func (c *cloner) values(vs []*Value) []*Value {
	if vs == nil {
		return nil
	}
	out := make([]*Value, len(vs))
	for i, v := range vs {
		out[i] = c.value(v)
	}
	return out
}

func (c *cloner) region(r *Region) *Region {
	out := &Region{Params: c.values(r.Params), Index: c.value(r.Index), Code: make([]*Instr, len(r.Code))}
	for i, in := range r.Code {
		out.Code[i] = c.instr(in)
	}
	out.Results = c.values(r.Results)
	return out
}

func (c *cloner) instr(in *Instr) *Instr {
	c.budget.Poll()
	out := &from(&c.instrs, 1, c.chunk)[0]
	*out = *in
	out.Src = from(&c.operands, len(in.Src), 2*c.chunk)
	for s := range in.Src {
		for i, l := range in.Src[s] {
			out.Src[s][i] = Lane{c.value(l.V), l.Mod}
		}
	}
	for i := range in.Out {
		out.Out[i], out.Keep[i] = c.value(in.Out[i]), c.value(in.Keep[i])
		out.Pred[i].V = c.value(in.Pred[i].V)
		if v := out.Out[i]; v != nil {
			v.Def = out
		}
	}
	out.Sub = nil
	for _, r := range in.Sub {
		out.Sub = append(out.Sub, c.region(r))
	}
	out.Args = c.values(in.Args)
	out.Results = c.values(in.Results)
	for _, v := range out.Results {
		v.Def = out
	}
	return out
}

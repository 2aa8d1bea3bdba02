package ir

// Copier copies code within one function, with new values. Copies read the same unmapped outer values as the
// originals. Unrolling is the main use: the parameters of a body are mapped to the values of a trip, the body
// is copied, and Values returns the new results.
//
//	c := NewCopier(f)
//	c.Map(param, value)              for each parameter
//	out = append(out, c.Instr(in))   for each instruction of the body
//	next := c.Values(body.Results)   the arguments of the next trip
type Copier struct {
	f  *Func
	to map[*Value]*Value
}

// NewCopier returns a copier of code of f. Copies made through one Copier see each other's definitions: the
// last copy of a definition counts.
func NewCopier(f *Func) *Copier { return &Copier{f, map[*Value]*Value{}} }

// MapValue makes copies read to where the original reads from.
func (c *Copier) MapValue(from, to *Value) { c.to[from] = to }

// value returns the value that copies read where the original reads v.
func (c *Copier) value(v *Value) *Value {
	if w := c.to[v]; w != nil {
		return w
	}
	return v
}

// Values maps a list.
func (c *Copier) Values(vs []*Value) []*Value {
	if vs == nil {
		return nil
	}
	out := make([]*Value, len(vs))
	for i, v := range vs {
		out[i] = c.value(v)
	}
	return out
}

// copyCode copies instructions in order.
func (c *Copier) copyCode(code []*Instr) []*Instr {
	out := make([]*Instr, len(code))
	for i, in := range code {
		out[i] = c.Instr(in)
	}
	return out
}

// region copies a region, its parameters included.
func (c *Copier) region(r *Region) *Region {
	out := &Region{Params: make([]*Value, len(r.Params))}
	for i, p := range r.Params {
		out.Params[i] = c.fresh(p)
	}
	if r.Index != nil {
		out.Index = c.fresh(r.Index)
	}
	out.Code = c.copyCode(r.Code)
	out.Results = c.Values(r.Results)
	return out
}

// Instr copies one instruction and the regions in it. Sources are mapped before definitions, since a copy of
// an earlier trip may represent the same value.
func (c *Copier) Instr(in *Instr) *Instr {
	out := new(Instr)
	*out = *in
	out.Src = make([]Operand, len(in.Src))
	for s := range in.Src {
		for i, l := range in.Src[s] {
			if l.V != nil {
				out.Src[s][i] = Lane{c.value(l.V), l.Mod}
			}
		}
	}
	for i := range in.Out {
		if in.Keep[i] != nil {
			out.Keep[i] = c.value(in.Keep[i])
		}
		if in.Pred[i].V != nil {
			out.Pred[i].V = c.value(in.Pred[i].V)
		}
	}
	out.Args = c.Values(in.Args)
	out.Sub = nil
	for _, r := range in.Sub {
		out.Sub = append(out.Sub, c.region(r))
	}
	for i, v := range in.Out {
		if v != nil {
			out.Out[i] = c.defined(v, out)
		}
	}
	out.Results = nil
	for _, v := range in.Results {
		out.Results = append(out.Results, c.defined(v, out))
	}
	return out
}

// defined returns a new value that replaces v and that by computes.
func (c *Copier) defined(v *Value, by *Instr) *Value {
	w := c.fresh(v)
	w.Def, w.Lane = by, v.Lane
	return w
}

// fresh returns a new value that replaces v from now on. It keeps v's home as a hint. Two copies then have
// the same hint, and the allocator separates them.
func (c *Copier) fresh(v *Value) *Value {
	w := c.f.NewValue(v.Kind, v.Home)
	c.to[v] = w
	return w
}

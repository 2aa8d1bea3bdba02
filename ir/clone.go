package ir

import "github.com/shaderlift/shaderlift/budget"

// Clone copies f. Value IDs stay, so that tables indexed by ID fit both; leaves are
// copied, too, so that the copy shares nothing with f that either could change. The
// dialect and the budget are shared.
func (f *Func) Clone() *Func { return new(Cloner).Clone(f) }

// Cloner makes copies of functions in memory of its own: each is good until the next
// one. Searches that try thousands of versions and throw them away use one, and
// allocate nothing once the pools have grown to the size of a copy.
type Cloner struct {
	f        Func
	budget   budget.Poller
	vals     []*Value // by ID
	made     pool[Value]
	instrs   pool[Instr]
	operands pool[Operand]
	lists    pool[*Value]
	regions  pool[Region]
	code     pool[*Instr]
	subs     pool[*Region]
}

// Clone is [Func.Clone].
func (c *Cloner) Clone(f *Func) *Func {
	n := min(int(f.nextID), maxChunk)
	c.budget = f.Budget.Poller()
	c.made.again(n)
	c.instrs.again(n)
	c.operands.again(2 * n)
	c.lists.again(n)
	c.regions.again(4)
	c.code.again(n)
	c.subs.again(8)
	if cap(c.vals) < int(f.nextID) {
		c.vals = make([]*Value, f.nextID)
	}
	c.vals = c.vals[:f.nextID]
	clear(c.vals)
	g := &c.f
	*g = Func{Name: f.Name, Dialect: f.Dialect, Budget: f.Budget, nextID: f.nextID, leaves: g.leaves[:0], Outs: g.Outs[:0]}
	for _, v := range f.leaves {
		g.leaves = append(g.leaves, c.value(v))
	}
	g.Body = c.region(f.Body)
	for _, o := range f.Outs {
		g.Outs = append(g.Outs, Output{o.Reg, c.value(o.V)})
	}
	return g
}

// maxChunk is how many values or instructions are made at a time for a first copy, so
// that a small program does not pay for a large one.
const maxChunk = 64

// pool hands out pieces of arrays: of small ones at first, and of one that suffices
// when it begins again. array is the current one, used how much of it was handed out,
// total how much of all arrays since the last start, chunk the size of the next one.
type pool[T any] struct {
	array       []T
	used, total int
	chunk       int
}

// again forgets what was handed out, which the caller must no longer use. An eighth is
// added, so that copies that grow slowly do not each make a new array.
func (p *pool[T]) again(chunk int) {
	if p.total > len(p.array) {
		p.array = make([]T, p.total+p.total/8)
	}
	p.used, p.total, p.chunk = 0, 0, chunk
}

// take returns n of what may have been used before.
func (p *pool[T]) take(n int) []T {
	if len(p.array)-p.used < n {
		p.array, p.used = make([]T, max(n, p.chunk)), 0
	}
	piece := p.array[p.used : p.used+n : p.used+n]
	p.used += n
	p.total += n
	return piece
}

// value is the copy of v, made when first met: a parameter may be named by a break
// before its definition is cloned.
func (c *Cloner) value(v *Value) *Value {
	if v == nil {
		return nil
	}
	if w := c.vals[v.ID]; w != nil {
		return w
	}
	w := &c.made.take(1)[0]
	*w = *v
	w.Def = nil // set when the definition is cloned
	c.vals[v.ID] = w
	return w
}

// Copy is what the last clone has in place of v, nil for a value that is not in it.
func (c *Cloner) Copy(v *Value) *Value {
	if v == nil {
		return nil
	}
	return c.vals[v.ID]
}

func (c *Cloner) values(vs []*Value) []*Value {
	if vs == nil {
		return nil
	}
	out := c.lists.take(len(vs))
	for i, v := range vs {
		out[i] = c.value(v)
	}
	return out
}

func (c *Cloner) region(r *Region) *Region {
	out := &c.regions.take(1)[0]
	*out = Region{Params: c.values(r.Params), Index: c.value(r.Index), Code: c.code.take(len(r.Code))}
	for i, in := range r.Code {
		out.Code[i] = c.instr(in)
	}
	out.Results = c.values(r.Results)
	return out
}

// instr copies in and takes over its definitions.
func (c *Cloner) instr(in *Instr) *Instr {
	c.budget.Poll()
	out := &c.instrs.take(1)[0]
	*out = *in
	out.Src = c.operands.take(len(in.Src))
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
	if out.Sub = nil; len(in.Sub) > 0 {
		out.Sub = c.subs.take(len(in.Sub))
		for i, r := range in.Sub {
			out.Sub[i] = c.region(r)
		}
	}
	out.Args = c.values(in.Args)
	out.Results = c.values(in.Results)
	for _, v := range out.Results {
		v.Def = out
	}
	return out
}

package ir

import (
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/internal/container"
)

// Clone copies f. Value IDs stay, so tables indexed by ID fit both. Leaves are copied too, so that the copy
// shares no mutable state with f. The dialect and the budget are shared.
func (f *Func) Clone() *Func { return new(Cloner).Clone(f) }

// Cloner copies functions into memory that it reuses: each copy is valid until the next one. A search that
// tries thousands of versions and discards them uses one Cloner. It allocates nothing once the slabs have
// grown to the size of a copy.
type Cloner struct {
	f        Func
	budget   budget.Poller
	vals     []*Value // by ID
	made     container.Slab[Value]
	instrs   container.Slab[Instr]
	operands container.Slab[Operand]
	lists    container.Slab[*Value]
	regions  container.Slab[Region]
	code     container.Slab[*Instr]
	subs     container.Slab[*Region]
}

// Clone copies f as [Func.Clone] does, into the memory of c.
func (c *Cloner) Clone(f *Func) *Func {
	budget.Clones.Add(1)
	c.budget = f.Budget.Poller()
	n := extent{values: len(f.leaves)}
	n.countRegion(f.Body)
	c.made.Reserve(n.values)
	c.instrs.Reserve(n.instrs)
	c.operands.Reserve(n.operands)
	c.lists.Reserve(n.lists)
	c.regions.Reserve(n.regions)
	c.code.Reserve(n.instrs)
	c.subs.Reserve(n.regions)
	if cap(c.vals) < int(f.nextID) {
		c.vals = make([]*Value, f.nextID)
	}
	c.vals = c.vals[:f.nextID]
	clear(c.vals)
	g := &c.f
	*g = Func{Name: f.Name, Dialect: f.Dialect, Threads: f.Threads, LocalBytes: f.LocalBytes, Budget: f.Budget, nextID: f.nextID,
		leaves: g.leaves[:0], Outs: g.Outs[:0]}
	for _, v := range f.leaves {
		g.leaves = append(g.leaves, c.value(v))
	}
	g.Body = c.region(f.Body)
	for _, o := range f.Outs {
		g.Outs = append(g.Outs, Output{o.Reg, c.value(o.V), o.Also})
	}
	return g
}

// extent is the size of a function, used to reserve memory at once.
type extent struct{ values, instrs, operands, lists, regions int }

// countRegion counts a region and the regions within.
func (n *extent) countRegion(r *Region) {
	n.regions++
	n.lists += len(r.Params) + len(r.Results)
	n.values += len(r.Params)
	if r.Index != nil {
		n.values++
	}
	n.instrs += len(r.Code)
	for _, in := range r.Code {
		n.operands += len(in.Src)
		n.lists += len(in.Args) + len(in.Results)
		n.values += len(in.Results)
		for _, v := range in.Out {
			if v != nil {
				n.values++
			}
		}
		for _, sub := range in.Sub {
			n.countRegion(sub)
		}
	}
}

// value returns the copy of v, creating it on first use: a break may name a parameter before its definition
// is cloned.
func (c *Cloner) value(v *Value) *Value {
	if v == nil {
		return nil
	}
	if w := c.vals[v.ID]; w != nil {
		return w
	}
	w := &c.made.Alloc(1)[0]
	*w = *v
	w.Def = nil // set when the definition is cloned
	c.vals[v.ID] = w
	return w
}

// CopyOf returns the value that replaces v in the last clone, or nil if v is not in it.
func (c *Cloner) CopyOf(v *Value) *Value {
	if v == nil {
		return nil
	}
	return c.vals[v.ID]
}

func (c *Cloner) values(vs []*Value) []*Value {
	if vs == nil {
		return nil
	}
	out := c.lists.Alloc(len(vs))
	for i, v := range vs {
		out[i] = c.value(v)
	}
	return out
}

func (c *Cloner) region(r *Region) *Region {
	out := &c.regions.Alloc(1)[0]
	*out = Region{Params: c.values(r.Params), Index: c.value(r.Index), Code: c.code.Alloc(len(r.Code))}
	for i, in := range r.Code {
		out.Code[i] = c.instr(in)
	}
	out.Results = c.values(r.Results)
	return out
}

// instr copies in and redirects the copied definitions to the copy.
func (c *Cloner) instr(in *Instr) *Instr {
	c.budget.Poll()
	out := &c.instrs.Alloc(1)[0]
	*out = *in
	out.Src = c.operands.Alloc(len(in.Src))
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
		out.Sub = c.subs.Alloc(len(in.Sub))
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

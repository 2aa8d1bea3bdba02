package ir

import (
	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/internal/slab"
)

// Clone copies f. Value IDs stay, so that tables indexed by ID fit both; leaves are
// copied, too, so that the copy shares nothing with f that either could change. The
// dialect and the budget are shared.
func (f *Func) Clone() *Func { return new(Cloner).Clone(f) }

// Cloner makes copies of functions in memory of its own: each is good until the next
// one. Searches that try thousands of versions and throw them away use one, and
// allocate nothing once the slabs have grown to the size of a copy.
type Cloner struct {
	f        Func
	budget   budget.Poller
	vals     []*Value // by ID
	made     slab.Slab[Value]
	instrs   slab.Slab[Instr]
	operands slab.Slab[Operand]
	lists    slab.Slab[*Value]
	regions  slab.Slab[Region]
	code     slab.Slab[*Instr]
	subs     slab.Slab[*Region]
}

// Clone is [Func.Clone].
func (c *Cloner) Clone(f *Func) *Func {
	c.budget = f.Budget.Poller()
	n := extent{values: len(f.leaves)}
	n.add(f.Body)
	c.made.Room(n.values)
	c.instrs.Room(n.instrs)
	c.operands.Room(n.operands)
	c.lists.Room(n.lists)
	c.regions.Room(n.regions)
	c.code.Room(n.instrs)
	c.subs.Room(n.regions)
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
		g.Outs = append(g.Outs, Output{o.Reg, c.value(o.V), o.Also})
	}
	return g
}

// extent is how much there is in a function, for room to be made at once.
type extent struct{ values, instrs, operands, lists, regions int }

// add counts a region, and what is within.
func (n *extent) add(r *Region) {
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
			n.add(sub)
		}
	}
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
	w := &c.made.Take(1)[0]
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
	out := c.lists.Take(len(vs))
	for i, v := range vs {
		out[i] = c.value(v)
	}
	return out
}

func (c *Cloner) region(r *Region) *Region {
	out := &c.regions.Take(1)[0]
	*out = Region{Params: c.values(r.Params), Index: c.value(r.Index), Code: c.code.Take(len(r.Code))}
	for i, in := range r.Code {
		out.Code[i] = c.instr(in)
	}
	out.Results = c.values(r.Results)
	return out
}

// instr copies in and takes over its definitions.
func (c *Cloner) instr(in *Instr) *Instr {
	c.budget.Poll()
	out := &c.instrs.Take(1)[0]
	*out = *in
	out.Src = c.operands.Take(len(in.Src))
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
		out.Sub = c.subs.Take(len(in.Sub))
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

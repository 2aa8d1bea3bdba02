package draw

import (
	"slices"

	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/ir"
)

// sum is the kind of a sum that readers can compute themselves: the presubtract operations of R300
// and R520.
type sum uint8

const (
	none       sum = iota
	pair           // of two registers, component by component
	complement     // 1-x or 1-2x
)

// classifySum classifies node n.
func (x *vectorizer) classifySum(n *node) sum {
	if n.kind != add {
		return none
	}
	a, b := n.args[0], n.args[1]
	if _, ok := x.s.number(a); ok {
		a, b = b, a
	}
	switch one, ok := x.s.number(b); {
	case ok && one == 0: // it is moved into a register with the addends of other lanes
		return pair
	case ok:
		return x.complement(a, one)
	}
	if x.s.fused[a.n] || x.s.fused[b.n] || (a.mod|b.mod)&ir.Abs != 0 || x.componentOf(a.n) != x.componentOf(b.n) {
		return none
	}
	return pair
}

// complement classifies a sum of a value a, or of twice a value, and one: 1-x and 1-2x are
// presubtract operations.
func (x *vectorizer) complement(a arg, one float32) sum {
	sign := float32(1)
	if a.mod&ir.Neg != 0 {
		sign = -1
	}
	if m := &x.s.nodes[a.n]; m.kind == mul && x.s.fused[a.n] {
		f, ok := x.s.number(m.args[0])
		if !ok {
			if f, ok = x.s.number(m.args[1]); !ok {
				return none
			}
		}
		sign *= f / 2
	}
	if x.t.complements && a.mod&ir.Abs == 0 && one*one == 1 && sign == -one {
		return complement
	}
	return none
}

// foldPresubtract folds sums into their readers (presubtract), if all readers allow it. An
// instruction can include one sum, and reads at most three registers with it. Fetches and moves
// include none.
func foldPresubtract(ops []vectorOp, lists *container.Slab[int32], budget *budget.Poller) {
	users := usersOf(ops, lists)
	for i := range ops {
		budget.Poll()
		x := &ops[i]
		if x.sum == none || x.absorbs || len(users[i]) == 0 {
			continue
		}
		if slices.ContainsFunc(users[i], func(u int32) bool { return !ops[u].canAbsorb(x, int32(i)) }) {
			continue
		}
		x.gone = true
		for _, u := range users[i] {
			ops[u].absorb(x, int32(i))
			for _, r := range x.reads {
				users[r] = union(users[r], []int32{u})
			}
		}
		for _, r := range x.reads {
			users[r] = slices.DeleteFunc(slices.Clone(users[r]), func(u int32) bool { return u == int32(i) })
		}
	}
}

// canAbsorb reports whether o can include sum x, operation i.
func (o *vectorOp) canAbsorb(x *vectorOp, i int32) bool {
	if o.absorbs || o.kind == fetch || o.kind == literal || o.kind == kill {
		return false
	}
	var some [2 * manyReads]source
	all := some[:0]
	for _, list := range [...][]register{x.sources, o.sources} {
		for _, r := range list {
			if r.source != nodeOf(x.kind, i) {
				all = appendUnique(all, r.source)
			}
		}
	}
	return len(all) <= operands
}

// absorb makes o read the operands of sum x, operation i, instead of the sum.
func (o *vectorOp) absorb(x *vectorOp, i int32) {
	is := func(r register) bool { return r.source == nodeOf(x.kind, i) }
	o.absorbs, o.through = true, x.reads
	for _, r := range o.sources {
		if is(r) {
			o.summed |= r.readingUnit()
		}
	}
	o.sources = slices.DeleteFunc(slices.Clone(o.sources), is)
	for _, r := range x.sources {
		if o.summed&r.readingUnit() != 0 {
			o.sources = union(o.sources, []register{r})
		}
	}
	o.reads = union(slices.DeleteFunc(slices.Clone(o.reads), func(r int32) bool { return r == i }), x.reads)
	o.values = union(slices.DeleteFunc(slices.Clone(o.values), func(c component) bool { return c.op == i }), x.values)
}

// usersOf lists the readers of each operation.
func usersOf(ops []vectorOp, lists *container.Slab[int32]) [][]int32 {
	count, users := zeroed(lists, len(ops)), make([][]int32, len(ops))
	for i := range ops {
		for _, r := range ops[i].reads {
			count[r]++
		}
	}
	for i := range users {
		users[i] = lists.Alloc(int(count[i]))[:0]
	}
	for i := range ops {
		for _, r := range ops[i].reads {
			users[r] = append(users[r], int32(i))
		}
	}
	return users
}

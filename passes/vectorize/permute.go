package vectorize

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Permute is the pass.
var Permute = &passes.Pass{
	Name: "permute-lanes",
	Doc: `compute values in components from which the model's swizzles can read them

Models below ps_2_x read few swizzles; any other arrangement takes a move. The pass tries other components for the
operand, for its reader and for their neighbours. It replaces an instruction that still cannot read an operand by one
instruction for each component, and a dot product by products and sums (class real). It keeps only changes that save
slots.`,
	Class: passes.Terms,
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		if c.Measure == nil {
			return nil
		}
		for k, f := range u.Funcs() {
			swz := ir.NewSwizzles(f.Dialect)
			if swz.CanRead(ir.OpMov, 0, [4]int8{3, 0, 1, 2}) {
				continue // it reads any arrangement
			}
			tryChange(c, u, k, func(t *passes.Unit) bool { permute(c, t.Funcs()[k], swz); return true })
			takeApart(c, u, k, swz)
		}
		return nil
	},
}

// tryChange makes a change to a copy of u, and keeps it if it saves slots, or if only the copy can be measured.
func tryChange(c *passes.Ctx, u *passes.Unit, k int, change func(t *passes.Unit) bool) bool {
	t := c.TrialOf(u, k)
	if !change(t) {
		return false
	}
	before, unfit := c.Measure(u)
	after, err := c.Measure(t)
	if err != nil || unfit == nil && !after.Less(before) {
		return false
	}
	c.Adopt(u, t)
	return true
}

// permute permutes the instructions of f: it mends nodes with a cost until a round finds none. Every mend lowers
// the sum of costs, so it terminates; maxRounds bounds the time. Moves are then reported, and undone where
// ShouldRewrite refuses.
func permute(c *passes.Ctx, f *ir.Func, swz *ir.Swizzles) {
	l := newLayout(f, swz)
	if !c.Spend(len(l.nodes)) {
		return
	}
	old := make([][4]*ir.Value, len(l.nodes))
	for n := range l.nodes {
		old[n] = l.nodes[n].in.Out
	}
	again := true
	for round := 0; again && round < maxPermuteRounds; round++ {
		again = false
		for n := range l.nodes {
			if l.nodes[n].cost > 0 && l.mendNode(int32(n)) {
				again = true
			}
			if !c.Spend(1) {
				return
			}
		}
	}
	for n := range l.nodes {
		in := l.nodes[n].in
		if in.Out == old[n] {
			continue
		}
		if !c.ShouldRewrite(in, "permuted", "computed in other components") {
			l.restore(int32(n), old[n])
		}
		// The home is a former register of the value; its component follows.
		for i, v := range in.Out {
			if v != nil {
				v.Home = ir.Reg{File: v.Home.File, Index: v.Home.Index, Comp: uint8(i)}
			}
		}
	}
}

// maxPermuteRounds bounds the rounds over all unreadable operands: the first round finds nearly all improvements.
const maxPermuteRounds = 8

// layout is the instructions of a function, with the operands that cannot be read from the current
// components. Costs of nodes are updated incrementally, so a trial is priced by its neighbourhood alone.
// Nodes are numbered in the order of [ir.Func.Walk].
type layout struct {
	f     *ir.Func
	swz   *ir.Swizzles
	nodes []permutedNode
	outs  map[ir.Reg][]ir.Output // by register
	// trail is the undo log, latest last.
	trail []undo
}

// permutedNode is an instruction with its cost. near is symmetric: it contains every node that the price of this node
// depends on.
type permutedNode struct {
	in   *ir.Instr
	free bool    // results may be in any components
	cost int     // unreadable operands, and outputs that take a move
	near []int32 // nodes that in reads, and nodes that read it
	// registers of outputs that it writes
	output []ir.Reg
}

// undo is a permutation that reverts another one.
type undo struct {
	node int32
	back [4]uint8
}

// newLayout returns the layout of f. Two nodes are near each other if one reads the other, or if they write
// components of one output register.
func newLayout(f *ir.Func, swz *ir.Swizzles) *layout {
	l := &layout{f: f, swz: swz, outs: map[ir.Reg][]ir.Output{}}
	at := make(map[*ir.Instr]int32)
	f.Walk(func(in *ir.Instr) {
		at[in] = int32(len(l.nodes))
		l.nodes = append(l.nodes, permutedNode{in: in, free: isPermutable(f, in)})
	})
	link := func(a, b int32) {
		if !slices.Contains(l.nodes[a].near, b) {
			l.nodes[a].near = append(l.nodes[a].near, b)
		}
	}
	for n := range l.nodes {
		l.nodes[n].in.EachUse(func(x *ir.Lane) {
			if x.V.Def != nil {
				d := at[x.V.Def]
				link(int32(n), d)
				link(d, int32(n))
			}
		})
	}
	for _, o := range f.Outs {
		reg := o.Reg
		reg.Comp = 0
		l.outs[reg] = append(l.outs[reg], o)
		if o.V.Def == nil {
			continue
		}
		n := at[o.V.Def]
		for _, other := range l.outs[reg] { // all writers of one register are priced together
			if d := other.V.Def; d != nil && at[d] != n {
				link(n, at[d])
				link(at[d], n)
			}
		}
		if d := &l.nodes[n]; !slices.Contains(d.output, reg) {
			d.output = append(d.output, reg)
		}
	}
	for n := range l.nodes {
		l.nodes[n].cost = l.price(int32(n))
	}
	return l
}

// isPermutable reports whether the lanes of in may be permuted: results and sources together, which changes no term
// of a lane-wise instruction. A reduction such as a dot product has one result, which may be in any lane. Not
// free are positional instructions, which compute another function in each lane, fetches, special
// instructions, and writers of registers with a fixed meaning.
func isPermutable(f *ir.Func, in *ir.Instr) bool {
	if in.IsPredicated() || len(in.Sub) > 0 || in.Op.Has(ir.Special) || in.Op.Has(ir.IsFetch) || !in.Op.HasFormula() ||
		in.Op.Info().Shape == ir.Positional {
		return false
	}
	for _, v := range in.Out {
		if v != nil && v.Home.File != 0 && f.Dialect.FileRole(v.Home.File) != ir.RoleTemp &&
			f.Dialect.FileRole(v.Home.File) != ir.RoleOutput {
			return false
		}
	}
	return in.Mask() != 0
}

// price returns the number of operands and outputs of node n that cannot be read directly.
func (l *layout) price(n int32) (cost int) {
	x := &l.nodes[n]
	// Other constraints, such as a mask that the instruction cannot have.
	if !l.f.Dialect.Encodable(x.in) {
		cost++
	}
	for s := range x.in.Src {
		if !l.sourceReadable(x.in, s) {
			cost++
		}
	}
	for _, reg := range x.output {
		for _, o := range l.outs[reg] {
			if !o.V.IsLeaf() && o.V.ReadComponent() != int(o.Reg.Comp) {
				cost++ // counted for every node that writes it, so that all of them are tried
				break
			}
		}
	}
	return cost
}

// sourceReadable reports whether source s of in can be read from one register, given the components of computed values.
// It ignores leaves: constants and inputs have fixed components, and emission can place them elsewhere.
func (l *layout) sourceReadable(in *ir.Instr, s int) bool {
	from := [4]int8{-1, -1, -1, -1}
	var read [4]*ir.Value
	for i, x := range in.Src[s] {
		if x.V == nil || x.V.IsLeaf() {
			continue
		}
		c := x.V.ReadComponent()
		// Two values in the same component cannot be in one register.
		if read[c] != nil && read[c] != x.V {
			return false
		}
		read[c], from[i] = x.V, int8(c)
	}
	return read == [4]*ir.Value{} || l.swz.CanRead(in.Op, s, from)
}

// mendNode searches components for node n and its neighbours such that fewer operands are unreadable, and reports
// whether it found some. For each permutation of one node, all its neighbours settle greedily and in order;
// the sum of costs decides. If it does not fall, all is undone. The work is at most 23 permutations for each
// neighbour, times those of their neighbours.
func (l *layout) mendNode(n int32) bool {
	near := append([]int32{n}, l.nodes[n].near...)
	for _, m := range near {
		if !l.nodes[m].free {
			continue
		}
		for _, p := range permutations[l.nodes[m].in.Mask()] {
			l.trail = l.trail[:0]
			gain := l.permute(m, p)
			for _, k := range l.nodes[m].near { // the neighbours follow
				if gain < 0 {
					break
				}
				gain += l.settle(k)
			}
			if gain < 0 {
				return true
			}
			for i := len(l.trail) - 1; i >= 0; i-- {
				u := l.trail[i]
				l.apply(u.node, u.back)
			}
		}
	}
	return false
}

// settle applies the best permutation of node n. It returns the change in the number of unreadable operands,
// or 0 if n stays.
func (l *layout) settle(n int32) int {
	if !l.nodes[n].free {
		return 0
	}
	most := l.nodes[n].cost // the largest possible gain
	for _, m := range l.nodes[n].near {
		most += l.nodes[m].cost
	}
	best, least := [4]uint8{}, 0
	for _, p := range permutations[l.nodes[n].in.Mask()] {
		// No permutation can do better than remove all costs.
		if least == -most {
			break
		}
		if gain := l.tried(n, p); gain < least {
			best, least = p, gain
		}
	}
	if least == 0 {
		return 0
	}
	return l.permute(n, best)
}

// permute applies p and records the inverse in the trail.
func (l *layout) permute(n int32, p [4]uint8) int {
	l.trail = append(l.trail, undo{n, inverse(p)})
	return l.apply(n, p)
}

// tried returns the result that apply would return, without changing anything.
func (l *layout) tried(n int32, p [4]uint8) (more int) {
	x := &l.nodes[n]
	if err := ir.Permute(x.in, p); err != nil {
		return 0
	}
	more = l.price(n) - x.cost
	for _, m := range x.near {
		if m != n {
			more += l.price(m) - l.nodes[m].cost
		}
	}
	ir.Permute(x.in, inverse(p))
	return more
}

// apply moves lane i of node n to lane p[i]. It returns the change in the number of unreadable operands, in n
// and near it.
func (l *layout) apply(n int32, p [4]uint8) (more int) {
	if err := ir.Permute(l.nodes[n].in, p); err != nil {
		return 0
	}
	update := func(m int32) {
		x := &l.nodes[m]
		old := x.cost
		x.cost = l.price(m)
		more += x.cost - old
	}
	update(n)
	for _, m := range l.nodes[n].near {
		update(m)
	}
	return more
}

// restore moves the results of node n back to out. Lanes without a result get the remaining positions, so
// that p is a permutation.
func (l *layout) restore(n int32, out [4]*ir.Value) {
	var p [4]uint8
	used := [4]bool{}
	in := l.nodes[n].in
	for i, v := range in.Out {
		if v != nil {
			p[i] = uint8(slices.Index(out[:], v))
			used[p[i]] = true
		}
	}
	for i, v := range in.Out {
		if v == nil {
			p[i] = uint8(slices.Index(used[:], false))
			used[p[i]] = true
		}
	}
	l.apply(n, p)
}

// inverse returns the permutation that undoes p.
func inverse(p [4]uint8) (q [4]uint8) {
	for i, j := range p {
		q[j] = uint8(i)
	}
	return q
}

// permutations lists, by mask, all permutations except the identity. Among those that move the lanes in mask
// alike, it lists the first one. There are 4 for one lane, 12 for two and 23 for three or four. For one lane
// and for two lanes, one of them moves none of the lanes.
var permutations = func() (all [16][][4]uint8) {
	for mask := range all {
		seen := map[[4]uint8]bool{}
		for n := range 256 {
			p := [4]uint8{uint8(n >> 6), uint8(n >> 4 & 3), uint8(n >> 2 & 3), uint8(n & 3)}
			// A permutation has each lane once.
			if 1<<p[0]|1<<p[1]|1<<p[2]|1<<p[3] != 0xf || p == [4]uint8{0, 1, 2, 3} {
				continue
			}
			moved := p
			for i := range moved {
				if mask>>i&1 == 0 {
					moved[i] = 0
				}
			}
			if !seen[moved] {
				seen[moved], all[mask] = true, append(all[mask], p)
			}
		}
	}
	return all
}()

package vectorize

import "github.com/shaderlift/shaderlift/ir"

// plan is a planned join of two instructions. Nothing changes until the plan is complete. There is one plan,
// reused for each attempt.
type plan struct {
	a, b   int32
	at     int64      // position of the joined instruction
	swap   bool       // the first two operands of b are swapped
	moves  []move     // lanes that are permuted first
	unions [][2]int32 // webs to unite
	reads  []int32    // the temporaries that a and b read
	joined ir.Instr   // the joined instruction, to ask the dialect about
}

// move is a planned permutation of an instruction's lanes.
type move struct {
	in *ir.Instr
	to permutation
}

// source returns source s of b as the joined instruction reads it.
func (pl *plan) source(b *ir.Instr, s int) *ir.Operand {
	if pl.swap && s < 2 {
		s = 1 - s
	}
	return &b.Src[s]
}

// planJoin plans to join node b into node a. It checks all conditions, so commit cannot fail. From the cheapest
// check to the most expensive:
//
//   - the results can be in one register (compatible webs)
//   - there is a position for both in the code (slot)
//   - each source can be read from one register (together)
//   - some order of lanes suits masks and swizzles (arrange)
//   - no value is overwritten before its last reader (undisturbed)
func (p *packer) planJoin(a, b int32, swap bool) bool {
	pl := &p.plan
	pl.a, pl.b, pl.swap = a, b, swap
	pl.moves, pl.unions, pl.reads = pl.moves[:0], pl.unions[:0], pl.reads[:0]
	ia, ib := p.nodes[a].in, p.nodes[b].in
	ra, rb := p.webOf(ia), p.webOf(ib)
	if ra != rb && !p.pinsAgree(ra, rb) {
		return false
	}
	var ok bool
	if pl.at, ok = p.joinPosition(a, b); !ok {
		return false
	}
	for _, in := range [2]*ir.Instr{ia, ib} {
		for s := range in.Src {
			for _, l := range in.Src[s] {
				if l.V != nil && isTemp(l.V) {
					pl.reads = append(pl.reads, int32(l.V.ID))
				}
			}
		}
	}
	for s := range ia.Src {
		if !p.together(&ia.Src[s], pl.source(ib, s)) {
			return false
		}
	}
	return p.arrange(ia, ib) && p.undisturbed(a, b)
}

// pinsAgree reports whether one register can hold both webs: a web pinned to a temporary accepts one without
// a pin.
func (p *packer) pinsAgree(ra, rb int32) bool {
	a, b := p.pin[ra], p.pin[rb]
	temp := func(r ir.Reg) bool { return p.f.Dialect.FileRole(r.File) == ir.RoleTemp }
	return a == b || a == (ir.Reg{}) && temp(b) || b == (ir.Reg{}) && temp(a)
}

// webOf returns the web of the results of in, all of which share one.
func (p *packer) webOf(in *ir.Instr) int32 { return p.valueWeb(firstOut(in)) }

// firstOut returns the value of the first lane of in.
func firstOut(in *ir.Instr) *ir.Value {
	for _, v := range in.Out {
		if v != nil {
			return v
		}
	}
	panic("vectorize: instruction without lanes")
}

// together reports whether two operands can become one, and plans to unite the webs of the temporaries they
// read. Other operands must already share a register: c0.x and c0.y can be c0.xy, c0.x and c1.x cannot.
// Literals are later put together by emission.
func (p *packer) together(oa, ob *ir.Operand) bool {
	la, lb := first(oa), first(ob)
	if la == nil || lb == nil {
		return true
	}
	if !isTemp(la.V) || !isTemp(lb.V) {
		switch {
		case la.V.Kind != lb.V.Kind || isTemp(la.V) != isTemp(lb.V):
			return false
		case la.V.Kind == ir.Result: // indexed
			// The same read of an array: its lanes are lanes of one load.
			return la.V.Def == lb.V.Def
		case la.V.Kind == ir.Literal:
			return true
		}
		return register(la.V.Home) == register(lb.V.Home)
	}
	for _, o := range [2]*ir.Operand{oa, ob} {
		for _, l := range o {
			if l.V != nil && (!isTemp(l.V) || p.valueWeb(l.V) != p.valueWeb(first(o).V)) {
				return false // not in one register now
			}
		}
	}
	return p.valueWeb(la.V) == p.valueWeb(lb.V) || p.unite(la.V, lb.V)
}

// unite plans to put v and w in one register: in free components, or taking turns. If the model cannot read
// every swizzle, the allocator may find no components that suit all readers, so unite declines.
func (p *packer) unite(v, w *ir.Value) bool {
	if !p.swz.CanRead(ir.OpMov, 0, [4]int8{1, 0, -1, -1}) {
		return false
	}
	rv, rw := p.valueWeb(v), p.valueWeb(w)
	// A web takes part in one union of a plan; with more, its free lanes would have to be recounted.
	for _, u := range p.plan.unions {
		if u == [2]int32{rv, rw} {
			return true
		}
		if u[0] == rv || u[1] == rv || u[0] == rw || u[1] == rw {
			return false
		}
	}
	if p.pin[rv] != p.pin[rw] {
		return false
	}
	if p.lanes[rv]&p.lanes[rw] == 0 || p.evade(w, p.lanes[rv]) || p.evade(v, p.lanes[rw]) || p.takeTurns(rv, rw) {
		p.plan.unions = append(p.plan.unions, [2]int32{rv, rw})
		return true
	}
	return false
}

// evade plans to move the definition of v out of the given lanes, if its operands and all its readers can
// still be read. The first arrangement is the identity, which never helps.
func (p *packer) evade(v *ir.Value, taken uint8) bool {
	in := v.Def
	if !p.movable(in, p.valueWeb(v)) {
		return false
	}
	pl := &p.plan
	for _, to := range arrangements[in.Mask()][1:] {
		if to.apply(in.Mask())&taken != 0 {
			continue
		}
		pl.moves = append(pl.moves, move{in, to})
		pl.begin(in)
		if pl.overlay(in, to, false) && p.legal(&pl.joined) && p.readersFit(in) {
			return true
		}
		pl.moves = pl.moves[:len(pl.moves)-1]
	}
	return false
}

// movable reports whether the lanes of in, whose web is root, may be permuted.
func (p *packer) movable(in *ir.Instr, root int32) bool {
	return in != nil && p.solo[root] && p.pin[root] == (ir.Reg{}) && joinable(in) &&
		in.Op.HasFormula() && in.Op.Info().Shape != ir.Positional
}

// commit carries out the plan, and updates graph and webs: first the moves of operands, then the two
// instructions, then the webs.
func (p *packer) commit() {
	pl := &p.plan
	a, b := &p.nodes[pl.a], &p.nodes[pl.b]
	ra, rb := p.webOf(a.in), p.webOf(b.in)
	for _, m := range pl.moves {
		must(ir.Permute(m.in, m.to))
		p.settle(m.in, firstOut(m.in).Home)
		p.lanes[p.webOf(m.in)] = m.in.Mask()
	}
	if pl.swap {
		b.in.Src[0], b.in.Src[1] = b.in.Src[1], b.in.Src[0]
	}
	home := firstOut(a.in).Home
	must(ir.Join(a.in, b.in))
	a.in.TakeIn(b.in, joined)
	p.settle(a.in, home)
	for _, u := range pl.unions {
		if v, w := p.value[u[0]], p.value[u[1]]; p.solo[u[1]] {
			p.settle(w.Def, v.Home)
		} else if p.solo[u[0]] {
			p.settle(v.Def, w.Home)
		}
		p.union(u[0], u[1])
	}
	if ra, rb = p.rep(ra), p.rep(rb); ra != rb {
		solo := p.solo[ra] && p.solo[rb]
		p.union(ra, rb)
		p.solo[ra] = solo
	}
	// Values that are read at the new position live until then.
	for _, v := range pl.reads {
		p.last[v] = max(p.last[v], pl.at)
	}
	b.into = pl.a
	a.at = pl.at
	a.loads = a.loads || b.loads
}

// settle sets the register hints of the results of in to one register.
func (p *packer) settle(in *ir.Instr, home ir.Reg) {
	for i, v := range in.Out {
		if v != nil {
			v.Home = ir.Reg{File: home.File, Index: home.Index, Comp: uint8(i)}
		}
	}
}

// must panics if a checked plan fails; the manager then reverts the pass.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

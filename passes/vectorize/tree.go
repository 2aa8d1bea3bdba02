package vectorize

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// planPacks packs the instructions of seed, and the instructions above them where that pays. It reports whether
// that gains anything; apply then makes the change.
func (g *packGraph) planPacks(seed []int32) bool {
	for _, p := range g.packs {
		for _, i := range p {
			g.in[i] = -1
		}
	}
	g.packs = g.packs[:0]
	clear(g.swapped)
	return g.growPacks(seed)
}

// growPacks packs the instructions of list, and then the definitions of their operands. It returns false if that
// takes more moves than it saves. A pack above that is impossible is only left out.
func (g *packGraph) growPacks(list []int32) bool {
	sources := len(g.code[list[0]].Src)
	for _, i := range list[1:] {
		g.match(list[0], i)
	}
	// Each member but the first saves a slot; operands in several registers cost it again.
	moves := 0
	for s := range sources {
		moves += g.moves(list, s)
	}
	if moves >= len(list)-1 {
		return false
	}
	for _, i := range list {
		g.in[i] = int32(len(g.packs))
	}
	g.packs = append(g.packs, list)
	if g.order = g.packOrder(); g.order == nil {
		g.packs = g.packs[:len(g.packs)-1]
		for _, i := range list {
			g.in[i] = -1
		}
		return false
	}
	for s := range sources {
		if above := g.above(list, s); above != nil {
			g.growPacks(above)
		}
	}
	return true
}

// source returns source s of instruction i.
func (g *packGraph) source(i int32, s int) ir.Lane {
	if g.swapped[i] && s < 2 {
		s = 1 - s
	}
	return singleLane(&g.code[i].Src[s])
}

// match swaps the first two operands of instruction k if they commute and then resemble those of instruction
// i more.
func (g *packGraph) match(i, k int32) {
	if !g.code[i].Op.Has(ir.Commutes) {
		return
	}
	like := func(s, t int) int {
		x, y := g.source(i, s), g.source(k, t)
		switch {
		case x == y:
			return 3
		case x.Mod != y.Mod:
			return -9 // never together
		case x.V == nil || y.V == nil || x.V.Kind != y.V.Kind:
			return 0
		case x.V.Def != nil && y.V.Def != nil && x.V.Def.Op == y.V.Def.Op:
			return 2
		}
		return 1
	}
	if like(0, 1)+like(1, 0) > like(0, 0)+like(1, 1) {
		g.swapped[k] = !g.swapped[k]
	}
}

// above lists the definitions of source s of the instructions of list, if they are congruent.
func (g *packGraph) above(list []int32, s int) (above []int32) {
	for _, i := range list {
		v := g.source(i, s).V
		if v == nil || v.Def == nil {
			return nil
		}
		k, ok := g.at[v.Def]
		if !ok || g.code[k] != v.Def || g.in[k] >= 0 || !g.independent(above, k) || !g.sameOperation(k, append(above, k)[0]) {
			return nil
		}
		above = append(above, k)
	}
	return above
}

// moves returns the moves that bring source s of all of list into one register: one for each place that holds
// a value which was not computed for it.
func (g *packGraph) moves(list []int32, s int) int {
	type place struct {
		reg  ir.Reg
		def  *ir.Instr
		pack int32
	}
	var places []place
	here := 0 // some source is computed for it
	var mod ir.LaneMod
	for n, i := range list {
		l := g.source(i, s)
		if n == 0 {
			mod = l.Mod
		} else if mod != l.Mod {
			return len(list)
		}
		k, inside := int32(0), false
		if l.V != nil && l.V.Def != nil {
			k, inside = g.at[l.V.Def]
		}
		switch v := l.V; {
		case v == nil || v.Kind == ir.Literal || v.Kind == ir.Undef:
		case inside && g.in[k] < 0 && packable(v.Def):
			here = 1
		default:
			p := place{pack: -1}
			switch {
			case inside && g.in[k] >= 0:
				p.pack = g.in[k]
			case v.Def != nil:
				p.def = v.Def
			default:
				p.reg = v.Home
				p.reg.Comp = 0
			}
			if !slices.Contains(places, p) {
				places = append(places, p)
			}
		}
	}
	if len(places)+here == 1 {
		return 0
	}
	return len(places)
}

// shape identifies packs with equal savings and moves: their operations, the number of members, and the moves
// for operands.
func (g *packGraph) shape() string {
	var b []byte
	for _, p := range g.packs {
		in := g.code[p[0]]
		b = append(b, byte(in.Op), byte(len(p)))
		for s := range in.Src {
			b = append(b, byte(g.moves(p, s)))
		}
	}
	return string(b)
}

// apply makes the packs of g in r, a copy of the code of g. It returns false if instructions cannot be
// joined.
func (g *packGraph) apply(r *ir.Region) bool {
	for i, in := range r.Code {
		if g.swapped[i] {
			in.Src[0], in.Src[1] = in.Src[1], in.Src[0]
		}
	}
	for _, p := range g.packs {
		align(r.Code, p, func(in *ir.Instr) bool { return single(in) && !g.packed(in, r) })
	}
	code := make([]*ir.Instr, 0, len(r.Code))
	for _, i := range g.order {
		if p := g.in[i]; p < 0 || i == g.packs[p][0] {
			code = append(code, r.Code[i])
		}
	}
	for _, p := range g.packs {
		all := r.Code[p[0]]
		for _, i := range p[1:] {
			if ir.Join(all, r.Code[i]) != nil {
				return false
			}
			all.TakeIn(r.Code[i], packed)
		}
		all.Orig = -1
	}
	r.Code = code
	return true
}

// packed reports whether in, of r, is in a pack.
func (g *packGraph) packed(in *ir.Instr, r *ir.Region) bool {
	for _, p := range g.packs {
		for _, i := range p {
			if r.Code[i] == in {
				return true
			}
		}
	}
	return false
}

// align moves the results of p to the component that each is packed for, and the results of their operands
// that may move. It sets register hints for emission.
func align(code []*ir.Instr, p []int32, may func(*ir.Instr) bool) {
	var home ir.Reg
	for lane, i := range p {
		in := code[i]
		moveToLane(in, lane)
		for s := range in.Src {
			if v := singleLane(&in.Src[s]).V; v != nil && v.Def != nil && may(v.Def) {
				moveToLane(v.Def, lane)
			}
		}
		if lane == 0 {
			home = in.Out[0].Home
		}
		in.Out[lane].Home = ir.Reg{File: home.File, Index: home.Index, Comp: uint8(lane)}
	}
}

// single reports whether in computes one component, which may be any.
func single(in *ir.Instr) bool {
	m := in.Mask()
	return m != 0 && m&(m-1) == 0 && in.Op.HasFormula() && in.Op.Info().Shape != ir.Positional &&
		!in.IsPredicated() && len(in.Sub) == 0 && !in.Op.Has(ir.Special)
}

// packable reports whether in, which computes a single component, could share one instruction with others.
func packable(in *ir.Instr) bool {
	return single(in) && in.Op.Info().Shape == ir.Lanewise && !in.Op.Has(ir.Convergent)
}

// moveToLane makes in compute component lane.
func moveToLane(in *ir.Instr, lane int) {
	from := 0
	for in.Out[from] == nil {
		from++
	}
	to := [4]uint8{0, 1, 2, 3}
	to[from], to[lane] = uint8(lane), uint8(from)
	if ir.Permute(in, to) == nil {
		in.Out[lane].Home.Comp = uint8(lane)
	}
}

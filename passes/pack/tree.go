package pack

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// plan packs the instructions of seed, and those above them where that pays. It reports
// whether there is something to be gained; apply then makes it.
func (g *graph) plan(seed []int32) bool {
	for _, p := range g.packs {
		for _, i := range p {
			g.in[i] = -1
		}
	}
	g.packs = g.packs[:0]
	clear(g.swapped)
	return g.grow(seed)
}

// grow packs the instructions of list, and then what computes their operands. It
// reports false if that takes more moves than it saves. Above, a pack that cannot be
// made is only left out.
func (g *graph) grow(list []int32) bool {
	sources := len(g.code[list[0]].Src)
	for _, i := range list[1:] {
		g.match(list[0], i)
	}
	// Members save a slot each but for the first; operands that are in several places
	// take it back.
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
	if g.order = g.sort(); g.order == nil {
		g.packs = g.packs[:len(g.packs)-1]
		for _, i := range list {
			g.in[i] = -1
		}
		return false
	}
	for s := range sources {
		if above := g.above(list, s); above != nil {
			g.grow(above)
		}
	}
	return true
}

// source is what instruction i reads as number s.
func (g *graph) source(i int32, s int) ir.Lane {
	if g.swapped[i] && s < 2 {
		s = 1 - s
	}
	return only(&g.code[i].Src[s])
}

// match swaps the first two operands of instruction k where that makes them more like
// those of instruction i, as they commute.
func (g *graph) match(i, k int32) {
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

// above lists what computes source s of the instructions of list, if that is alike.
func (g *graph) above(list []int32, s int) (above []int32) {
	for _, i := range list {
		v := g.source(i, s).V
		if v == nil || v.Def == nil {
			return nil
		}
		k, ok := g.at[v.Def]
		if !ok || g.code[k] != v.Def || g.in[k] >= 0 || !g.independent(above, k) || !g.same(k, append(above, k)[0]) {
			return nil
		}
		above = append(above, k)
	}
	return above
}

// moves counts what it takes to have source s of all of list in one register: a move for each
// place where something is that was not computed for it.
func (g *graph) moves(list []int32, s int) int {
	type place struct {
		reg  ir.Reg
		def  *ir.Instr
		pack int32
	}
	var places []place
	here := 0 // it is computed there
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

// shape tells packs apart that save or move more than others: their operations, how many are in
// each, and what it takes to bring operands together.
func (g *graph) shape() string {
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

// apply makes the packs of g in r, the same code as that of g. It reports false where
// instructions cannot be joined.
func (g *graph) apply(r *ir.Region) bool {
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
func (g *graph) packed(in *ir.Instr, r *ir.Region) bool {
	for _, p := range g.packs {
		for _, i := range p {
			if r.Code[i] == in {
				return true
			}
		}
	}
	return false
}

// align has the instructions of p, and what they read of those that may, compute the
// component that each is packed for. Homes say so to emission.
func align(code []*ir.Instr, p []int32, may func(*ir.Instr) bool) {
	var home ir.Reg
	for lane, i := range p {
		in := code[i]
		move(in, lane)
		for s := range in.Src {
			if v := only(&in.Src[s]).V; v != nil && v.Def != nil && may(v.Def) {
				move(v.Def, lane)
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

// packable reports whether operations of the kind of in, which computes a single component,
// could be one instruction.
func packable(in *ir.Instr) bool {
	return single(in) && in.Op.Info().Shape == ir.Lanewise && !in.Op.Has(ir.Convergent)
}

// move has in compute component lane.
func move(in *ir.Instr, lane int) {
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

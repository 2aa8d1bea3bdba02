package codemotion

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// bin is an interpolated register (interpolator) with the lanes it carries. Packing candidates is bin packing
// with sharing: two candidates with equal lanes in one register take them once.
type bin struct {
	ir.Varying
	lanes [4]ir.Lane // by component; V nil is free
	added bool       // a new register
	fixed bool       // not interpolated linearly: accepts constants only
	fresh [4]bool    // components that motion fills
	// unread are the lanes of components that become unread.
	unread [4]ir.Lane
	zero   ir.Lane
}

// freeInterpolators lists the registers that may carry moved values: registers in use that have free components, then
// unused ones. A component of a register in use is free if the vertex program does not write it and the pixel
// program does not read it. In dense mode it is also free if nothing reads it once cs have moved.
func (m *mover) freeInterpolators(cs []*candidate) []*bin {
	var list []*bin
	var unread map[ir.Reg]bool
	if m.dense {
		unread = m.savings.unread(cs)
	}
	zero := ir.Lane{V: m.pixel.Const(0)}
	for _, v := range m.link.Links {
		if m.separate || !v.Linear && !slices.ContainsFunc(cs, func(c *candidate) bool { return c.fixed }) || v.Half || v.Shared ||
			v.Out.File == 0 {
			continue
		}
		b := &bin{Varying: ir.Varying{Out: v.Out, In: v.In}, fixed: !v.Linear, zero: zero}
		for c := range uint8(4) {
			in, out := v.In, v.Out
			in.Comp, out.Comp = c, c
			if m.vertex.OutputValue(out) != nil || m.reads[in] {
				b.lanes[c] = ir.Lane{V: m.pixel.Leaf(ir.Input, in)}
				if unread[in] && slices.Contains(m.link.Outputs, v.Out) {
					b.lanes[c], b.unread[c] = ir.Lane{}, b.lanes[c]
				}
			}
		}
		list = append(list, b)
	}
	for _, v := range m.link.Free {
		list = append(list, &bin{Varying: v, added: true, zero: zero})
	}
	return list
}

// fill is the slot assignment of a candidate: operand lane k is in component comp[k] of bin.
type fill struct {
	bin  *bin
	comp [4]uint8
	// moves is the number of operands that need a move to read the candidate there.
	moves int
}

// packCandidates puts every candidate into a bin; ok is false if they do not all fit. Candidates share lanes that a bin
// carries already. Components are filled from x on, so that output masks have no holes. It is best fit: first
// candidates that demand certain components, then wide ones, since narrow ones fit anywhere.
func (m *mover) packCandidates(cs []*candidate) (fills []fill, bins []*bin, ok bool) {
	bins = m.freeInterpolators(cs)
	fills, ok = m.packInto(cs, bins)
	return fills, bins, ok
}

func (m *mover) packInto(cs []*candidate, bins []*bin) (fills []fill, ok bool) {
	fills = make([]fill, len(cs))
	r := newReader(m)
	var saves []int
	if m.dense {
		saves = m.savings.contributions(cs)
	}
	if m.gather {
		gathered(cs, bins, fills, r)
	}
	// Candidates that demand components first, then the wide ones.
	for _, phase := range []func(*candidate) bool{
		func(c *candidate) bool { return c.whole },
		func(c *candidate) bool { return !c.whole && len(c.distinct()) > 2 },
		func(c *candidate) bool { return !c.whole && len(c.distinct()) <= 2 },
	} {
		for i, c := range cs {
			if fills[i].bin != nil || !phase(c) {
				continue
				// A candidate that does not fit may be reversed for one move, if it saves more than one slot.
			}
			to, turned := m.fittest(bins, c, !c.whole, r)
			if to == nil && m.dense && c.whole && saves[i] > 1 {
				to, turned = m.fittest(bins, c, true, r)
			}
			if to == nil {
				return nil, false
			}
			fills[i] = to.placeCandidate(c, turned, r)
		}
	}
	return fills, true
}

// gathered packs narrow candidates into one register if operands of the same kind read them. One instruction
// can then do the work of several. It uses registers that carry nothing else.
func gathered(cs []*candidate, bins []*bin, fills []fill, r *reader) {
	type kind struct {
		op  ir.Op
		src int
	}
	siblings := map[kind][]int{}
	var kinds []kind
	for i, c := range cs {
		if in := c.uses[0].in; in != nil && !c.whole && len(c.distinct()) <= 2 {
			k := kind{in.Op, c.uses[0].src}
			if siblings[k] == nil {
				kinds = append(kinds, k)
			}
			siblings[k] = append(siblings[k], i)
		}
	}
	for _, k := range kinds {
		all := siblings[k]
		to := slices.IndexFunc(bins, func(b *bin) bool { return b.added && b.lanes == [4]ir.Lane{} })
		if len(all) < 3 || to < 0 {
			continue
		}
		for _, i := range all {
			if _, ok := bins[to].accepts(cs[i], false, false, r); ok {
				fills[i] = bins[to].placeCandidate(cs[i], false, r)
			}
		}
	}
}

// misplaced is larger than the number of components that any candidate takes.
const misplaced = 6

// fittest returns the bin in which c takes the fewest free components, or nil. With spread, it prefers bins
// where each component is at the position where it is read: R300 moves coordinates and others that are
// elsewhere. With turns, it also tries the reverse order of components (turned).
func (m *mover) fittest(bins []*bin, c *candidate, turns bool, r *reader) (to *bin, turned bool) {
	cost := math.MaxInt
	for _, b := range bins {
		if n, ok := b.accepts(c, false, m.spread, r); ok && n < cost {
			to, turned, cost = b, false, n
		}
	}
	// In another order, instructions may read the lanes without moves, or at all.
	if turns && cost >= misplaced && !m.spread {
		for _, b := range bins {
			if n, ok := b.accepts(c, true, m.spread, r); ok && n < cost {
				to, turned, cost = b, true, n
			}
		}
	}
	return to, turned
}

// accepts returns how many free components c would take in b.
func (b *bin) accepts(c *candidate, turned, spread bool, r *reader) (n int, ok bool) {
	trial := *b
	f := fill{bin: b}
	if !trial.tryPlace(c, turned, &f) {
		return 0, false
	}
	for k := range trial.lanes {
		if trial.lanes[k].V != nil && b.lanes[k].V == nil {
			n++
		}
	}
	n += misplaced * r.moves(c, &f)
	switch {
	case spread:
		for k, l := range c.lanes {
			if l.V != nil && f.comp[k] != uint8(k) {
				return n + misplaced, true
			}
		}
	case b.added && b.lanes == ([4]ir.Lane{}):
		n++ // prefer registers that are in use
	}
	return n, true
}

// placeCandidate places c, which must fit (accepts).
func (b *bin) placeCandidate(c *candidate, turned bool, r *reader) fill {
	f := fill{bin: b}
	b.tryPlace(c, turned, &f)
	f.moves = r.moves(c, &f)
	r.placed(c, &f)
	return f
}

// tryPlace places the lanes of c; f, if not nil, gets the components. A candidate may be placed reversed
// (turned), because all models read .wzyx. If its components are fixed, one move puts it right.
func (b *bin) tryPlace(c *candidate, turned bool, f *fill) bool {
	if c.fixed != b.fixed {
		return false
	}
	for i, l := range c.lanes {
		if l.V == nil {
			continue
		}
		at, want := -1, i
		if turned {
			want = 3 - i
		}
		for k := range b.lanes {
			if b.lanes[k] == l && (!c.whole || k == want) {
				at = k
				break
			}
		}
		if at < 0 {
			for j := range b.lanes {
				k := j
				if turned { // from w on
					k = 3 - j
				}
				if b.lanes[k].V == nil && (!c.whole || k == want) {
					at = k
					break
				}
			}
			if at < 0 || b.fixed && !isUnit(l) {
				return false
			}
			b.lanes[at], b.fresh[at] = l, true
		}
		if f != nil {
			f.comp[i] = uint8(at)
		}
	}
	b.pad()
	return true
}

// pad fills free components below one that motion filled with zero. The written components of an output must
// be x, xy, xyz or xyzw ("oT#", in the register pages of the models below 3.0). A component that is no longer
// read keeps its value.
func (b *bin) pad() {
	last := 3
	for last >= 0 && !b.fresh[last] {
		last--
	}
	for k := range b.lanes[:last+1] {
		if b.lanes[k].V == nil && b.unread[k].V == nil {
			b.lanes[k], b.fresh[k] = b.zero, true
		}
	}
}

// linked maps a pixel input component to the vertex output component that it is interpolated from.
func linked(l *ir.Linkage, in ir.Reg) (out ir.Reg, linear bool) {
	comp := in.Comp
	in.Comp = 0
	for _, v := range l.Links {
		if v.In == in {
			v.Out.Comp = comp
			return v.Out, v.Linear && !v.Shared
		}
	}
	return ir.Reg{}, false
}

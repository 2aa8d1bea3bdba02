package codemotion

import (
	"math"
	"math/bits"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

// join moves the components of registers into free components of other registers, if that costs no more. Registers
// that hold some of the same values come first, then those that fill a register: with registers of one to four
// components this leaves the fewest registers.
//
//	o1.xy = (u, v), o2.xyz = (u, v, w)      o2.xyz = (u, v, w)
//	o3.xy = a, o4.xy = b                    o3 = (a, b)
func join(c *passes.Ctx, u *passes.Unit) error {
	link, err := u.Stages.Link(u.Varyings...)
	if err != nil || c.Measure == nil || indexesInputs(u.Pixel, link) || hasGap(u.Vertex, link.Dense) {
		return err
	}
	var cost *passes.Cost // of u
	// A coordinate that a fetch reads below 3.0 cannot move: it would take a move of its own.
	failed := map[[2]ir.Reg]bool{}
	fetched := map[ir.Reg]bool{}
	u.Pixel.Walk(func(in *ir.Instr) {
		if link.Whole && in.Op.Has(ir.IsFetch) {
			in.Src[0].EachLane(func(_ int, l *ir.Lane) {
				at := l.V.Home
				at.Comp = 0
				fetched[at] = fetched[at] || l.V.Kind == ir.Input
			})
		}
	})
	for {
		p := bestPlacement(c, u, link, failed, fetched)
		if p == nil {
			return nil
		}
		failed[[2]ir.Reg{p.a.In, p.b.In}] = true
		if cost == nil {
			now, err := c.Measure(u)
			if err != nil {
				return err
			}
			cost = &now
		}
		t, now := p.try(c, u, link, *cost)
		if t == nil {
			continue
		}
		if !c.ShouldRewrite(nil, "outputs-joined",
			"output "+ir.RegisterName(u.Vertex.Dialect, p.a.Out)+" also holds "+ir.RegisterName(u.Vertex.Dialect, p.b.Out)) {
			return nil
		}
		c.Adopt(u, t)
		*cost = now
		clear(failed)
	}
}

// bestPlacement returns the best placement of two registers that has not failed, or nil. Registers in fetched stay.
func bestPlacement(c *passes.Ctx, u *passes.Unit, l *ir.Linkage, failed map[[2]ir.Reg]bool,
	fetched map[ir.Reg]bool) (best *placement) {
	reads := Reads(u.Pixel)
	for i, a := range l.Links {
		for k, b := range l.Links {
			if i == k || failed[[2]ir.Reg{a.In, b.In}] || fetched[b.In] || !slices.Contains(l.Outputs, a.Out) ||
				!slices.Contains(l.Outputs, b.Out) {
				continue
			}
			p := newPlacement(u, a, b, reads, c.Allows(passes.Bits, &ir.Instr{}), false)
			if p != nil && (best == nil || p.worth > best.worth) {
				best = p
			}
		}
	}
	return best
}

// try returns a copy of u in which register a also holds b, with its cost, or nil if it costs more. Below 3.0 it also
// tries the reverse order of the components, because these models have few swizzles.
func (p *placement) try(c *passes.Ctx, u *passes.Unit, l *ir.Linkage, cost passes.Cost) (*passes.Unit, passes.Cost) {
	for p != nil {
		t := c.Trial(u)
		if p.applyDense(t, l) {
			if now, err := c.Measure(t); err == nil && !cost.Less(now) {
				return t, now
			}
		}
		if p.turned || !l.Whole {
			break
		}
		p = newPlacement(u, p.a, p.b, Reads(u.Pixel), c.Allows(passes.Bits, &ir.Instr{}), true)
	}
	return nil, cost
}

// placement maps the components of register b that are read to components of register a.
type placement struct {
	a, b   ir.Link
	comp   [4]int8 // by component of b, -1 if it is not read
	fresh  uint8   // components of b that a does not hold yet
	turned bool
	// worth orders placements: the number of components that both hold counts most, then the number that a holds in
	// the end, then the number that stay in place.
	worth int
}

// newPlacement returns a placement, or nil if a has no room or nothing reads both registers. For each component of b
// that is read it prefers a component of a with the same value, then the lowest free one, or if turned the one for
// which .wzyx reads it.
func newPlacement(u *passes.Unit, a, b ir.Link, reads map[ir.Reg]bool, exact, turned bool) *placement {
	if !a.Linear || !b.Linear || a.Shared || b.Shared || a.Out.File == 0 || b.Out.File == 0 || a.Half || b.Half {
		return nil
	}
	p := &placement{a: a, b: b, turned: turned}
	at := func(r ir.Reg, k int) ir.Reg {
		r.Comp = uint8(k)
		return r
	}
	var held [4]*ir.Value // by component of a
	var taken, placed uint8
	for k := range held {
		if reads[at(a.In, k)] {
			held[k] = u.Vertex.OutputValue(at(a.Out, k))
			taken |= 1 << k
		}
	}
	kept := bits.OnesCount8(taken)
	for k := range p.comp {
		if p.comp[k] = -1; !reads[at(b.In, k)] {
			continue
		}
		v := u.Vertex.OutputValue(at(b.Out, k))
		if v == nil {
			return nil
		}
		to, has := -1, false
		// Prefer the component that holds the value, else the lowest that is free.
		for j := len(held) - 1; j >= 0; j-- {
			switch {
			case held[j] != nil && source(ir.Lane{V: held[j]}, exact) == source(ir.Lane{V: v}, exact):
				to, has = j, true
			case taken>>j&1 == 0 && !has && (!turned || j == 3-k):
				to = j
			}
		}
		if to < 0 {
			return nil
		}
		if !has {
			p.fresh |= 1 << k
		}
		p.comp[k], held[to] = int8(to), v
		taken, placed = taken|1<<to, placed|1<<k
	}
	if kept == 0 || placed == 0 {
		return nil
	}
	p.worth = 25*bits.OnesCount8(placed&^p.fresh) + 5*bits.OnesCount8(taken) + kept
	return p
}

// applyDense places the components in u and, in the dense file, moves the highest output to the empty one. It reports
// whether that was possible.
func (p *placement) applyDense(u *passes.Unit, l *ir.Linkage) bool {
	p.apply(u)
	if high := highestRead(l, Reads(u.Pixel)); p.b.Out.File == l.Dense && high.Out.Index > p.b.Out.Index {
		if !high.Linear || high.Shared || high.Half {
			return false
		}
		rename(u, high, &p.b)
	}
	return true
}

// apply places the components in u.
func (p *placement) apply(u *passes.Unit) {
	to := map[*ir.Value]ir.Lane{}
	var outs []ir.Output
	for k, j := range p.comp {
		if j < 0 {
			continue
		}
		in, from, now := p.a.In, p.b.In, p.b.Out
		in.Comp, from.Comp, now.Comp = uint8(j), uint8(k), uint8(k)
		to[u.Pixel.Leaf(ir.Input, from)] = ir.Lane{V: u.Pixel.Leaf(ir.Input, in)}
		if p.fresh>>k&1 != 0 {
			o := u.Vertex.Outs[slices.IndexFunc(u.Vertex.Outs, func(o ir.Output) bool { return o.Reg == now })]
			o.Reg = p.a.Out
			o.Reg.Comp = uint8(j)
			outs = append(outs, o)
		}
	}
	u.Pixel.Replace(to)
	setOutputs(u.Vertex, outs)
	u.Vertex.Outs = slices.DeleteFunc(u.Vertex.Outs, func(o ir.Output) bool {
		return o.Reg.File == p.b.Out.File && o.Reg.Index == p.b.Out.Index
	})
	cleanup.Sweep(u.Vertex)
}

// indexesInputs reports whether f reads linked inputs through an index.
func indexesInputs(f *ir.Func, link *ir.Linkage) (found bool) {
	f.Walk(func(in *ir.Instr) {
		found = found || in.Op == ir.OpLoad &&
			slices.ContainsFunc(link.Links, func(l ir.Link) bool { return l.In.File == in.Base.File })
	})
	return found
}

// source follows moves to the lane that a value is a copy of. With bits, products with 1 count as moves,
// since only the bits must stay. It stops at a load, because its source is unknown.
func source(l ir.Lane, bits bool) ir.Lane {
	for l.V.Def != nil {
		in, lane := l.V.Def, l.V.Lane
		from := ir.Lane{}
		one := func(s int) bool {
			x := in.Src[s][lane]
			return bits && x.V.Kind == ir.Literal && x.Mod.Apply(x.V.Bits) == math.Float32bits(1)
		}
		switch {
		case in.Mods != 0 || in.IsPredicated():
		case in.Op == ir.OpMov:
			from = in.Src[0][lane]
		case in.Op == ir.OpMul && one(0):
			from = in.Src[1][lane]
		case in.Op == ir.OpMul && one(1):
			from = in.Src[0][lane]
		}
		if from.V == nil || from.V.IsLoaded() {
			break
		}
		l = ir.Lane{V: from.V, Mod: from.Mod.ComposeWith(l.Mod)}
	}
	return l
}

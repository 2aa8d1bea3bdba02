package codemotion

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

// overlap merges registers that hold some of the same values, if that costs no more. The pixel program then
// reads the values of the second register from the first. Missing values go into free components of the
// first. Below 3.0 coordinates have to stay in the components they are read from.
//
//	o1.xy = (u, v), o2.xyz = (u, v, w)      o1.xyz = (u, v, w): one interpolator less
func overlap(c *passes.Ctx, u *passes.Unit) error {
	link, err := u.Stages.Link(u.Varyings...)
	if err != nil || link.Whole || c.Measure == nil || indexesInputs(u.Pixel) {
		return err
	}
	var cost *passes.Cost // of u
	reads := Reads(u.Pixel)
	// Each pair of registers is tried once. A merged pair is kept if it costs no more, and the search
	// continues from there.
	for i, b := range link.Links {
		for _, a := range link.Links[:i] {
			if !slices.Contains(link.Outputs, b.Out) {
				continue
			}
			p := newPlacement(u, a, b, reads, c.Allows(passes.Bits, &ir.Instr{}))
			if p == nil {
				continue
			}
			if cost == nil {
				now, err := c.Measure(u)
				if err != nil {
					return err
				}
				cost = &now
			}
			t := c.Trial(u)
			p.apply(t)
			now, err := c.Measure(t)
			// Equal cost counts: a free register is room for other values.
			if err != nil || cost.Less(now) {
				continue
			}
			if !c.ShouldRewrite(nil, "outputs-joined",
				"output "+ir.RegisterName(u.Vertex.Dialect, a.Out)+" also holds "+ir.RegisterName(u.Vertex.Dialect, b.Out)) {
				return nil
			}
			c.Adopt(u, t)
			*cost = now
			reads = Reads(u.Pixel)
			break
		}
	}
	return nil
}

// placement maps the components of register b that are read to components of register a.
type placement struct {
	a, b  ir.Link
	comp  [4]int8 // by component of b, -1 if it is not read
	fresh uint8   // components of b that a does not hold yet
}

// newPlacement returns a placement that shares at least one component, or nil. For each component of b that
// is read it prefers a component of a with the same value, then a free one.
func newPlacement(u *passes.Unit, a, b ir.Link, reads map[ir.Reg]bool, bits bool) *placement {
	if !a.Linear || !b.Linear || a.Shared || b.Shared || a.Out.File == 0 || b.Out.File == 0 || a.Half || b.Half {
		return nil
	}
	p := &placement{a: a, b: b}
	at := func(r ir.Reg, k int) ir.Reg {
		r.Comp = uint8(k)
		return r
	}
	var held [4]*ir.Value // by component of a
	var taken [4]bool
	for k := range held {
		held[k] = u.Vertex.OutputValue(at(a.Out, k))
		taken[k] = held[k] != nil || reads[at(a.In, k)]
	}
	// shared: a already holds some component of b.
	shared := false
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
			case held[j] != nil && source(ir.Lane{V: held[j]}, bits) == source(ir.Lane{V: v}, bits):
				to, has = j, true
			case !taken[j] && !has:
				to = j
			}
		}
		if to < 0 {
			return nil
		}
		if !has {
			p.fresh |= 1 << k
		}
		shared = shared || has
		p.comp[k], held[to], taken[to] = int8(to), v, true
	}
	if !shared {
		return nil
	}
	return p
}

// apply places the components in u.
func (p *placement) apply(u *passes.Unit) {
	to := map[*ir.Value]ir.Lane{}
	var outs []ir.Output
	for k, j := range p.comp {
		if j < 0 {
			continue
		}
		in, from, out, now := p.a.In, p.b.In, p.a.Out, p.b.Out
		in.Comp, from.Comp, out.Comp, now.Comp = uint8(j), uint8(k), uint8(j), uint8(k)
		to[u.Pixel.Leaf(ir.Input, from)] = ir.Lane{V: u.Pixel.Leaf(ir.Input, in)}
		if p.fresh>>k&1 != 0 {
			outs = append(outs, ir.Output{Reg: out, V: u.Vertex.OutputValue(now)})
		}
	}
	u.Pixel.Replace(to)
	setOutputs(u.Vertex, outs)
	u.Vertex.Outs = slices.DeleteFunc(u.Vertex.Outs, func(o ir.Output) bool {
		return o.Reg.File == p.b.Out.File && o.Reg.Index == p.b.Out.Index
	})
	cleanup.Sweep(u.Vertex)
}

// indexesInputs reports whether f reads inputs through an index.
func indexesInputs(f *ir.Func) (found bool) {
	f.Walk(func(in *ir.Instr) {
		found = found || in.Op == ir.OpLoad && f.Dialect.FileRole(in.Base.File) != ir.RoleTemp
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

package codemotion

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// A pixel program that is drawn with one of several vertex programs reads the same registers with each of
// them. Motion must therefore go into all vertex programs, to registers that are free in all of them. A
// vertex program that is drawn with other pixel programs too may already write values for them that this one
// can read.

// Partner is a vertex program and the pixel program of a group, as one unit. Its varyings are those of either
// program, in the order of the pixel program's.
type Partner struct {
	*passes.Unit
	// Taken are components of the vertex program's outputs that other pixel programs read.
	Taken map[ir.Reg]bool
}

// Together runs [Pass] on a pixel program with several partners, which share that program. It changes all of
// them, or none. measure prices them, the pixel program once. A candidate must be movable into every partner.
// The same components must be free in each, though the output registers may differ where semantics link them.
func Together(c *passes.Ctx, partners []Partner, measure func([]Partner) (passes.Cost, error)) error {
	for _, mirrored := range []bool{true, false} {
		if mirrored && !c.HostMirrored {
			continue
		}
		g := &group{partners: partners, measure: measure}
		for _, p := range partners {
			m := &mover{ctx: c, unit: p.Unit, mirrored: mirrored, parts: c.Bool("parts")}
			if err := m.prepare(p.Unit); err != nil {
				return err
			}
			g.movers = append(g.movers, m)
		}
		if done, err := g.run(); done || err != nil {
			return err
		}
	}
	return nil
}

// group is a pixel program and its partners.
type group struct {
	// partners are the caller's units; only commit changes them, at the end. measure prices all partners
	// together, the pixel program once.
	partners []Partner
	measure  func([]Partner) (passes.Cost, error)
	// movers are the analyses of each partner, with the movable values that all share.
	movers []*mover
	*mover // the first of them
	// images are the values of each vertex program that equal pixel values.
	images []*valueNumbers
}

// run searches as [mover.search] does, with the checks for all partners.
func (g *group) run() (done bool, err error) {
	g.mover = g.movers[0]
	// A value moves only if every partner can compute it.
	for id := range g.movable {
		for _, m := range g.movers[1:] {
			g.movable[id] = g.movable[id] && m.movable[id]
		}
	}
	for _, m := range g.movers {
		m.movable = g.movable
		g.images = append(g.images, newImages(m))
	}
	pick := g.promising(g.candidates())
	if len(pick) == 0 {
		return false, nil
	}
	defer func() {
		for _, m := range g.movers {
			m.settle()
		}
	}()
	before, err := g.measure(g.partners)
	if err != nil {
		return false, err
	}
	// As in [mover.selection], but one assignment of registers has to fit all.
	for trials := 0; len(pick) > 0 && trials < maxTrials; {
		bins, outs := g.common(pick)
		if fills, ok := g.packInto(pick, bins); ok {
			trials++
			if trial, ok := g.together(pick, fills, bins, outs); ok {
				if cost, err := g.measure(trial); err == nil && cost.Less(before) {
					if rest := g.tolerable(pick, trial); len(rest) < len(pick) {
						pick = rest
						continue
					}
					return g.commit(pick, trial), nil
				}
			}
		}
		pick = g.savings.without(pick)
	}
	return false, nil
}

// tolerable applies [mover.tolerable] to all partners.
func (g *group) tolerable(pick []*candidate, trial []Partner) []*candidate {
	for i, m := range g.movers {
		if rest := m.tolerable(pick, trial[i].Unit); len(rest) < len(pick) {
			return rest
		}
	}
	return pick
}

// commit makes a trial the result, if permission is given for all of it: half of a motion would leave a
// partner inconsistent.
func (g *group) commit(pick []*candidate, trial []Partner) bool {
	for _, c := range pick {
		if !g.ctx.ShouldRewrite(c.anchorInstr(), "moved", "computed per vertex and interpolated") {
			return false
		}
	}
	for i := range trial {
		*g.partners[i].Unit = *trial[i].Unit
	}
	return true
}

// common lists the registers that may carry moved values in every partner. These are registers in use,
// registers that partners write for other pixel programs, and free ones. The result outs holds the output
// registers by partner and bin. A component that some partner writes already is useful only if all write the
// same candidate's value there.
func (g *group) common(pick []*candidate) (bins []*bin, outs [][]ir.Reg) {
	outs = make([][]ir.Reg, len(g.movers))
	zero := ir.Lane{V: g.pixel.Const(0)}
	// written reports whether a partner writes component k, for this or other pixel programs.
	written := func(regs []ir.Reg, k int) bool {
		for i, m := range g.movers {
			out := regs[i]
			out.Comp = uint8(k)
			if m.vertex.OutputValue(out) != nil || g.partners[i].Taken[out] {
				return true
			}
		}
		return false
	}
	add := func(b *bin, regs []ir.Reg) {
		bins = append(bins, b)
		for i, r := range regs {
			outs[i] = append(outs[i], r)
		}
	}
	// Registers in use first: their free components cost nothing. A component is in use if the pixel program
	// reads it. It may carry a candidate that all partners already write there.
	for j, v := range g.link.Links {
		regs := make([]ir.Reg, len(g.movers))
		usable := true
		for i, m := range g.movers {
			w := &m.link.Links[j]
			regs[i] = w.Out
			usable = usable && w.Linear && !w.Half && !w.Shared && w.Out.File != 0
		}
		if !usable {
			continue
		}
		b := &bin{Varying: ir.Varying{Out: regs[0], In: v.In}, zero: zero}
		for k := range b.lanes {
			in := v.In
			in.Comp = uint8(k)
			if written(regs, k) && !g.reads[in] {
				b.lanes[k] = g.carried(pick, regs, k)
			} else if g.reads[in] {
				b.lanes[k] = ir.Lane{V: g.pixel.Leaf(ir.Input, in)}
			}
		}
		add(b, regs)
	}
	ins := g.inputs()
	// Then registers that partners write for other pixel programs, and last unused ones. In 3.0 semantics
	// link, so any input works.
	for _, list := range []func(*ir.Linkage) []ir.Varying{
		func(l *ir.Linkage) []ir.Varying { return l.Open },
		func(l *ir.Linkage) []ir.Varying { return l.Free },
	} {
		for _, v := range list(g.link) {
			regs := g.commonOutputs(v.Semantic, list)
			if regs == nil || len(ins) == 0 && !g.link.Whole {
				continue
			}
			if !g.link.Whole { // any input works
				v.In, ins = ins[0], ins[1:]
			}
			b := &bin{Varying: v, added: true, zero: zero}
			for k := range b.lanes {
				if written(regs, k) {
					b.lanes[k] = g.carried(pick, regs, k)
				}
			}
			add(b, regs)
		}
	}
	return bins, outs
}

// inputs returns the registers that the pixel program may declare.
func (g *group) inputs() (ins []ir.Reg) {
	for _, v := range slices.Concat(g.link.Open, g.link.Free) {
		if !slices.Contains(ins, v.In) {
			ins = append(ins, v.In)
		}
	}
	return ins
}

// commonOutputs returns the outputs of all partners for a semantic, or nil if one has none.
func (g *group) commonOutputs(semantic uint8, list func(*ir.Linkage) []ir.Varying) (regs []ir.Reg) {
	for _, m := range g.movers {
		all := list(m.link)
		k := slices.IndexFunc(all, func(v ir.Varying) bool { return v.Semantic == semantic })
		if k < 0 {
			return nil
		}
		regs = append(regs, all[k].Out)
	}
	return regs
}

// opaque is a lane that no candidate has.
var opaque = ir.Lane{V: &ir.Value{Kind: ir.Undef}}

// carried returns the lane of a candidate that component k of outputs holds in every partner, or opaque.
func (g *group) carried(pick []*candidate, regs []ir.Reg, k int) ir.Lane {
	for _, c := range pick {
	lanes:
		for _, l := range c.lanes {
			if l.V == nil {
				continue
			}
			for i, x := range g.images {
				out := regs[i]
				out.Comp = uint8(k)
				if v := x.vertex.OutputValue(out); v == nil || !x.holds(v, l) {
					continue lanes
				}
			}
			return l
		}
	}
	return opaque
}

// together performs the motion on copies of all partners. The pixel program is one copy, changed once.
func (g *group) together(pick []*candidate, fills []fill, bins []*bin, outs [][]ir.Reg) (trial []Partner, ok bool) {
	pixel := g.pixel.Clone()
	used := make([]bool, len(bins))
	for k, b := range bins {
		used[k] = b.added && slices.ContainsFunc(fills, func(f fill) bool { return f.bin == b })
	}
	for i, m := range g.movers {
		u := *m.unit
		u.Vertex, u.Pixel = m.vertex.Clone(), pixel
		u.Uploads, u.Varyings = slices.Clone(u.Uploads), slices.Clone(u.Varyings)
		// Each partner has its own output register for a bin.
		own := make([]*bin, len(bins))
		for k, b := range bins {
			copied := *b
			copied.Out = outs[i][k]
			own[k] = &copied
		}
		if !m.rewriteVertex(&u, own) {
			return nil, false
		}
		for k, b := range own {
			if used[k] {
				u.Varyings = slices.DeleteFunc(u.Varyings, func(v ir.Varying) bool { return v.Semantic == b.Semantic })
				u.Varyings = append(u.Varyings, b.Varying)
			}
		}
		trial = append(trial, Partner{Unit: &u, Taken: g.partners[i].Taken})
	}
	g.rewritePixel(pixel, pick, fills)
	return trial, true
}

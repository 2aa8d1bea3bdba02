package codemotion

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

// Varyings removes interpolated registers that the pixel program does not need.
var Varyings = &passes.Pass{
	Name: "varyings",
	Doc: `remove outputs that the pixel program never reads, and duplicates

It removes unread vertex outputs with their code. Where outputs may have any number of components, it also removes
single components. It merges outputs with equal values; join=true also packs outputs that fit into one register, if
that costs no more. Positions, fog, point size and registers with several semantics
stay. The vertex program then fits this pixel program only.`,
	Class: passes.Terms,
	Options: []passes.Option{
		{Name: "join", Default: "false", Doc: "join outputs that fit into one register"},
	},
	Run: eliminate,
}

func eliminate(c *passes.Ctx, u *passes.Unit) error {
	if u.Vertex == nil || u.Pixel == nil {
		return nil
	}
	link, err := u.Stages.Link(u.Varyings...)
	if err != nil {
		return err
	}
	if merge(c, u, link); c.Bool("join") {
		if err := removeUnread(c, u); err != nil {
			return err
		}
		if err := join(c, u); err != nil {
			return err
		}
	}
	return removeUnread(c, u)
}

// removeUnread removes the outputs of a pair that its pixel program does not read, and closes the gaps that
// they leave.
func removeUnread(c *passes.Ctx, u *passes.Unit) error {
	link, err := u.Stages.Link(u.Varyings...)
	if err != nil {
		return err
	}
	if link.Loose {
		return tighten(c, u, link)
	}
	compact(c, u, link)
	return unread(c, u.Vertex, []*ir.Linkage{link}, []map[ir.Reg]bool{Reads(u.Pixel)})
}

// Unread runs [Varyings] on a vertex program with several partners, one in each unit: it removes outputs that
// no partner reads. Outputs are pure, so removing one is invisible if all readers are known.
func Unread(c *passes.Ctx, units []*passes.Unit) error {
	var links []*ir.Linkage
	var reads []map[ir.Reg]bool
	for _, u := range units {
		link, err := u.Stages.Link(u.Varyings...)
		if err != nil {
			return err
		}
		links, reads = append(links, link), append(reads, Reads(u.Pixel))
	}
	return unread(c, units[0].Vertex, links, reads)
}

// unread removes the outputs of a vertex program that no partner reads. A register of the dense file keeps a
// component while a higher one is written, unless the program has a gap there already.
func unread(c *passes.Ctx, vertex *ir.Func, links []*ir.Linkage, reads []map[ir.Reg]bool) error {
	changed, dense, above := false, links[0].Dense, false
	gap := hasGap(vertex, dense)
	outputs := slices.Clone(links[0].Outputs)
	slices.SortStableFunc(outputs, func(a, b ir.Reg) int { return b.Compare(a) })
	for _, out := range outputs {
		keep := uint8(0)
		for i, l := range links {
			keep = max(keep, needed(l, out, reads[i]))
		}
		if dense != 0 && out.File == dense && !gap {
			if above {
				keep = max(keep, 1)
			}
			above = above || keep > 0
		}
		dead := func(o ir.Output) bool {
			return o.Reg.File == out.File && o.Reg.Index == out.Index && o.Reg.Comp >= keep
		}
		if slices.ContainsFunc(vertex.Outs, dead) &&
			c.ShouldRewrite(nil, "output-removed", "output "+ir.RegisterName(vertex.Dialect, out)+" is removed") {
			vertex.Outs = slices.DeleteFunc(vertex.Outs, dead)
			changed = true
		}
	}
	if changed {
		cleanup.Sweep(vertex)
	}
	return nil
}

// needed returns how many components of a vertex output must stay. Below 3.0, where masks are prefixes, that
// is up to the last one that is read. In 3.0, where a declaration must be covered, it is all that the pixel
// program declares.
func needed(l *ir.Linkage, out ir.Reg, reads map[ir.Reg]bool) (n uint8) {
	for _, v := range l.Links {
		if v.Out != out {
			continue
		}
		for c := range uint8(4) {
			in := v.In
			in.Comp = c
			if reads[in] {
				n = max(n, c+1)
			}
		}
		if n > 0 && !l.Whole {
			n = 4
		}
	}
	return n
}

// merge makes the pixel program read the first of two registers whose values are equal in every component it
// reads of the second. Equal vertex values interpolate to equal pixel values if both registers are
// interpolated alike. A register in partial precision cannot replace one in full precision.
func merge(c *passes.Ctx, u *passes.Unit, l *ir.Linkage) {
	reads := Reads(u.Pixel)
	for i, b := range l.Links {
		for _, a := range l.Links[:i] {
			if !a.Linear || !b.Linear || a.Shared || b.Shared || a.Out.File == 0 || b.Out.File == 0 || a.Half && !b.Half {
				continue
			}
			to := map[*ir.Value]ir.Lane{}
			same := true
			for comp := range uint8(4) {
				in, from, first := b.In, b.Out, a.Out
				in.Comp, from.Comp, first.Comp = comp, comp, comp
				if !reads[in] {
					continue
				}
				v, w := u.Vertex.OutputValue(from), u.Vertex.OutputValue(first)
				same = same && v != nil && v == w
				at := a.In
				at.Comp = comp
				to[u.Pixel.Leaf(ir.Input, in)] = ir.Lane{V: u.Pixel.Leaf(ir.Input, at)}
			}
			if same && len(to) > 0 && c.ShouldRewrite(nil, "output-shared",
				"output "+ir.RegisterName(u.Vertex.Dialect, a.Out)+" is read in place of "+
					ir.RegisterName(u.Vertex.Dialect, b.Out)) {
				u.Pixel.Replace(to)
				reads = Reads(u.Pixel)
				break
			}
		}
	}
}

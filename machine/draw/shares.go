package draw

import (
	"cmp"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/budget"
)

// Shares returns the part of each instruction in the load of a vertex and of a pixel, by its position. The rest of
// the load belongs to no instruction, such as the transfer of outputs. An operation that several instructions need
// counts for the first one, and so does the interpolation of a component. On targets that pack, each operation has
// the same share of the instructions.
func (t *Target) Shares(d *Draw) (vertex, pixel map[asm.Pos]Load, err error) {
	defer budget.Catch(&err)
	d.poll()
	q := d.programsFor(t.linking)
	return t.shares(q.vertex), t.shares(q.pixel), nil
}

// shares returns the part of each instruction of s. It gives each instruction rates of its own, because work is
// counted by rate.
func (t *Target) shares(s *stage) map[asm.Pos]Load {
	if s == nil {
		return nil
	}
	type origin struct{ rate, vector int32 }
	var origins []origin
	for i := range s.nodes {
		origins = append(origins, origin{s.nodes[i].rate, s.nodes[i].vector})
	}
	// Operations of different rates take the larger number, so the numbers keep the order of rates.
	order := func(a, b origin) int { return cmp.Or(cmp.Compare(a.rate, b.rate), cmp.Compare(a.vector, b.vector)) }
	slices.SortFunc(origins, order)
	origins = slices.Compact(origins)
	g, split, first := *s.graph, *s, len(s.rates)
	g.nodes, g.rates = slices.Clone(g.nodes), slices.Clone(g.rates)
	for _, o := range origins {
		g.rates = append(g.rates, g.rates[o.rate])
	}
	for i := range g.nodes {
		n := &g.nodes[i]
		k, _ := slices.BinarySearchFunc(origins, origin{n.rate, n.vector}, order)
		n.rate = int32(first + k)
	}
	split.graph, split.counted = &g, nil
	w := t.stageWork(&split)
	list := map[asm.Pos]Load{}
	for k, o := range origins {
		in := s.instrs[o.vector]
		if in == nil {
			continue
		}
		load := list[in.Pos]
		for p, tally := range w.pipes {
			if tally != nil {
				load[p] += w.load(Pipe(p), tally[first+k]*g.rates[first+k][s.by])
			}
		}
		list[in.Pos] = load
	}
	return list
}

// PartTimes returns the time of each part of the target for a load of programs, without the output.
func (t *Target) PartTimes(l Load, texel Texel) [numPipes]float64 {
	l[Texture] *= t.fetch[texel]
	return l
}

package rounding

import (
	"cmp"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
)

// Sink is an operand where errors are amplified, and by how much more than before.
type Sink struct {
	Op     ir.Op
	Pos    asm.Pos
	Growth float64
}

// Growth compares the errors of versions of a pair with those of one of them where the pixel program
// amplifies them. That one is followed once, however many it is compared with.
type Growth struct {
	a      *Analyzer
	before *Pair
	box    *outcome // of before, nil where that has not been followed yet
	err    error
	mark   mark // behind before
	causes int
}

// Growth makes a the analyzer of versions of a pair.
func (a *Analyzer) Growth(before *Pair) *Growth {
	a.sinks = true
	return &Growth{a: a, before: before}
}

// Close gives back memory, that of the analyzer too.
func (g *Growth) Close() { g.a.Close() }

// To compares with a rewrite of the pair that has the same values. It returns the sinks at which errors
// grow more than limit times, the worst first; none if the programs are too long to be followed. Sinks
// are matched by the value that their instruction defines, which rewrites keep. Nothing of one rewrite
// counts for the next one.
//
// What is computed of constants alone, one of which nobody knows, is taken to lie in -1..1 as a whole, as
// that constant is: where 1/width is the distance of two taps, a width in -1..1 would put them whole
// pictures apart.
func (g *Growth) To(after *Pair, limit float64) ([]Sink, error) {
	a := g.a
	if g.box == nil && g.err == nil {
		if g.box, g.err = a.overBox(g.before); g.err == nil {
			g.mark, g.causes = a.whole.mark(), len(a.causes)
		}
	}
	x, before := g.box, g.before
	if g.err != nil || x.long {
		return nil, g.err
	}
	defer g.rewind(after)
	after.like(before)
	y, err := a.overBox(after)
	if err != nil || y.long {
		return nil, err
	}
	ratios, pending := map[sinkKey]float64{}, false
	for k, s := range x.sunk {
		if t, ok := y.sunk[k]; ok {
			ratios[k] = ratio(s.err, t.err, max(s.floor, t.floor))
			pending = pending || math.IsInf(s.err, 1)
		}
	}
	if pending {
		if err := a.pointwise([]*Pair{before, after}, []*outcome{x, y}, ratios, limit); err != nil {
			return nil, err
		}
	}
	var grown []Sink
	for k, r := range ratios { // sorted below
		if r > limit {
			grown = append(grown, Sink{k.op, x.sunk[k].pos, r})
		}
	}
	slices.SortFunc(grown, func(a, b Sink) int {
		if c := cmp.Compare(b.Growth, a.Growth); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col), cmp.Compare(a.Op, b.Op))
	})
	return grown, nil
}

// rewind forgets what was found of a rewrite, whose instructions may be gone.
func (g *Growth) rewind(after *Pair) {
	a := g.a
	a.whole.rewind(&g.mark)
	a.causes = a.causes[:g.causes]
	delete(a.sites, after.Vertex)
	delete(a.sites, after.Pixel)
	for _, sites := range a.sites { // of before, of which more may have been met at points
		for i, c := range sites {
			if int(c) >= g.causes {
				sites[i] = 0
			}
		}
	}
	clear(a.others)
	clear(a.sizes)
}

// pointwise sets the ratios of sinks whose error was without a bound before: in first order,
// at points of the box, half of which have no more. It ends where no ratio can be above limit.
func (a *Analyzer) pointwise(pairs []*Pair, box []*outcome, ratios map[sinkKey]float64, limit float64) error {
	all := map[sinkKey][]float64{}
	tour := a.tour(a.hw, false, pairs, box)
	defer tour.end()
	for k := range points {
		open := k <= points/2
		for s := range ratios {
			open = open || math.IsInf(box[0].sunk[s].err, 1) && above(all[s], limit)
		}
		if !open {
			break
		}
		if err := tour.visit(k + 1); err != nil {
			return err
		}
		for k, s := range tour.found[0].sunk {
			if t, ok := tour.found[1].sunk[k]; ok && math.IsInf(box[0].sunk[k].err, 1) {
				all[k] = append(all[k], ratio(s.err, t.err, max(s.floor, t.floor)))
			}
		}
	}
	for k, list := range all { // each by itself
		ratios[k] = median(list)
	}
	return nil
}

// above reports whether the median over all points may be above limit, as far as they are known.
func above(list []float64, limit float64) bool {
	below := 0
	for _, r := range list {
		if r <= limit {
			below++
		}
	}
	return below <= points/2
}

package rounding

import (
	"cmp"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/ir"
)

// growingSink is an operand where errors are amplified, with the growth of the error there.
type growingSink struct {
	Op     ir.Op
	Pos    asm.Pos
	Growth float64
}

// growth compares the errors of many versions of a pair with one of them, at the operands where the pixel
// program amplifies errors. It analyses that one version once.
type growth struct {
	a      *Analyzer
	before *Pair
	box    *outcome // of before, nil until it is analysed
	err    error
	mark   mark // the end of before
	causes int
}

// compareGrowth returns a comparison of versions with before. It uses a.
func (a *Analyzer) compareGrowth(before *Pair) *growth {
	a.sinks = true
	return &growth{a: a, before: before}
}

// Close releases memory, including the analyzer.
func (g *growth) Close() { g.a.Close() }

// growingSinks compares a rewrite of the pair that has the same values. It returns the sinks at which errors grow by
// more than a factor of limit, worst first. The list is empty if the programs are too long to analyse.
// Sinks match by the value that their instruction defines, which rewrites keep. Results of one rewrite have
// no effect on the next.
//
// Terms of constants alone, with at least one unknown, have the range -1..1 as a whole, like the unknown
// constant. Otherwise the distance 1/width of two taps, with a width in -1..1, would exceed whole images.
func (g *growth) growingSinks(after *Pair, limit float64) ([]growingSink, error) {
	a := g.a
	if g.box == nil && g.err == nil {
		if g.box, g.err = a.overBox(g.before); g.err == nil {
			g.mark, g.causes = a.whole.startRecording(), len(a.causes)
		}
	}
	x, before := g.box, g.before
	if g.err != nil || x.long {
		return nil, g.err
	}
	defer g.rewind(after)
	after.copyDeclarations(before)
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
	var grown []growingSink
	for k, r := range ratios { // sorted below
		if r > limit {
			grown = append(grown, growingSink{k.op, x.sunk[k].pos, r})
		}
	}
	slices.SortFunc(grown, func(a, b growingSink) int {
		if c := cmp.Compare(b.Growth, a.Growth); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col), cmp.Compare(a.Op, b.Op))
	})
	return grown, nil
}

// rewind forgets the results of a rewrite, whose instructions may no longer exist.
func (g *growth) rewind(after *Pair) {
	a := g.a
	a.whole.rewind(&g.mark)
	a.causes = a.causes[:g.causes]
	delete(a.sites, after.Vertex)
	delete(a.sites, after.Pixel)
	for _, sites := range a.sites { // of before; points may have added more
		for i, c := range sites {
			if int(c) >= g.causes {
				sites[i] = 0
			}
		}
	}
	clear(a.others)
	clear(a.sizes)
}

// pointwise sets the ratios of sinks that had no error bound in before. The ratios are medians of
// first-order errors at points of the box. It stops when no ratio can exceed limit.
func (a *Analyzer) pointwise(pairs []*Pair, box []*outcome, ratios map[sinkKey]float64, limit float64) error {
	all := map[sinkKey][]float64{}
	tour := a.startTour(a.hw, false, pairs, box)
	defer tour.releaseGraph()
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
	for k, list := range all { // each is independent
		ratios[k] = median(list)
	}
	return nil
}

// above reports whether the median over all points may still exceed limit.
func above(list []float64, limit float64) bool {
	below := 0
	for _, r := range list {
		if r <= limit {
			below++
		}
	}
	return below <= points/2
}

package verify

import (
	"errors"
	"fmt"

	"github.com/shaderlift/shaderlift/budget"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/rounding"
)

// Bound is rung 4: how far either side can be from real arithmetic, over a box of inputs,
// and so from the other one if both are the same over the reals, as v says that they are, or
// else nearly. It is not part of [Check], which is asked about versions that are not kept.
func Bound(before, after Pair, v Verdict, o Options) (b *rounding.Bounds, err error) {
	defer budget.Catch(&err)
	c := &checker{ladder: ladder{Options: o}, before: before, after: after}
	if err := c.lift(); err != nil {
		return nil, err
	}
	return bound(c.sides, v, o)
}

// Bound is [Bound] for the versions that the report is about, by the same options.
func (r *Report) Bound(before, after Pair, o Options) (b *rounding.Bounds, err error) {
	if r.sides[0] == nil || r.sides[1] == nil { // what is identical was not lifted
		return Bound(before, after, r.Verdict, o)
	}
	defer budget.Catch(&err)
	return bound(r.sides, r.Verdict, o)
}

// bound asks package rounding. Versions that are not proved equal have to be near each other over the
// reals, which Near adds.
func bound(sides [2]*observation, v Verdict, o Options) (*rounding.Bounds, error) {
	if sides[1].hosted() {
		return nil, errors.New("constants are computed, with roundings that are not followed")
	}
	hw := rounding.ByName(o.Arithmetic)
	if hw == nil {
		return nil, fmt.Errorf("there is no arithmetic %q", o.Arithmetic)
	}
	a := rounding.New(hw, o.Box)
	defer a.Close()
	if v < ProvedReal {
		return a.Near(sides[0].rounded(), sides[1].rounded())
	}
	return a.Compare(sides[0].rounded(), sides[1].rounded())
}

// hosted reports whether constants are compared as what they are made of.
func (o *observation) hosted() bool {
	return o.vertex != nil && o.vertex.host != nil || o.pixel != nil && o.pixel.host != nil
}

// rounded is a side as the analysis of roundings takes it.
func (o *observation) rounded() *rounding.Pair {
	var p rounding.Pair
	for _, s := range []struct {
		from *program
		to   **rounding.Program
	}{{o.vertex, &p.Vertex}, {o.pixel, &p.Pixel}} {
		if s.from != nil {
			*s.to = &rounding.Program{Func: s.from.fn, Source: s.from.src, Shared: s.from.shared}
		}
	}
	return &p
}

// maxApart is how far apart over the reals the values of versions may be that are nearly the same,
// relative to their size if that is more than 1. Chosen, and the same as the
// tolerance of executions.
const maxApart = 1.0 / 1024

// near reports whether the sides of a comparison under Approx, which rung 3 found different,
// are close to each other over the reals, and bounded: verdict Bounded. What may have been
// made less precise on purpose, in partial precision, is not looked at.
func (c *ladder) near() bool {
	hw := rounding.ByName(c.Arithmetic)
	if hw == nil || c.sides[0].kernel != nil || c.sides[1].hosted() || c.sides[1].partial() {
		return false
	}
	a := rounding.New(hw, c.Box)
	before, after := c.sides[0].rounded(), c.sides[1].rounded()
	if _, apart, err := a.Apart(before, after); err != nil || apart > maxApart {
		return false
	}
	b, err := a.Compare(before, after)
	return err == nil && b.Finite()
}

// partial reports whether a side computes anything in partial precision.
func (o *observation) partial() (found bool) {
	for _, p := range []*program{o.vertex, o.pixel} {
		if p == nil {
			continue
		}
		p.fn.Walk(func(in *ir.Instr) { found = found || in.Mods&ir.Half != 0 })
		for _, components := range p.ports { // any
			for _, s := range components {
				found = found || s.kind&symbolic.InterpHalf != 0
			}
		}
	}
	return found
}

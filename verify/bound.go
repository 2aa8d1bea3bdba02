package verify

import (
	"errors"
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/proof"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/walk"
	"github.com/shaderlift/shaderlift/verify/rounding"
)

// Bound computes the rounding bound: a bound of the distance of either version from real arithmetic, over a box of
// inputs. If both are the same over the reals, as v states, or nearly so, this also bounds their distance
// from each other. [Check] does not include it, because it also judges versions that are discarded.
func Bound(before, after Pair, v Verdict, o Options) (b *rounding.Bounds, err error) {
	defer budget.Catch(&err)
	c := &checker{comparison: comparison{Options: o}, before: before, after: after}
	if err := c.liftPrograms(); err != nil {
		return nil, err
	}
	return bound(c.sides, v, o)
}

// Bound computes [Bound] for the versions of the report, with the same options, and reuses their lifted form.
func (r *Report) Bound(before, after Pair, o Options) (b *rounding.Bounds, err error) {
	if r.sides[0] == nil || r.sides[1] == nil { // identical programs were not lifted
		return Bound(before, after, r.Verdict, o)
	}
	defer budget.Catch(&err)
	return bound(r.sides, r.Verdict, o)
}

// bound runs package rounding. Versions that are not proved equal must be near each other over the reals;
// Near adds that distance.
func bound(sides [2]*walk.Observation, v Verdict, o Options) (*rounding.Bounds, error) {
	if hosted(sides[1]) {
		return nil, errors.New("the program computes constants, whose rounding errors are unknown")
	}
	hw := rounding.ByName(o.Arithmetic)
	if hw == nil {
		return nil, fmt.Errorf("unknown arithmetic %q", o.Arithmetic)
	}
	a := rounding.New(hw, o.Box)
	defer a.Close()
	if v < ProvedReal {
		return a.CompareNear(rounded(sides[0]), rounded(sides[1]))
	}
	return a.Compare(rounded(sides[0]), rounded(sides[1]))
}

// hosted reports whether constants are compared as the expressions that compute them.
func hosted(o *walk.Observation) bool {
	programs := o.Programs()
	return slices.ContainsFunc(programs[:], func(p *walk.Program) bool { return p != nil && p.Host != nil })
}

// rounded converts a version to the input of the rounding analysis.
func rounded(o *walk.Observation) *rounding.Pair {
	var p rounding.Pair
	for stage, from := range o.Programs() {
		if from != nil {
			to := []**rounding.Program{d3d9.Vertex: &p.Vertex, d3d9.Pixel: &p.Pixel}[stage]
			*to = &rounding.Program{Func: from.Fn, Source: from.Source, Shared: from.Shared}
		}
	}
	return &p
}

// maxApart is the largest distance over the reals between values of nearly equal versions, relative to their
// size if that exceeds 1. It was chosen to equal the tolerance of executions.
const maxApart = 1.0 / 1024

// boundsDifference reports whether versions that the field proof found different are close over the reals, and
// their roundings bounded. Under Approx this gives the verdict Bounded. It skips versions with partial
// precision, which may lose precision on purpose.
func (c *comparison) boundsDifference() bool {
	hw := rounding.ByName(c.Arithmetic)
	if hw == nil || c.sides[0].Kernel != nil || hosted(c.sides[1]) || partial(c.sides[1]) {
		return false
	}
	a := rounding.New(hw, c.Box)
	before, after := rounded(c.sides[0]), rounded(c.sides[1])
	if _, apart, err := a.Apart(before, after); err != nil || apart > maxApart {
		return false
	}
	b, err := a.Compare(before, after)
	return err == nil && b.Finite()
}

// partial reports whether the version computes anything in partial precision.
func partial(o *walk.Observation) (found bool) {
	for _, p := range o.Programs() {
		if p == nil {
			continue
		}
		p.Fn.Walk(func(in *ir.Instr) { found = found || in.Mods&ir.Half != 0 })
		for _, components := range p.Ports { // any
			for _, s := range components {
				found = found || s.Kind&symbolic.InterpHalf != 0
			}
		}
	}
	return found
}

// Boundary is a comparison of floats that both versions make, equal over the reals, with operands from
// different operations. Rounding may move the inputs at which its outcome changes. A position is not valid
// where that version lacks the comparison.
type Boundary struct {
	Stage         d3d9.Stage // of a pair
	Before, After asm.Pos
}

// Boundaries returns the comparisons whose boundary rounding may move, in the order of the program before.
// Only a version that is proved over the reals has any. The versions are executed again.
func (r *Report) Boundaries() []Boundary {
	if r.boundaries == nil || r.Verdict != ProvedReal {
		return nil
	}
	return r.boundaries()
}

// movedBoundaries executes both versions as terms and in the field, with the options of the proof, and
// matches their comparisons. It returns nil if the budget does not suffice.
func (c *comparison) movedBoundaries() (list []Boundary) {
	var err error
	func() {
		defer budget.Catch(&err)
		c.parts[fieldMethod] = nil
		c.spend(fieldMethod)
		var found []walk.Boundary
		found, err = proof.Boundaries(c.sides, c.field.Way, c.Seed)
		for _, b := range found {
			list = append(list, Boundary(b))
		}
	}()
	if err != nil {
		return nil
	}
	return list
}

// exactReason describes the decision of after whose bits differ from before, if the versions are otherwise
// equal over the reals. Else it returns "".
func (c *comparison) exactReason() (why string) {
	before, after := c.sides[0], c.sides[1]
	if before == nil || after == nil || c.Cheap || c.Unconfirmed || c.field.Outcome == proof.Equal ||
		!before.HasPins() && !after.HasPins() {
		return ""
	}
	var err error
	defer func() {
		if err != nil {
			why = ""
		}
	}()
	defer budget.Catch(&err)
	c.parts[fieldMethod] = nil
	c.withForms(func() { why = proof.Unpinned(before, after, c.Seed, c.keys) })
	return why
}

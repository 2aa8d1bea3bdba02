package verify

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/explore"
	"github.com/shaderlift/shaderlift/verify/internal/fuzz"
	"github.com/shaderlift/shaderlift/verify/internal/outputs"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/trial"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// Limits of fuzzed trials, besides the budget of searches (searchRung). Assumed.
const (
	maxBred     = 4000
	maxBredFull = 5000
)

// search fuzzes trials until one shows a difference. It is guided by coverage, as AFL is (see fuzz.Generator): it
// keeps trials that reach a new statement, or compute values of a new kind there. The queue starts with
// found, the assignments of directed trials. The search sets leaves. A loose difference, which a proof over
// the reals would explain, does not count.
func (c *checker) search(leaves []explore.Leaf, found []explore.Assignment, more []trial.Trial) *execution {
	sides, err := c.compile(c.before, c.after)
	if err != nil {
		return nil
	}
	vertex := c.before.Pixel == nil
	// Fixed trials compare few outputs. They serve as a base only if one of those outputs differs.
	bases := slices.DeleteFunc(append([]trial.Trial{c.base}, more...), func(t trial.Trial) bool {
		b, ok := t.(*trial.Batch)
		return ok && b.Fixed
	})
	// The output whose terms differ feeds fixed function: vertices show it beyond the screen, too.
	if d := c.terms.diff; d != nil && d.Exact && d.Stage == d3d9.Vertex && c.before.Pixel != nil {
		vertex = true
		bases = slices.Insert(bases, 0, trial.Trial(&trial.Batch{Seed: symbolic.Mix(c.Seed), N: interp.Lanes, Fixed: true, Known: c.Constants, Further: c.framework.ExtraRegisters()}))
	}
	c.watch(sides)
	for _, s := range sides {
		s.Work = c.rungBudget(searchRung)
	}
	numbers := c.numbers()
	b := &fuzz.Generator{Stream: symbolic.Stream(symbolic.Mix(c.Seed + 1<<40)), Bases: len(bases), Leaves: leaves}
	b.Base = fuzz.Memoize(func(base int, l explore.Leaf) uint32 { return trial.Value(bases[base], l) })
	// Vertex constants are changed rarely, because otherwise little stays in view.
	if !vertex {
		b.Shy = func(l explore.Leaf) bool { return l.Space == uint64(d3d9.Vertex) }
	}
	b.Value = func(l explore.Leaf) uint32 {
		switch {
		case l.Kind == ir.Uniform && l.Reg.File == ir.File(d3d9.ConstInt):
			return explore.NotableTrips[b.Below(len(explore.NotableTrips))] % 32
		case l.Kind == ir.Uniform && l.Reg.File == ir.File(d3d9.ConstBool):
			return uint32(b.Below(2))
		}
		return math.Float32bits(numbers[b.Below(len(numbers))])
	}
	for _, a := range found {
		b.Queue = append(b.Queue, fuzz.Seed{Set: a})
	}
	most := maxBred
	if c.Effort == Full {
		most = maxBredFull
	}
	for k := range most {
		// Execute both versions on the new input. Skip it if the budget or the interpreter refuses it.
		s := b.Generate()
		t := trial.Vary(bases[s.Base], s.Set)
		fresh := sides[0].Seen.Fresh + sides[1].Seen.Fresh
		var shown [2]*outputs.Sample
		for i := range shown {
			if shown[i], err = t.Execute(sides[i], c.trialNumerics(0), 0); err != nil {
				break
			}
		}
		if c.rungBudget(searchRung).Err() != nil {
			return nil
		}
		if err != nil {
			continue
		}
		// Record new coverage, and how many registers differ.
		s.Spread = fuzz.CountDiffering(sides[0].Seen.Left, sides[1].Seen.Left)
		b.Keep(s, sides[0].Seen.Fresh+sides[1].Seen.Fresh > fresh)
		// A difference counts only after executions with perturbed inputs have weighed it.
		x := outputs.Compare(shown[0], shown[1], outputs.CloseEnough)
		if x.Differing == 0 && x.Shape == "" {
			continue
		}
		if _, found, err := c.runTrial(sides, t, c.trialNumerics(0), uint64(k)); err == nil && found != nil && !found.loose {
			return found
		}
	}
	return nil
}

// numbers returns the values for constants and inputs: notable floats and those that either version defines,
// with either sign. Programs often compare with constants that they define.
func (c *checker) numbers() []float32 {
	list := slices.Clone(fuzz.Notable)
	for _, p := range []*d3d9.Program{c.before.Vertex, c.before.Pixel, c.after.Vertex, c.after.Pixel} {
		if p == nil {
			continue
		}
		for i := range p.Insts {
			if in := &p.Insts[i]; in.Op == d3d9.OpDef {
				for _, w := range in.Imm {
					for _, x := range []float32{math.Float32frombits(w), -math.Float32frombits(w)} {
						if !slices.ContainsFunc(list, func(y float32) bool { return x == y || x != x && y != y }) {
							list = append(list, x)
						}
					}
				}
			}
		}
	}
	return list
}

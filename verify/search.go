package verify

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/explore"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// Bounds of the trials that are bred, besides the budget of searches (searchRung). Assumed.
const (
	maxBred     = 4000
	maxBredFull = 5000
)

// search breeds trials until one shows a difference. It is coverage-guided fuzzing (as of AFL; see
// breeder): trials that reach a statement which none has reached, or compute values there of a new
// kind, are bred from. found are the assignments of directed trials, which begin the queue, and leaves
// what may be set. A loose difference, which a proof over the reals would explain, is none here.
func (c *checker) search(leaves []explore.Leaf, found []explore.Assignment, more []trial) *execution {
	sides, err := c.compile(c.before, c.after)
	if err != nil {
		return nil
	}
	vertex := c.before.Pixel == nil
	// Trials of the fixed kind compare few outputs, and are no base unless one of those is it.
	bases := slices.DeleteFunc(append([]trial{c.base}, more...), func(t trial) bool {
		b, ok := t.(*batchTrial)
		return ok && b.fixed
	})
	// The output that terms found to differ feeds fixed function: vertices show it beyond the screen, too.
	if d := c.terms.diff; d != nil && d.exact && d.stage == d3d9.Vertex && c.before.Pixel != nil {
		vertex = true
		bases = slices.Insert(bases, 0, trial(&batchTrial{seed: symbolic.Mix(c.Seed), n: interp.Lanes, fixed: true, known: c.Constants, further: c.framework.size()}))
	}
	c.watch(sides)
	for _, s := range sides {
		s.work = c.part(searchRung)
	}
	numbers := c.numbers()
	b := &breeder{Stream: symbolic.Stream(symbolic.Mix(c.Seed + 1<<40)), bases: len(bases), leaves: leaves}
	b.base = remembered(func(base int, l explore.Leaf) uint32 { return c.baseValue(bases[base], l) })
	// Vertex constants are changed rarely, or hardly anything stays in view.
	if !vertex {
		b.shy = func(l explore.Leaf) bool { return l.Space == uint64(d3d9.Vertex) }
	}
	b.value = func(l explore.Leaf) uint32 {
		switch {
		case l.Kind == ir.Uniform && l.Reg.File == ir.File(d3d9.ConstInt):
			return notableTrips[b.Below(len(notableTrips))] % 32
		case l.Kind == ir.Uniform && l.Reg.File == ir.File(d3d9.ConstBool):
			return uint32(b.Below(2))
		}
		return math.Float32bits(numbers[b.Below(len(numbers))])
	}
	for _, a := range found {
		b.queue = append(b.queue, specimen{set: a})
	}
	most := maxBred
	if c.Effort == Full {
		most = maxBredFull
	}
	for k := range most {
		// Execute both sides on the offspring. What neither budget nor interpreter allows shows nothing.
		s := b.breed()
		t := c.variant(bases[s.base], s.set)
		fresh := sides[0].seen.Fresh + sides[1].seen.Fresh
		var shown [2]*sample
		for i := range shown {
			if shown[i], err = t.execute(sides[i], c.mode(0), 0); err != nil {
				break
			}
		}
		if c.part(searchRung).Err() != nil {
			return nil
		}
		if err != nil {
			continue
		}
		// Take note of what was new, and of how near the two sides are to different decisions.
		s.spread = spread(sides[0].seen.Left, sides[1].seen.Left)
		b.note(s, sides[0].seen.Fresh+sides[1].seen.Fresh > fresh)
		// Differences are weighed in full, by executions with perturbed inputs, before they count.
		x := compare(shown[0], shown[1], closeEnough)
		if x.differing == 0 && x.shape == "" {
			continue
		}
		if _, found, err := c.meet(sides, t, c.mode(0), uint64(k)); err == nil && found != nil && !found.loose {
			return found
		}
	}
	return nil
}

// numbers are what constants and inputs are set to: notable floats and those that either side defines, with
// either sign, since programs compare with what they define.
func (c *checker) numbers() []float32 {
	list := slices.Clone(notable)
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

package verify

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/explore"
	"github.com/shaderlift/shaderlift/verify/internal/lifted"
	"github.com/shaderlift/shaderlift/verify/internal/proof"
	"github.com/shaderlift/shaderlift/verify/internal/trial"
)

// directedBudget limits directed executions: instructions that scouts evaluate, draws or batches for
// constants and inputs, and instructions in draws for trip counts.
type directedBudget struct{ work, trials, trips int }

// directedBudget returns the limits of the check. They are larger if there is a difference to find.
func (c *ladder) directedBudget() directedBudget {
	switch {
	case c.Effort == Full:
		return directedBudget{1 << 22, 256, 1 << 22}
	case c.differs():
		return directedBudget{1 << 21, 64, 1 << 18}
	case c.Shared != nil:
		return directedBudget{1 << 15 >> c.Shared.searches(), 32 >> c.Shared.searches(), 1 << 12}
	}
	return directedBudget{1 << 16, 32, 1 << 18}
}

// scouted returns the number of trips of a loop that scouts evaluate.
func (c *ladder) scouted() int {
	if c.Effort == Full || c.differs() {
		return explore.ScoutedTrips
	}
	return 1
}

// differs reports whether executions should search for a difference: proofs found one or none holds.
// Differences of roundings and of precision do not count.
func (c *ladder) differs() bool {
	switch {
	case c.Brief || c.field.Outcome == proof.Equal:
		return false
	case c.field.Outcome == proof.Different:
		return !c.field.Declared
	}
	return c.terms.diff != nil
}

// wildWords are the special values of float arithmetic: both zeros, both infinities, NaN, the largest number,
// the smallest denormal, and 1. Only at such values, versions that are equal over the reals may differ in
// bits.
var wildWords = [...]uint32{0, 1 << 31, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, 1, 0x3f800000}

// wildRows exceeds the number of wildWords, so that some leaves keep their values while others are special.
// It is prime: wild steps by 1 and by 2 from leaf to leaf. Any two of wildRows leaves therefore get zero and
// infinity at the same time.
const wildRows = 13

// wildAssignments returns assignments that set each leaf to each of wildWords, if bits count and are not proved the
// same. Constants have one value per draw, and there are few random draws.
func (c *ladder) wildAssignments(leaves []explore.Leaf) []explore.Assignment {
	if c.Numerics > Bits || c.terms.diff == nil {
		return nil
	}
	list := make([]explore.Assignment, 2*wildRows)
	for k := range list {
		for i, l := range leaves {
			if at := (k + (1+k/wildRows)*i) % wildRows; at < len(wildWords) {
				list[k] = append(list[k], explore.Setting{Leaf: l, Bits: wildWords[at]})
			}
		}
	}
	return list
}

// unproved reports whether executions have to find differences that proofs left open. A proof holds on both
// sides of every comparison. A version that the caller cannot use needs no further executions.
func (c *ladder) unproved() bool { return c.Effort == Full || !c.accepted() && c.usable() }

// accepted reports whether a sufficient proof holds.
func (c *ladder) accepted() bool {
	return c.sameTerms() || c.field.Outcome == proof.Equal && c.field.Unstable == "" && c.Numerics >= Real
}

// sameTerms reports whether both versions are the same terms.
func (c *ladder) sameTerms() bool { return c.terms.diff == nil && c.terms.why == "" }

// The first firstOnMore assignments, for comparisons of one version alone, are tried on moreBases further
// inputs if there is a difference to find.
const firstOnMore, moreBases = 16, 3

// directed returns variants of the first trial. Their constants and inputs make the programs decide
// otherwise, or make loops run for notable trip counts. Package explore finds the inputs: it evaluates both
// programs on one invocation and solves for the operands of comparisons. directed also returns all
// assignments and the leaves of the programs.
func (c *checker) directed(bases []trial.Trial) (list []trial.Trial, found []explore.Assignment, leaves []explore.Leaf) {
	base := bases[0]
	bases = slices.DeleteFunc(bases[1:], func(t trial.Trial) bool { b, ok := t.(*trial.Batch); return ok && b.Fixed })
	budget := c.directedBudget()
	for _, a := range trial.Trips(c.before, c.after, budget.trips) {
		list = append(list, trial.Vary(base, a))
	}
	if c.sides[0] == nil || c.sides[1] == nil {
		return list, nil, nil
	}
	x := &explore.Explorer{Work: budget.work}
	known := map[explore.Leaf]uint32{} // memo: a batch makes all its constants or inputs for each one
	x.Base = func(l explore.Leaf) uint32 {
		bits, ok := known[l]
		if !ok {
			bits = trial.Value(base, l)
			known[l] = bits
		}
		return bits
	}
	x.Evaluate = func(a explore.Assignment, brief bool) *explore.Survey { return c.survey(x, a, brief) }
	found = x.Explore()
	for k, a := range found[:min(len(found), budget.trials)] {
		list = append(list, trial.Vary(base, a))
		if k < min(x.First, firstOnMore) {
			for _, other := range bases[:min(len(bases), moreBases)] {
				list = append(list, trial.Vary(other, a))
			}
		}
	}
	for _, a := range c.wildAssignments(x.Leaves) {
		list = append(list, trial.Vary(base, a))
	}
	return list, found, x.Leaves
}

// survey evaluates both versions on assignment a with scouts. It passes outputs of the vertex program on as
// if they were constant over the triangle.
func (c *checker) survey(x *explore.Explorer, a explore.Assignment, brief bool) *explore.Survey {
	s := &explore.Survey{Holds: map[explore.Turn]bool{}, Trips: c.scouted(), Brief: brief}
	get := func(l explore.Leaf) uint32 {
		if !slices.Contains(x.Leaves, l) {
			x.Leaves = append(x.Leaves, l)
		}
		if bits, ok := a.Lookup(l); ok {
			return bits
		}
		return x.Base(l)
	}
	for i, o := range c.sides {
		s.After = i == 1
		varyings := map[uint64]uint32{}
		if o.Vertex != nil {
			value := s.Run(toScout(o.Vertex), func(kind ir.Kind, r ir.Reg) uint32 { return scouted(o.Vertex, kind, r, get) })
			for _, out := range o.Vertex.Fn.Outs {
				varyings[o.Vertex.SemanticKey(out.Reg)] = value(out.V)
			}
		}
		if o.Pixel != nil {
			s.Run(toScout(o.Pixel), func(kind ir.Kind, r ir.Reg) uint32 {
				if kind == ir.Input && o.Vertex != nil {
					return varyings[o.Pixel.SemanticKey(r)]
				}
				return scouted(o.Pixel, kind, r, get)
			})
		}
	}
	return s
}

// scouted returns the value of a register component in a scout's evaluation, from the values of leaves (get).
// If the framework sets the register, scouted reads the registers that keep its parameters.
func scouted(p *lifted.Program, kind ir.Kind, r ir.Reg, get func(explore.Leaf) uint32) uint32 {
	if kind == ir.Uniform && p.Host.Sets(r) {
		return p.Host.Scout(r, get)
	}
	return get(trial.LeafOf(p, kind, r))
}

// toScout converts u to the program form of package explore.
func toScout(u lifted.Unit) explore.Program {
	return explore.Program{Func: u.Function(), Holds: u.Holds, Indexed: u.Indexed}
}

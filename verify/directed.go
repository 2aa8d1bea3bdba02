package verify

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/internal/explore"
	"github.com/shaderlift/shaderlift/verify/internal/proof"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/trial"
	"github.com/shaderlift/shaderlift/verify/internal/walk"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// directedBudget limits directed executions: instructions that scouts evaluate, draws or batches for
// constants and inputs, and instructions in draws for trip counts.
type directedBudget struct{ work, trials, trips int }

// directedBudget returns the limits of the check. They are larger if there is a difference to find.
func (c *comparison) directedBudget() directedBudget {
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
func (c *comparison) scouted() int {
	if c.Effort == Full || c.differs() {
		return explore.ScoutedTrips
	}
	return 1
}

// differs reports whether executions should search for a difference: proofs found one or none holds.
// Differences of roundings and of precision do not count.
func (c *comparison) differs() bool {
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
func (c *comparison) wildAssignments(leaves []explore.Leaf) []explore.Assignment {
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
func (c *comparison) unproved() bool { return c.Effort == Full || !c.accepted() && c.usable() }

// accepted reports whether a sufficient proof holds.
func (c *comparison) accepted() bool {
	return c.sameTerms() || c.field.Outcome == proof.Equal && c.field.Unstable == "" && c.Numerics >= Real
}

// sameTerms reports whether both versions are the same terms.
func (c *comparison) sameTerms() bool { return c.terms.diff == nil && c.terms.why == "" }

// The first firstOnMore assignments, for comparisons of one version alone, are tried on moreBases further
// inputs if there is a difference to find.
const firstOnMore, moreBases = 16, 3

// directed returns variants of the first trial. Their constants and inputs make the programs decide
// otherwise, or make loops run for notable trip counts. Package explore finds the inputs: it evaluates both
// programs on one invocation and solves for the operands of comparisons. directed also returns all
// assignments and the leaves of the programs.
func (c *checker) directed(bases []trial.Trial) (list []trial.Trial, found []explore.Assignment,
	leaves []explore.Leaf) {
	base := bases[0]
	bases = slices.DeleteFunc(bases[1:], func(t trial.Trial) bool { b, ok := t.(*trial.Batch); return ok && b.Fixed })
	budget := c.directedBudget()
	for _, a := range trial.Trips(c.before, c.after, budget.trips) {
		list = append(list, trial.Vary(base, a))
	}
	if c.sides[0] == nil || c.sides[1] == nil {
		return list, nil, nil
	}
	// A batch makes all its constants or inputs for each one, so values are kept.
	x := explore.NewExplorer(budget.work, func(l explore.Leaf) uint32 { return trial.Value(base, l) })
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
		vertex, pixel := o.Programs()[d3d9.Vertex], o.Programs()[d3d9.Pixel]
		if vertex != nil {
			value := s.Run(toScout(vertex), func(kind ir.Kind, r ir.Reg) uint32 { return scouted(vertex, kind, r, get) })
			for _, out := range vertex.Fn.Outs {
				varyings[vertex.SemanticKey(out.Reg)] = value(out.V)
			}
		}
		if pixel != nil {
			s.Run(toScout(pixel), func(kind ir.Kind, r ir.Reg) uint32 {
				if kind == ir.Input && vertex != nil {
					return varyings[pixel.SemanticKey(r)]
				}
				return scouted(pixel, kind, r, get)
			})
		}
	}
	return s
}

// scouted returns the value of a register component in a scout's evaluation, from the values of leaves (get).
// If the framework sets the register, scouted reads the registers that keep its parameters.
func scouted(p *walk.Program, kind ir.Kind, r ir.Reg, get func(explore.Leaf) uint32) uint32 {
	if kind == ir.Uniform && p.Host.Sets(r) {
		return p.Host.Scout(r, get)
	}
	return get(trial.LeafOf(p, kind, r))
}

// toScout converts u to the program form of package explore.
func toScout(u walk.Unit) explore.Program {
	return explore.Program{Func: u.Function(), Holds: u.Holds, Indexed: u.Indexed}
}

// trials generates the inputs of the first executions: the given cases, and draws from the seed. If bits are
// compared, it adds invocations whose inputs are infinities, NaNs, denormals and other special words.
func (c *checker) trials() (list []trial.Trial) {
	pair := c.before.Vertex != nil && c.before.Pixel != nil
	for _, d := range c.Cases {
		if pair {
			list = append(list, trial.Draw{Case: d, Known: c.Constants})
		}
	}
	n, size := 1, 64
	if c.Effort == Full {
		n, size = 12, 1024
	}
	for k := range n {
		drawn := c.drawn(uint64(k), size)
		if k == 0 {
			c.base = drawn[0]
		}
		list = append(list, drawn...)
	}
	if c.exactly() {
		list = append(list, &trial.Batch{Seed: c.Seed, N: 2 * size, Special: true, Fixed: pair, Known: c.Constants,
			Further: c.framework.ExtraRegisters()})
	}
	return list
}

// drawn generates the k-th random draw. For a pair it adds invocations of the vertex program that compare
// fixed-function outputs, which a picture does not show to the bit. It uses fewer if they only confirm a
// proof.
func (c *checker) drawn(k uint64, size int) []trial.Trial {
	seed := symbolic.Mix(c.Seed + k)
	if c.before.Vertex == nil || c.before.Pixel == nil {
		return []trial.Trial{&trial.Batch{Seed: seed, N: size, Known: c.Constants, Further: c.framework.ExtraRegisters()}}
	}
	patience := draws.Much
	if c.Shared != nil || (c.Brief || c.Effort == Quick) && c.accepted() {
		patience, size = draws.Little, size/4
	}
	t := trial.Draw{Known: c.Constants}
	sides, err := c.compileOnce()
	if err == nil {
		var d draws.Drawn
		d, err = draws.Compiled(sides[0].Vertex, sides[0].Pixel, c.before.Vertex, c.before.Pixel,
			c.framework.Host(&c.hosts[0]), seed, patience, c.runsBudget())
		t.Case, t.Image, t.Drew = d.Case, d.Image, sides[0]
	}
	if err != nil {
		t.Case = c.defaultDraw()
	}
	if err == nil && sides[0].Vertex == sides[1].Vertex && len(c.Uploads) == 0 && c.framework == nil {
		return []trial.Trial{t} // fixed-function outputs are the same
	}
	return []trial.Trial{t, &trial.Batch{Seed: seed, N: size, Fixed: true, Known: c.Constants,
		Further: c.framework.ExtraRegisters()}}
}

// defaultDraw returns the draw of the pair that is used if no random one can be generated. It depends on
// before alone.
func (c *checker) defaultDraw() *interp.Case {
	s := c.Shared
	if s == nil {
		return interp.DefaultCase(c.before.Vertex, c.before.Pixel)
	}
	if s.drawn != c.before {
		s.drawn, s.draw = c.before, interp.DefaultCase(c.before.Vertex, c.before.Pixel)
	}
	return s.draw
}

// moreDraws is the number of further draws if the first do not show a difference that the field proof found.
const moreDraws = 8

func (c *checker) moreTrials() (list []trial.Trial) {
	if c.field.Outcome != proof.Different {
		return nil
	}
	for k := range uint64(moreDraws) >> c.Shared.searches() {
		if c.runsBudget().Err() != nil {
			break // the budget allows no execution
		}
		drawn := c.drawn(1<<32+k, 256)
		list = append(list, drawn...)
		if t, ok := drawn[0].(trial.Draw); ok {
			list = append(list, t.Stretched())
		}
	}
	return list
}

// Limits of fuzzed trials, besides the budget of searches (searchMethod). Assumed.
const (
	maxBred     = 4000
	maxBredFull = 5000
)

// search fuzzes trials until one shows a difference. It is guided by coverage, as AFL is (see explore.Fuzzer): it
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
		bases = slices.Insert(bases, 0, trial.Trial(&trial.Batch{Seed: symbolic.Mix(c.Seed), N: interp.Lanes, Fixed: true,
			Known: c.Constants, Further: c.framework.ExtraRegisters()}))
	}
	c.watch(sides)
	for _, s := range sides {
		s.Work = c.methodBudget(searchMethod)
	}
	numbers := c.numbers()
	b := &explore.Fuzzer{Stream: symbolic.Stream(symbolic.Mix(c.Seed + 1<<40)), Bases: len(bases), Leaves: leaves}
	b.Base = explore.Memoize(func(base int, l explore.Leaf) uint32 { return trial.Value(bases[base], l) })
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
		b.Queue = append(b.Queue, explore.Seed{Set: a})
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
		var shown [2]*trial.Sample
		for i := range shown {
			if shown[i], err = t.Execute(sides[i], c.trialNumerics(0), 0); err != nil {
				break
			}
		}
		if c.methodBudget(searchMethod).Err() != nil {
			return nil
		}
		if err != nil {
			continue
		}
		// Record new coverage, and how many registers differ.
		s.Spread = explore.CountDiffering(sides[0].Seen.Left, sides[1].Seen.Left)
		b.Keep(s, sides[0].Seen.Fresh+sides[1].Seen.Fresh > fresh)
		// A difference counts only after executions with perturbed inputs have weighed it.
		x := trial.Compare(shown[0], shown[1], trial.CloseEnough)
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
	list := slices.Clone(explore.Notable)
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

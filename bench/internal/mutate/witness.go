package mutate

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// Mutants should matter. No random input kills many coarse mutants. Nothing depends on their change, or its
// consumers are executed rarely or absorb it (a sign under a square, a kill of a positive value). Such
// mutants are no measure of the judge, and only one in [aimless] of them is judged. Kinds that are subtle
// or that no execution shows skip this check.

// witnesses is the number of inputs that are tried. witnessWork bounds an execution, in the units of the
// interpreters' budgets. Assumed.
const witnesses, witnessWork = 3, 1 << 16

// witnessed reports whether one of a few random inputs kills m, or may do so: a mutant that the
// interpreters reject or do not finish counts as different.
func witnessed(s, m *Subject, seed uint64) bool {
	switch {
	case s.Kernel != nil:
		return launchesDiffer(s, m, seed)
	case s.Pair.Vertex != nil && s.Pair.Pixel != nil:
		return drawsDiffer(s.Pair, m.Pair, seed)
	}
	return invocationsDiffer(s.Pair, m.Pair, seed)
}

// launchesDiffer executes kernels on small grids.
func launchesDiffer(s, m *Subject, seed uint64) bool {
	b, errB := kernel.Compile(s.Kernel)
	a, errA := kernel.Compile(m.Kernel)
	if errB != nil || errA != nil {
		return true
	}
	for k := range uint64(witnesses) {
		c := kernel.DefaultCase(s.Kernel, seed+k)
		c.Width, c.Height = min(c.Width, 8), min(c.Height, 8)
		x, err := b.Run(c, kernel.Options{Steps: witnessWork * kernel.Lanes})
		if err != nil {
			continue // no evidence
		}
		// The mutant has four times the work: one that takes longer differs enough.
		y, err := a.Run(c, kernel.Options{Steps: 4 * witnessWork * kernel.Lanes})
		if err != nil || !sameLaunch(x, y) {
			return true
		}
	}
	return false
}

// sameLaunch compares all results of a launch, bit by bit.
func sameLaunch(x, y *kernel.Result) bool {
	for i := range x.Out {
		if !slices.Equal(x.Out[i], y.Out[i]) {
			return false
		}
	}
	return slices.Equal(x.Depth, y.Depth) && slices.Equal(x.Mask, y.Mask) && slices.Equal(x.Discarded, y.Discarded) &&
		slices.Equal(x.Global, y.Global) &&
		slices.EqualFunc(x.Views, y.Views, sameMemory) && slices.EqualFunc(x.Shares, y.Shares, sameMemory)
}

func sameMemory(a, b kernel.Memory) bool { return a.ID == b.ID && slices.Equal(a.Words, b.Words) }

// drawsDiffer executes pairs on random draws, or on the default one if the budget allows none.
func drawsDiffer(before, after Pair, seed uint64) bool {
	var shaders [2][2]*interp.Shader
	for i, p := range []Pair{before, after} {
		var err [2]error
		shaders[i][0], err[0] = interp.Compile(p.Vertex)
		shaders[i][1], err[1] = interp.Compile(p.Pixel)
		if err[0] != nil || err[1] != nil {
			return true
		}
	}
	for k := range uint64(witnesses) {
		c, _, err := draws.RandomWithin(before.Vertex, before.Pixel, seed+k, draws.Much, workBudget(1))
		if err != nil {
			c = interp.DefaultCase(before.Vertex, before.Pixel)
		}
		x, err := interp.DrawWithin(shaders[0][0], shaders[0][1], c, interp.Numerics{}, workBudget(1))
		if err != nil {
			continue
		}
		y, err := interp.DrawWithin(shaders[1][0], shaders[1][1], c, interp.Numerics{}, workBudget(4))
		if err != nil || !samePicture(x, y) {
			return true
		}
	}
	return false
}

// workBudget returns a budget of times executions.
func workBudget(times int64) *budget.Budget {
	return budget.New(context.Background(), times*witnessWork, math.MaxInt64)
}

// samePicture compares the targets, coverage and depth of two draws, bit by bit.
func samePicture(x, y *interp.Image) bool {
	for i := range x.Targets {
		if !slices.EqualFunc(x.Targets[i], y.Targets[i], sameBits) {
			return false
		}
	}
	return slices.Equal(x.Covered, y.Covered) && slices.EqualFunc(x.Depth, y.Depth, sameBits)
}

// invocationsDiffer executes single programs on small numbers, multiples of 1/16 and 1/32, with which sums
// and products are mostly exact. Inputs and constants are the same for both versions.
func invocationsDiffer(before, after Pair, seed uint64) bool {
	r := rand.New(rand.NewPCG(seed, 2))
	var results [2]*interp.Result
	for range witnesses {
		env := &interp.Env{Constants: &interp.Constants{Float: make([][4]float32, 256)}}
		for i := range env.Constants.Float {
			for c := range 4 {
				env.Constants.Float[i][c] = float32(r.IntN(65)-32) / 16
			}
		}
		for i := range env.Constants.Int {
			env.Constants.Int[i] = [4]int32{r.Int32N(5), r.Int32N(2), 1, 0}
			env.Constants.Bool[i] = r.IntN(2) == 0
		}
		var in []interp.Words
		for i, p := range []Pair{before, after} {
			program := p.Vertex
			if program == nil {
				program = p.Pixel
			}
			sh, err := interp.Compile(program)
			if err != nil {
				return true
			}
			if i == 0 {
				for range sh.Inputs() {
					in = append(in, numbers(r))
				}
			} else if len(sh.Inputs()) != len(in) {
				return true
			}
			e := *env
			e.Steps = witnessWork
			if results[i], err = sh.Run(&e, interp.Lanes, in); err != nil {
				if i > 0 {
					return true
				}
				break
			}
		}
		if results[0] != nil && results[1] != nil && !sameOutputs(results[0], results[1]) {
			return true
		}
	}
	return false
}

// numbers returns the values of an input register in all lanes.
func numbers(r *rand.Rand) (w interp.Words) {
	for c := range w {
		w[c] = make([]float32, interp.Lanes)
		for i := range w[c] {
			w[c][i] = float32(r.IntN(257)-128) / 32
		}
	}
	return w
}

func sameOutputs(x, y *interp.Result) bool {
	return slices.Equal(x.Killed, y.Killed) && slices.EqualFunc(x.Out, y.Out, func(a, b interp.Words) bool {
		for c := range a {
			if !slices.EqualFunc(a[c], b[c], sameBits) {
				return false
			}
		}
		return true
	})
}

func sameBits(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }

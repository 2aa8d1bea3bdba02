package mutate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/verify/draws"
	"github.com/shaderlift/shaderlift/verify/interp"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// otherSeeds is the number of further seeds with which an accepted mutant is executed.
const otherSeeds = 2

// differs searches for a difference between two versions that the judge accepted. It tests them again on
// inputs of other seeds, with constants from lists of edge values. It returns a description of the
// difference, or "". It trusts only counterexamples, which the judge replays on its interpreters, and
// ignores verdicts of proofs.
func differs(before, after *Subject, seed uint64) string {
	for n := range uint64(otherSeeds) {
		// The odd multiplier is 2^64 over the golden ratio (Knuth, volume 3, section 6.4). The seeds differ
		// from the judge's, and are far apart.
		s := seed*0x9e3779b97f4a7c15 + 0x5eed + n
		o := verify.Options{Numerics: verify.Real, Effort: verify.Full, Seed: s}
		r := rand.New(rand.NewPCG(s, 3))
		if before.Kernel != nil {
			for k := range uint64(6) {
				o.KernelCases = append(o.KernelCases, edgeLaunch(kernel.DefaultCase(before.Kernel, s+k), r))
			}
		} else if before.Pair.Vertex != nil && before.Pair.Pixel != nil {
			for k := range uint64(4) {
				if c, _, err := draws.Random(before.Pair.Vertex, before.Pair.Pixel, s+k); err == nil {
					o.Cases = append(o.Cases, edgeDraw(c, r))
				}
			}
		}
		rep := before.Check(after, o)
		if c := rep.Counterexample; rep.Verdict == verify.Refuted && c != nil {
			return fmt.Sprintf("%s at %s: %v, was %v (%#x, %#x)\n%s", c.Output, c.Where, c.After, c.Before, c.Bits[1],
				c.Bits[0], c.Input)
		}
	}
	return ""
}

// edges lists floats that programs compare with: zeros and ones, bounds of loops and bytes, and the value
// of kind rare-equality. It also lists floats at which arithmetic changes: the ends of the range, and 2^23,
// from which on floats are integers.
var edges = []float32{0, 1, -1, 0.5, 2, 3, 5, 6, 7, 255, 256, 12345, -12345, 1e-3, 1e-30, 1e30, -1e30, 0x1p23,
	0x1p-126, math.MaxFloat32}

// edgeDraw sets some of the constants of a draw to values of edges.
func edgeDraw(c *interp.Case, r *rand.Rand) *interp.Case {
	d := *c
	for i, k := range []*interp.Constants{&d.Vertex, &d.Pixel} {
		k.Float = slices.Clone(k.Float)
		if i == 0 && r.IntN(2) == 0 {
			// In half of the cases the vertex constants remain: other matrices leave hardly anything in
			// view.
			continue
		}
		for j := range k.Float {
			if r.IntN(4) == 0 {
				k.Float[j][r.IntN(4)] = edges[r.IntN(len(edges))]
			}
		}
		for j := range k.Int {
			k.Int[j][0] = choose[int32](r, 0, 1, 2, 5, 6, 7, 9, 255)
		}
		for j := range k.Bool {
			k.Bool[j] = r.IntN(2) == 0
		}
	}
	return &d
}

// edgeWords lists words that kernels compare with, as integers and as floats: 0x4640e400 is 12345.0.
var edgeWords = []uint32{0, 1, 2, 3, 5, 6, 7, 8, 100, 12345, 0x4640e400, 0x7fffffff, 0x80000000, 0xffffffff,
	0x3f800000, 0x40c00000, 0x40e00000, 0x7f800000, 0x7fc00000}

// edgeLaunch sets some of the constants of a launch to values of edgeWords.
func edgeLaunch(c *kernel.Case, r *rand.Rand) *kernel.Case {
	d := *c
	for b := range d.Constants {
		d.Constants[b] = slices.Clone(d.Constants[b])
		for i := range d.Constants[b] {
			if r.IntN(3) == 0 {
				d.Constants[b][i][r.IntN(4)] = edgeWords[r.IntN(len(edgeWords))]
			}
		}
	}
	return &d
}

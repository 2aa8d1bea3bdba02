package verify

import (
	"slices"

	"github.com/shaderlift/shaderlift/verify/internal/proof"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/internal/trial"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// executeBoth executes both versions and reports whether they really differ. Perturbed run number j of before has its
// own seed and uses the modes in turn. Differences that hardware may make thus count as a sensitivity of
// before.
func (c *checker) executeBoth(sides [2]*trial.Version, t trial.Trial, n interp.Numerics, k uint64) (bool,
	*trial.Contrast, error) {
	shakes := ordinarily
	if sides[0].Seen != nil {
		shakes = atEdges
	}
	differ, x, err := c.weigh(shakes, func(side, shaken int) (*trial.Sample, error) {
		if shaken == 0 {
			return t.Execute(sides[side], n, 0)
		}
		j := shaken - 1
		jitter := (c.Seed + k + uint64(j)<<32 + 1) &^ trial.MoreRoundings
		if j >= moreJitters {
			jitter |= trial.MoreRoundings
		}
		m := modes[j%len(modes)]
		m.Range = n.Range
		return t.Execute(sides[side], m, jitter)
	})
	if err != nil || c.exactly() || x.Shape != "" || x.Exact {
		return differ, x, err
	}
	switch {
	case !differ && x.Doubtful && c.field.Outcome == proof.Equal &&
		(c.positionsExplain(sides, t, n, k) || c.roundingsExplain(sides, t, n, k, true, 0)):
		x.Doubtful = false
	case !differ:
	case c.roundingsExplain(sides, t, n, k, c.field.Outcome == proof.Equal || x.Few, 1.0/32):
		differ, x.Doubtful = false, true
	case !c.overflowExplains(sides, t, n, k):
	case c.field.Outcome == proof.Equal:
		differ, x.Doubtful, x.Overflows = false, true, true
	default:
		x.Loose = true
	}
	return differ, x, nil
}

// positionsExplain reports whether a doubt about versions that are equal over the reals disappears if
// positions are perturbed, too. They are fixed at first, because triangles move with them. But a pixel
// program may compute with them, and its subtractions may cancel in a whole row of pixels.
func (c *checker) positionsExplain(sides [2]*trial.Version, t trial.Trial, n interp.Numerics, k uint64) bool {
	d, ok := t.(trial.Draw)
	if !ok || d.Moving {
		return false
	}
	d.Moving = true
	differ, x, err := c.executeBoth(sides, d, n, k)
	return err == nil && !differ && !x.Doubtful
}

// overflowExplains reports whether both versions agree wherever they compute only with ordinary numbers (see
// [interp.Seen]): x*3e38/y may overflow where x/y*3e38 does not. The reals promise nothing about overflow, so
// it does not count between versions that are equal there. It is not the picture of before either.
func (c *checker) overflowExplains(sides [2]*trial.Version, t trial.Trial, n interp.Numerics, k uint64) bool {
	if sides[0].Seen != nil {
		return false // such points did not count
	}
	watched := [2]*trial.Version{}
	for i, s := range sides {
		fresh := *s
		watched[i] = &fresh
	}
	c.watch(watched)
	differ, _, err := c.executeBoth(watched, t, n, k)
	return err == nil && !differ
}

// scatters is the number of executions of before with random roundings. A rounding that falls the other way
// one time in three is then missed with probability (2/3)^24, about 2^-14.
const scatters = 24

// roundingsExplain reports whether other roundings within before give the results of after, except at a share
// of the points. Perturbed inputs do not show such results: x-x+tiny is 0 or tiny depending on how x is
// rounded, whatever x is. Such a difference is not a fault of after, though before does not draw it either.
// roundingsExplain does not ask whether the versions are equal over the reals; the field proof decides that later.
// With numbers, an infinity or NaN of before explains any value of after, as in the field proof, which compares
// numbers alone.
func (c *checker) roundingsExplain(sides [2]*trial.Version, t trial.Trial, n interp.Numerics, k uint64, numbers bool,
	share float64) bool {
	var runs []*trial.Sample
	for i := range 2 + scatters {
		side := 0
		switch i {
		case 0:
			n.Scatter = 0
		case 1:
			side = 1
		default:
			n.Scatter = symbolic.Mix(c.Seed+k+uint64(i)<<32) | 1
		}
		s, err := t.Execute(sides[side], n, 0)
		if err != nil {
			return false
		}
		runs = append(runs, s)
	}
	left, _ := trial.Unexplained(runs[0], runs[1], runs[2:], numbers)
	return float64(left) <= share*float64(runs[0].N)
}

// weigh executes both versions and reports whether they really differ. run takes the version and the number
// of the perturbation, 0 for none.
//
// If bits must agree, any difference is real. Otherwise a point counts if no perturbation of before comes
// near the value of after (see trial.Unexplained). Perturbed runs of before against each other calibrate the test
// for badly conditioned programs. The versions differ if more than four times as many points count as there.
//
// If at most one point in 32 counts, before is perturbed more often. The points that still count then are a
// doubt and no verdict, and so is a badly conditioned version that a proof accepts. These rules do not excuse
// differences in words that are probably no floats, unless the field proof found the versions equal.
func (c *comparison) weigh(shakes []int, run func(side, shaken int) (*trial.Sample, error)) (bool, *trial.Contrast,
	error) {
	before, err := run(0, 0)
	if err != nil {
		return false, nil, err
	}
	after, err := run(1, 0)
	if err != nil {
		return false, nil, err
	}
	if c.exactly() {
		x := trial.Compare(before, after, trial.SameBits)
		return x.Differing > 0 || x.Shape != "", x, nil
	}
	x := trial.Compare(before, after, trial.CloseEnough)
	switch {
	case x.Shape != "", x.Exact:
		return true, x, nil
	case x.Typeless && c.field.Outcome != proof.Equal && !c.sampledSame():
		x.Loose = true
		return true, x, nil
	case x.Differing == 0:
		return false, x, nil
	}
	var shaken []*trial.Sample
	left, scope := 0, min(x.Points, before.N)
	// Perturb further only while some point is unexplained.
	for _, most := range shakes {
		for len(shaken) < most {
			s, err := run(0, len(shaken)+1)
			if err != nil {
				return false, nil, err
			}
			shaken = append(shaken, s)
		}
		n, first := trial.Unexplained(before, after, shaken, c.field.Outcome == proof.Equal)
		if left = n; n == 0 || n <= 4*against(before, shaken) {
			return false, x, nil
		}
		x.First = first
		if most >= moreJitters && left*32 <= scope {
			break
		}
	}
	if x.Loose = trial.WithinTolerance(before, after) ||
		!trial.Finite(symbolic.Double(x.First.Before)); left*32 > scope && !(x.Loose && c.field.Outcome == proof.Equal) {
		return true, x, nil
	}
	// A kernel that writes few words shows a difference only in these.
	if n := before.Writes(x.First.Output); n > 0 && left*32 > n && trial.Finite(symbolic.Double(x.First.Before)) &&
		c.field.Outcome != proof.Equal && !c.sampledSame() {
		x.Loose = true // the field proof may still explain it
		return true, x, nil
	}
	// Overflow on the way is not promised.
	x.Doubtful = trial.Finite(symbolic.Double(x.First.Before)) && trial.Finite(symbolic.Double(x.First.After))
	if !x.Doubtful || c.field.Outcome != proof.Different {
		return false, x, nil
	}
	// A difference that the field proof has found needs few points, if no perturbation of before reaches it.
	for len(shaken) < edgeJitters {
		s, err := run(0, len(shaken)+1)
		if err != nil {
			return false, nil, err
		}
		shaken = append(shaken, s)
	}
	n, first := trial.Unexplained(before, after, shaken, false)
	if n == 0 || n <= 4*against(before, shaken) {
		return false, x, nil
	}
	x.First, x.Few, x.Loose = first, true, true
	return true, x, nil
}

// against returns the largest number of points at which one perturbed run of before differs from before by
// more than the other perturbed runs explain. This is the rate of false alarms of trial.Unexplained on this
// program.
func against(before *trial.Sample, shaken []*trial.Sample) (most int) {
	for j, s := range shaken[:jitters] {
		n, _ := trial.Unexplained(before, s, slices.Delete(slices.Clone(shaken), j, j+1), false)
		most = max(most, n)
	}
	return most
}

// jitters is the number of perturbed runs of before at first. moreJitters is the number in all before a
// difference counts as real. Constants are the same at all points, and inputs directed to a branch lie on an
// edge at all of them. Only one perturbation in four may cross it, so edgeJitters are needed to be sure that
// none does.
const (
	jitters     = 3
	moreJitters = 15
	edgeJitters = 63
)

// Numbers of perturbed runs after which the search may stop with an explanation. A difference that the last
// number leaves unexplained is real.
var (
	ordinarily = []int{jitters, moreJitters}
	atEdges    = []int{jitters, moreJitters, edgeJitters}
)

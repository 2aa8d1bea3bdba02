package verify

import (
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// executeBoth executes both versions and reports whether they really differ. Perturbed run number j of before has its
// own seed and uses the modes in turn. Differences that hardware may make thus count as a sensitivity of
// before.
func (c *checker) executeBoth(sides [2]*shaders, t trial, n interp.Numerics, k uint64) (bool, *contrast, error) {
	shakes := ordinarily
	if sides[0].seen != nil {
		shakes = atEdges
	}
	differ, x, err := c.weigh(shakes, func(side, shaken int) (*sample, error) {
		if shaken == 0 {
			return t.execute(sides[side], n, 0)
		}
		j := shaken - 1
		jitter := (c.Seed + k + uint64(j)<<32 + 1) &^ farther
		if j >= moreJitters {
			jitter |= farther
		}
		m := modes[j%len(modes)]
		m.Range = n.Range
		return t.execute(sides[side], m, jitter)
	})
	if err != nil || c.exactly() || x.shape != "" || x.exact {
		return differ, x, err
	}
	switch {
	case !differ && x.doubtful && c.field.outcome == equal && (c.positionsExplain(sides, t, n, k) || c.roundingsExplain(sides, t, n, k, true, 0)):
		x.doubtful = false
	case !differ:
	case c.roundingsExplain(sides, t, n, k, c.field.outcome == equal || x.few, 1.0/32):
		differ, x.doubtful = false, true
	case !c.overflowExplains(sides, t, n, k):
	case c.field.outcome == equal:
		differ, x.doubtful, x.overflows = false, true, true
	default:
		x.loose = true
	}
	return differ, x, nil
}

// positionsExplain reports whether a doubt about versions that are equal over the reals disappears if
// positions are perturbed, too. They are fixed at first, because triangles move with them. But a pixel
// program may compute with them, and its subtractions may cancel in a whole row of pixels.
func (c *checker) positionsExplain(sides [2]*shaders, t trial, n interp.Numerics, k uint64) bool {
	d, ok := t.(drawTrial)
	if !ok || d.moving {
		return false
	}
	d.moving = true
	differ, x, err := c.executeBoth(sides, d, n, k)
	return err == nil && !differ && !x.doubtful
}

// overflowExplains reports whether both versions agree wherever they compute only with ordinary numbers (see
// [interp.Seen]): x*3e38/y may overflow where x/y*3e38 does not. The reals promise nothing about overflow, so
// it does not count between versions that are equal there. It is not the picture of before either.
func (c *checker) overflowExplains(sides [2]*shaders, t trial, n interp.Numerics, k uint64) bool {
	if sides[0].seen != nil {
		return false // such points did not count
	}
	watched := [2]*shaders{}
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
// roundingsExplain does not ask whether the versions are equal over the reals; rung 3 decides that later.
// With numbers, an infinity or NaN of before explains any value of after, as in rung 3, which compares
// numbers alone.
func (c *checker) roundingsExplain(sides [2]*shaders, t trial, n interp.Numerics, k uint64, numbers bool, share float64) bool {
	var runs []*sample
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
		s, err := t.execute(sides[side], n, 0)
		if err != nil {
			return false
		}
		runs = append(runs, s)
	}
	left, _ := unexplained(runs[0], runs[1], runs[2:], numbers)
	return float64(left) <= share*float64(runs[0].n)
}

// weigh executes both versions and reports whether they really differ. run takes the version and the number
// of the perturbation, 0 for none.
//
// If bits must agree, any difference is real. Otherwise a point counts if no perturbation of before comes
// near the value of after (see unexplained). Perturbed runs of before against each other calibrate the test
// for badly conditioned programs. The versions differ if more than four times as many points count as there.
//
// If at most one point in 32 counts, before is perturbed more often. The points that still count then are a
// doubt and no verdict, and so is a badly conditioned version that a proof accepts. These rules do not excuse
// differences in words that are probably no floats, unless rung 3 found the versions equal.
func (c *ladder) weigh(shakes []int, run func(side, shaken int) (*sample, error)) (bool, *contrast, error) {
	before, err := run(0, 0)
	if err != nil {
		return false, nil, err
	}
	after, err := run(1, 0)
	if err != nil {
		return false, nil, err
	}
	if c.exactly() {
		x := compare(before, after, sameBits)
		return x.differing > 0 || x.shape != "", x, nil
	}
	x := compare(before, after, closeEnough)
	switch {
	case x.shape != "", x.exact:
		return true, x, nil
	case x.typeless && c.field.outcome != equal && c.field.outcome != sampledEqual:
		x.loose = true
		return true, x, nil
	case x.differing == 0:
		return false, x, nil
	}
	var shaken []*sample
	left, scope := 0, min(x.points, before.n)
	// Perturb further only while some point is unexplained.
	for _, most := range shakes {
		for len(shaken) < most {
			s, err := run(0, len(shaken)+1)
			if err != nil {
				return false, nil, err
			}
			shaken = append(shaken, s)
		}
		n, first := unexplained(before, after, shaken, c.field.outcome == equal)
		if left = n; n == 0 || n <= 4*against(before, shaken) {
			return false, x, nil
		}
		x.first = first
		if most >= moreJitters && left*32 <= scope {
			break
		}
	}
	if x.loose = withinTolerance(before, after) || !finite(symbolic.Double(x.first.before)); left*32 > scope && !(x.loose && c.field.outcome == equal) {
		return true, x, nil
	}
	// A kernel that writes few words shows a difference only in these.
	if n := before.writes(x.first.output); n > 0 && left*32 > n && finite(symbolic.Double(x.first.before)) && c.field.outcome != equal && c.field.outcome != sampledEqual {
		x.loose = true // rung 3 may still explain it
		return true, x, nil
	}
	// Overflow on the way is not promised.
	x.doubtful = finite(symbolic.Double(x.first.before)) && finite(symbolic.Double(x.first.after))
	if !x.doubtful || c.field.outcome != different {
		return false, x, nil
	}
	// A difference that rung 3 has found needs few points, if no perturbation of before reaches it.
	for len(shaken) < edgeJitters {
		s, err := run(0, len(shaken)+1)
		if err != nil {
			return false, nil, err
		}
		shaken = append(shaken, s)
	}
	n, first := unexplained(before, after, shaken, false)
	if n == 0 || n <= 4*against(before, shaken) {
		return false, x, nil
	}
	x.first, x.few, x.loose = first, true, true
	return true, x, nil
}

// withinTolerance reports whether differences are small in absolute terms, relative to the numbers of size 1 that are
// usual in programs. A proof over the reals may accept a version that is worse conditioned than before, which
// then differs by such amounts.
func withinTolerance(before, after *sample) bool {
	x := compare(before, after, func(c *channel, b, a uint32) bool {
		return closeBy(c, b, a) || math.Abs(symbolic.Double(b)-symbolic.Double(a)) <= tolerance
	})
	return x.differing*32 <= x.points
}

// against returns the largest number of points at which one perturbed run of before differs from before by
// more than the other perturbed runs explain. This is the rate of false alarms of unexplained on this
// program.
func against(before *sample, shaken []*sample) (most int) {
	for j, s := range shaken[:jitters] {
		n, _ := unexplained(before, s, slices.Delete(slices.Clone(shaken), j, j+1), false)
		most = max(most, n)
	}
	return most
}

package verify

import (
	"iter"
	"math"

	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Under numerics over the reals, roundings make results differ. The difference is small where nothing
// amplifies it. A comparison, a texel boundary or a cancellation can amplify it without limit. Before alone
// shows the possible size, by stochastic arithmetic: it is executed again on inputs perturbed by some
// roundings (as CESTAC does with random roundings; Vignes, 1993). A difference is explained if it is small
// relative to the values, or if the value of after lies within the perturbed values of before. Tiny results
// are therefore compared as strictly as others, and results of a cancellation are not.

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

// amplified is the factor by which roundings may move after farther than before, within the tolerance,
// because after makes other roundings. It was chosen.
const amplified = 64

// closeBy accepts values within the tolerance, or closer than the smallest normal number, because hardware
// may flush subnormals to zero. A value of before that is infinite or NaN only needs to be either of these in
// after. The reals have neither, and interpolation alone turns one into the other.
func closeBy(c *channel, b, a uint32) bool {
	if c.words != nil && !(plausible(b) && plausible(a)) {
		return b == a
	}
	x, y := symbolic.Double(b), symbolic.Double(a)
	if sameBits(c, b, a) || !finite(x) && !finite(y) {
		return true
	}
	return finite(x) && finite(y) && math.Abs(x-y) <= max(tolerance*max(math.Abs(x), math.Abs(y)), 0x1p-126)
}

// unexplained counts the points, including those of memories, at which after differs from before by more than
// the perturbed samples of before explain. It returns the first of them. If equal, the versions are equal
// over the reals, and infinities and NaNs of before are skipped. The cost is points times perturbed samples.
func unexplained(before, after *sample, shaken []*sample, equal bool) (n int, first point) {
	if before.loose || len(before.chans) != len(after.chans) {
		return 0, first
	}
	for i := range before.n {
		if p, ok := before.puzzle(after, shaken, i, equal); ok {
			if n == 0 {
				first = p
			}
			n++
		}
	}
	for k, part := range before.parts[:min(len(before.parts), len(after.parts))] {
		list := make([]*sample, len(shaken))
		for j, s := range shaken {
			list[j] = s.parts[k]
		}
		m, p := unexplained(part, after.parts[k], list, equal)
		if n == 0 {
			first = p
		}
		n += m
	}
	return n, first
}

func (s *sample) shows(i int) bool { return s.on == nil || s.on[i] }

// alikeTo yields the points with the same input as point i. Each is perturbed differently.
func (s *sample) alikeTo(i int) iter.Seq[int] {
	return func(yield func(int) bool) {
		if !s.alike {
			yield(i)
			return
		}
		for at := range s.n {
			if !yield(at) {
				return
			}
		}
	}
}

// puzzle returns an unexplained difference at point i, and whether there is one. A point that only one
// version covers is explained if a perturbed before covers it as after does.
func (before *sample) puzzle(after *sample, shaken []*sample, i int, equal bool) (point, bool) {
	if before.apart(after, i) {
		return point{}, false
	}
	onB, onA := before.shows(i), after.shows(i)
	if onB != onA {
		for _, s := range shaken {
			for at := range s.alikeTo(i) {
				if s.shows(at) == onA {
					return point{}, false
				}
			}
		}
		return point{i, coverage, math.Float32bits(truth(onB)), math.Float32bits(truth(onA))}, true
	}
	if !onB {
		return point{}, false
	}
	for k := range before.chans {
		ch := &before.chans[k]
		b, a := ch.bitsAt(i), after.chans[k].bitsAt(i)
		if ch.loose || closeBy(ch, b, a) || equal && !finite(symbolic.Double(b)) && ch.words == nil {
			continue
		}
		if !within(ch, b, a, shaken, k, i) {
			return point{i, ch.name, b, a}, true
		}
	}
	return point{}, false
}

// within reports whether a lies in the range of the perturbed values of before, or not much outside. The
// tolerance outside is once the width of a wide range, as on either side of a comparison. A narrow range may
// be exceeded by amplified times its width, as long as that is still a rounding.
func within(ch *channel, b, a uint32, shaken []*sample, k, i int) bool {
	x := symbolic.Double(b)
	low, high := x, x
	for _, s := range shaken {
		for at := range s.alikeTo(i) {
			if !s.shows(at) {
				continue
			}
			w := s.chans[k].bitsAt(at)
			y := symbolic.Double(w)
			if sameBits(ch, w, a) || finite(x) != finite(y) {
				return true
			}
			low, high = min(low, y), max(high, y)
		}
	}
	y := symbolic.Double(a)
	if !finite(x) || !finite(y) {
		return false
	}
	spread := high - low
	slack := min(amplified*spread, max(spread, tolerance*max(math.Abs(low), math.Abs(high))))
	return y >= low-slack && y <= high+slack
}

func finite(x float64) bool { return x-x == 0 }

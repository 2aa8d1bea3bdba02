package verify

import (
	"iter"
	"math"

	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Where only reals have to agree, roundings make results differ: little where nothing amplifies them,
// and by anything where a comparison, a texel boundary or a cancellation does. What they can do is
// learnt from before alone, by stochastic arithmetic: it is executed again on inputs that are off by
// some roundings (as CESTAC does with random roundings; Vignes, 1993). A difference is explained if it
// is small beside the values themselves, or if what after computes lies where before gets to when it is
// shaken. So tiny results are compared as strictly as others, and results of a cancellation are not.

// jitters is how often before is shaken at first, and moreJitters how often in all before
// a difference is taken to be real. Constants are the same at all points, and inputs that are
// directed to where programs turn sit on an edge at all of them: one shake in four only may
// get across, so that it takes edgeJitters to be sure that none does.
const (
	jitters     = 3
	moreJitters = 15
	edgeJitters = 63
)

// How often before is shaken until a difference is real: what explains it ends that early.
var (
	ordinarily = []int{jitters, moreJitters}
	atEdges    = []int{jitters, moreJitters, edgeJitters}
)

// amplified is by how much farther than before after may be moved by roundings, of which it makes other
// ones, as long as that is within the tolerance. Chosen.
const amplified = 64

// closeBy accepts values within the tolerance, or closer than the smallest normal number:
// hardware may take what is subnormal for zero. What is infinite or no number before need
// only be either afterwards: the real numbers know neither, and interpolation alone makes
// the one of the other.
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

// unexplained counts the points at which after differs from before by more than shaken samples of
// before explain, and returns the first. Points of memories count as well. With equal, which says that
// the versions are equal over the reals, infinities and NaNs of before are not looked at. Its cost is
// the points times the shaken samples.
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

// alikeTo are the points that have the input of point i, each shaken in its own way.
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

// puzzle is a difference at point i that is not explained, and whether there is one. A point that one
// side alone covers is explained if a shaken before covers it as after does.
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
		b, a := ch.at(i), after.chans[k].at(i)
		if ch.loose || closeBy(ch, b, a) || equal && !finite(symbolic.Double(b)) && ch.words == nil {
			continue
		}
		if !within(ch, b, a, shaken, k, i) {
			return point{i, ch.name, b, a}, true
		}
	}
	return point{}, false
}

// within reports whether a lies where before is when shaken: between its values, or not
// much farther out than they are apart. Where they are far apart, as on either side of a
// comparison, that is once their distance; else so often that it is a rounding still.
func within(ch *channel, b, a uint32, shaken []*sample, k, i int) bool {
	x := symbolic.Double(b)
	low, high := x, x
	for _, s := range shaken {
		for at := range s.alikeTo(i) {
			if !s.shows(at) {
				continue
			}
			w := s.chans[k].at(at)
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

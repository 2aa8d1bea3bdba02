package trial

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

// amplified is the factor by which roundings may move after farther than before, within the tolerance,
// because after makes other roundings. It was chosen.
const amplified = 64

// CloseBy accepts values within the tolerance, or closer than the smallest normal number, because hardware
// may flush subnormals to zero. A value of before that is infinite or NaN only needs to be either of these in
// after. The reals have neither, and interpolation alone turns one into the other.
func CloseBy(c *Channel, b, a uint32) bool {
	if c.words != nil && !(plausible(b) && plausible(a)) {
		return b == a
	}
	x, y := symbolic.Double(b), symbolic.Double(a)
	if SameBits(c, b, a) || !Finite(x) && !Finite(y) {
		return true
	}
	return Finite(x) && Finite(y) && math.Abs(x-y) <= max(Tolerance*max(math.Abs(x), math.Abs(y)), 0x1p-126)
}

// Unexplained counts the points, including those of memories, at which after differs from before by more than
// the perturbed samples of before explain. It returns the first of them. If equal, the versions are equal
// over the reals, and infinities and NaNs of before are skipped. The cost is points times perturbed samples.
func Unexplained(before, after *Sample, shaken []*Sample, equal bool) (n int, first Point) {
	if before.loose || len(before.chans) != len(after.chans) {
		return 0, first
	}
	for i := range before.N {
		if p, ok := before.puzzle(after, shaken, i, equal); ok {
			if n == 0 {
				first = p
			}
			n++
		}
	}
	for k, part := range before.parts[:min(len(before.parts), len(after.parts))] {
		list := make([]*Sample, len(shaken))
		for j, s := range shaken {
			list[j] = s.parts[k]
		}
		m, p := Unexplained(part, after.parts[k], list, equal)
		if n == 0 {
			first = p
		}
		n += m
	}
	return n, first
}

func (s *Sample) shows(i int) bool { return s.on == nil || s.on[i] }

// alikeTo yields the points with the same input as point i. Each is perturbed differently.
func (s *Sample) alikeTo(i int) iter.Seq[int] {
	return func(yield func(int) bool) {
		if !s.Alike {
			yield(i)
			return
		}
		for at := range s.N {
			if !yield(at) {
				return
			}
		}
	}
}

// puzzle returns an unexplained difference at point i, and whether there is one. A point that only one
// version covers is explained if a perturbed before covers it as after does.
func (before *Sample) puzzle(after *Sample, shaken []*Sample, i int, equal bool) (Point, bool) {
	if before.apart(after, i) {
		return Point{}, false
	}
	onB, onA := before.shows(i), after.shows(i)
	if onB != onA {
		for _, s := range shaken {
			for at := range s.alikeTo(i) {
				if s.shows(at) == onA {
					return Point{}, false
				}
			}
		}
		return Point{i, Coverage, math.Float32bits(truth(onB)), math.Float32bits(truth(onA))}, true
	}
	if !onB {
		return Point{}, false
	}
	for k := range before.chans {
		ch := &before.chans[k]
		b, a := ch.bitsAt(i), after.chans[k].bitsAt(i)
		if ch.loose || CloseBy(ch, b, a) || equal && !Finite(symbolic.Double(b)) && ch.words == nil {
			continue
		}
		if !within(ch, b, a, shaken, k, i) {
			return Point{i, ch.name, b, a}, true
		}
	}
	return Point{}, false
}

// within reports whether a lies in the range of the perturbed values of before, or not much outside. The
// tolerance outside is once the width of a wide range, as on either side of a comparison. A narrow range may
// be exceeded by amplified times its width, as long as that is still a rounding.
func within(ch *Channel, b, a uint32, shaken []*Sample, k, i int) bool {
	x := symbolic.Double(b)
	low, high := x, x
	for _, s := range shaken {
		for at := range s.alikeTo(i) {
			if !s.shows(at) {
				continue
			}
			w := s.chans[k].bitsAt(at)
			y := symbolic.Double(w)
			if SameBits(ch, w, a) || Finite(x) != Finite(y) {
				return true
			}
			low, high = min(low, y), max(high, y)
		}
	}
	y := symbolic.Double(a)
	if !Finite(x) || !Finite(y) {
		return false
	}
	spread := high - low
	slack := min(amplified*spread, max(spread, Tolerance*max(math.Abs(low), math.Abs(high))))
	return y >= low-slack && y <= high+slack
}

// Finite reports whether x is neither infinite nor NaN.
func Finite(x float64) bool { return x-x == 0 }

// WithinTolerance reports whether differences are small in absolute terms, relative to the numbers of size 1 that are
// usual in programs. A proof over the reals may accept a version that is worse conditioned than before, which
// then differs by such amounts.
func WithinTolerance(before, after *Sample) bool {
	x := Compare(before, after, func(c *Channel, b, a uint32) bool {
		return CloseBy(c, b, a) || math.Abs(symbolic.Double(b)-symbolic.Double(a)) <= Tolerance
	})
	return x.Differing*32 <= x.Points
}

package wine

import (
	"errors"
	"fmt"
	"math"

	"github.com/shaderlift/shaderlift/verify/interp"
)

// Two components agree within either tolerance: relative, for operations that amplify rounding somewhat, or in
// units in the last place, for values near zero.
const (
	relativeTolerance = 1e-5
	ulpTolerance      = 2
)

// A difference is unstable if the interpreter's result moves by at least 1/amplification of it, or jumps, when
// operations are perturbed by as much as implementations differ. The first perturbation shows most unstable
// differences, but those close to the threshold of a comparison need more. Only draws with a wrong, or nearly
// wrong, difference reach the limit perturbations.
const (
	amplification = 8
	jump          = 1e-4 // relative to the values compared
	perturbations = 1024
)

// Agreement is the comparison of two pictures of one draw, component by component. Compared is the sum
// of Close, Special, Unstable and Wrong.
type Agreement struct {
	Compared int // components of pixels that either picture covers
	Close    int // within the tolerances
	Special  int // NaN, infinite or huge in either picture: not compared further
	Unstable int // different, but the interpreter's result also moves under perturbations
	Wrong    int // different, and not unstable
	First    *Difference
}

// Difference is the first wrong component of an Agreement.
type Difference struct {
	X, Y, Target, Component int
	Want, Got               float32
	Covered                 bool // false if only one picture covers the pixel
}

func (d *Difference) String() string {
	if !d.Covered {
		return fmt.Sprintf("pixel (%d,%d) is covered in one picture only", d.X, d.Y)
	}
	return fmt.Sprintf("pixel (%d,%d) component %d of target %d: want %v, got %v", d.X, d.Y, d.Component, d.Target,
		d.Want, d.Got)
}

// Compare compares a picture of a draw from another implementation, in the layout of Result.Pixels, with the
// interpreter's.
func Compare(p Programs, c *interp.Case, pixels []float32) (Agreement, error) {
	e, err := expect(p, c)
	if err != nil {
		return Agreement{}, err
	}
	if len(pixels) != len(e.pixels) {
		return Agreement{}, errors.New("wine: the picture has an unexpected size")
	}
	return e.compare(e.pixels, pixels)
}

// suspect is a component that is not close.
type suspect struct {
	target, at int // index into the target's floats
	want, got  float32
	coverage   bool // the pixel at/4 is covered in one picture only
}

// compare compares want and got, both in the layout of Result.Pixels, for the draw that e describes. Components
// that are not close, the suspects, are explained by perturbed draws. If the pictures come from two draws,
// other is the second: rounding in either draw can explain a difference.
func (e *expectation) compare(want, got []float32, other ...*expectation) (Agreement, error) {
	var a Agreement
	var suspects []suspect
	size := 4 * e.draw.Width * e.draw.Height
	for p := range size / 4 {
		inWant, inGot := e.covers(want, p), e.covers(got, p)
		switch {
		case !inWant && !inGot:
			continue
		// Add one suspect for the whole pixel.
		case inWant != inGot:
			a.Compared++
			suspects = append(suspects, suspect{at: 4 * p, coverage: true})
			continue
		}
		for t, mask := range e.image.Written {
			for c := range 4 {
				if !mask.Has(c) {
					continue
				}
				a.Compared++
				at := 4*p + c
				w, g := want[t*size+at], got[t*size+at]
				switch {
				case special(w) || special(g):
					a.Special++
				case isClose(w, g):
					a.Close++
				default:
					suspects = append(suspects, suspect{target: t, at: at, want: w, got: g})
				}
			}
		}
	}
	wrong, err := e.unexplained(suspects)
	if err != nil {
		return a, err
	}
	for _, o := range other {
		if wrong, err = o.unexplained(wrong); err != nil {
			return a, err
		}
	}
	a.Wrong = len(wrong)
	a.Unstable = len(suspects) - len(wrong)
	if len(wrong) > 0 {
		s := wrong[0]
		p := s.at / 4
		a.First = &Difference{p % e.draw.Width, p / e.draw.Width, s.target, s.at % 4, s.want, s.got, !s.coverage}
	}
	return a, nil
}

// covers reports whether pixel p of a picture differs from the clear colour in a component that the program
// writes. Pictures have no other information about coverage.
func (e *expectation) covers(picture []float32, p int) bool {
	size := 4 * e.draw.Width * e.draw.Height
	for t, mask := range e.image.Written {
		for c := range 4 {
			if mask.Has(c) && picture[t*size+4*p+c] != e.draw.Clear[c] {
				return true
			}
		}
	}
	return false
}

// unexplained draws perturbed cases until every suspect is unstable, and returns the suspects that remain.
// Perturbation k is the same for all suspects and calls.
func (e *expectation) unexplained(suspects []suspect) ([]suspect, error) {
	for k := 0; k < perturbations && len(suspects) > 0; k++ {
		img, err := e.perturbed(k)
		if err != nil {
			return nil, err
		}
		var left []suspect
		for _, s := range suspects {
			if !unstable(s, e.image, img) {
				left = append(left, s)
			}
		}
		suspects = left
	}
	return suspects, nil
}

// unstable reports whether the interpreter's results before and after a perturbation explain a suspect: only
// one of them covers its pixel, or the component moves by 1/amplification of the difference, or jumps.
func unstable(s suspect, before, after *interp.Image) bool {
	if before.Covered[s.at/4] != after.Covered[s.at/4] {
		return true
	}
	if s.coverage {
		return false
	}
	moved := math.Abs(float64(before.Targets[s.target][s.at]) - float64(after.Targets[s.target][s.at]))
	want, got := float64(s.want), float64(s.got)
	// Negated, so that NaN counts as moved.
	return !(moved < math.Abs(want-got)/amplification && moved < jump*max(math.Abs(want), math.Abs(got)))
}

// special reports whether x is NaN, infinite, or close to the end of the range. Implementations of Direct3D 9
// differ on such values.
func special(x float32) bool { return !(x > -1e30 && x < 1e30) }

// tiny is the limit below which values count as zero: they may come from denormals, which an implementation may
// flush.
const tiny = 0x1p-120

// isClose compares two ordinary values.
func isClose(a, b float32) bool {
	x, y := flushed(a), flushed(b)
	return math.Abs(x-y) <= relativeTolerance*max(math.Abs(x), math.Abs(y)) ||
		ulpDistance(float32(x), float32(y)) <= ulpTolerance
}

// flushed returns x, or 0 if x may come from denormals.
func flushed(x float32) float64 {
	if math.Abs(float64(x)) < tiny {
		return 0
	}
	return float64(x)
}

// ulpDistance returns the distance of a and b in units in the last place: the number of steps from float to
// float, where both zeros are one.
func ulpDistance(a, b float32) int64 {
	d := ordinal(a) - ordinal(b)
	return max(d, -d)
}

// ordinal returns the position of x in the order of the floats. Without its sign, the bits of a float are an
// integer that grows with it.
func ordinal(x float32) int64 {
	n := int64(math.Float32bits(x) &^ (1 << 31))
	if math.Signbit(float64(x)) {
		return -n
	}
	return n
}

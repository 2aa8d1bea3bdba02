package htmlreport

import (
	"cmp"
	"math"

	"github.com/shaderlift/shaderlift"
)

// The measures of the picture of a front, in pixels.
const (
	frontWidth  = 420
	frontHeight = 220
)

// front are the versions that a search has found, none of which is at least as good as another
// one in everything: cycles to the right, registers upwards.
type front struct {
	Versions []found
	Least    float64 // cycles
	Most     float64
	Fewest   int // registers
	Greatest int
}

// found is a version.
type found struct {
	shaderlift.Tuned
	Number  int
	X, Y    int
	Made    string
	Against string // the input
}

// frontOf is nil where nothing was searched.
func frontOf(r *shaderlift.Result) *front {
	if r.Tuning == nil || len(r.Tuning.Front) == 0 {
		return nil
	}
	f := &front{Least: math.Inf(1), Fewest: math.MaxInt}
	for _, v := range r.Tuning.Front {
		f.Least, f.Most = min(f.Least, v.Cycles), max(f.Most, v.Cycles)
		f.Fewest, f.Greatest = min(f.Fewest, v.GPRs), max(f.Greatest, v.GPRs)
	}
	for i, v := range r.Tuning.Front {
		n := found{Tuned: v, Number: i + 1, Made: cmp.Or(v.Pipeline, "(the input)")}
		n.X = axis + int(float64(frontWidth-2*axis)*share(v.Cycles, f.Least, f.Most))
		n.Y = frontHeight - axis - int(float64(frontHeight-2*axis)*share(float64(v.GPRs), float64(f.Fewest), float64(f.Greatest)))
		if k := r.Kernel; k != nil {
			n.Against = cost{"", shaderlift.Change{Before: int(k.Before.Cycles), After: int(v.Cycles)}}.Saved()
		}
		f.Versions = append(f.Versions, n)
	}
	return f
}

// share is how far x lies between a and b.
func share(x, a, b float64) float64 {
	if a == b {
		return 0.5
	}
	return (x - a) / (b - a)
}

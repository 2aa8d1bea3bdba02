package trial

import (
	"math"
	"sort"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// Divergence finds, for each version, its first statement that computes a value which the other neither
// computes nor receives. In the wrong version this is the fault, or an earlier place where a correct rewrite
// computes differently. Values are all that two programs with other registers and another order have in
// common.
func Divergence(sides [2]*interp.Trace, exactly bool) (first [2]asm.Pos) {
	var known [2]values
	for i, t := range sides {
		known[i] = newValues(t)
	}
	for i, t := range sides {
		for _, s := range t.Steps {
			if !known[1-i].containsValue(s.Value, exactly) {
				first[i] = s.Pos
				break
			}
		}
	}
	return first
}

// values are the sorted numbers that a version receives or computes. 0 and 1 are always included.
type values []float64

func newValues(t *interp.Trace) values {
	v := values{0, 1}
	add := func(x float32) {
		if x == x {
			v = append(v, float64(x))
		}
	}
	for _, x := range t.Known {
		add(x)
	}
	for _, s := range t.Steps {
		add(s.Value)
	}
	sort.Float64s(v)
	return v
}

// sameValue is the relative distance up to which two values count as the same except for rounding.
const sameValue = 1.0 / (1 << 16)

// containsValue reports whether x is in v, or is infinite or NaN.
func (v values) containsValue(x float32, exactly bool) bool {
	y := float64(x)
	slack := math.Abs(y) * sameValue
	if exactly {
		slack = 0
	}
	if math.IsNaN(y) || math.IsInf(y, 0) {
		return true
	}
	at := sort.SearchFloat64s(v, y-slack)
	return at < len(v) && v[at] <= y+slack
}

// Traced returns t with a trace to fill in.
func (t Draw) Traced(to *interp.Trace) Trial { t.trace = to; return t }

// Traced returns t with a trace to fill in.
func (t *Batch) Traced(to *interp.Trace) Trial { u := *t; u.trace = to; return &u }

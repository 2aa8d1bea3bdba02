// Package effectstest has what tests share that load effects by interfaces of applications:
// effects made for that, and a comparison of what such clients print.
package effectstest

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm/fx"
)

// Tolerance is how far numbers of two pictures may be apart, relative to those beyond 1: half
// a step of a target of 8 bits. FXAA shows by 0.0015 that coordinates of its fetches are interpolated
// rather than added up, which is all that makes a difference there. It divides by the contrast of
// neighbours: where the mesh has coordinates that are off by one unit in the last place, the
// program as it was is 0.0007 apart from itself.
const Tolerance = 1. / 512

// Difference is what tells two versions of an effect apart in what a client printed.
type Difference struct {
	Draws int      // lines "drawn KEY COVERED NUMBER..."
	Worst float64  // by which numbers differ in these
	Wrong []string // all other lines that differ, and "failed ..."
}

// Compare compares the lines that a client printed of an effect before and after.
func Compare(before, after []string) (d Difference) {
	wrong := func(format string, args ...any) { d.Wrong = append(d.Wrong, fmt.Sprintf(format, args...)) }
	if len(before) != len(after) {
		wrong("%d lines and %d", len(before), len(after))
		return d
	}
	for i, line := range before {
		old, now := strings.Fields(line), strings.Fields(after[i])
		switch {
		case strings.HasPrefix(line, "failed"):
			wrong("%s", line)
		case len(old) != len(now) || len(old) > 1 && old[1] != now[1] || !strings.HasPrefix(line, "drawn") && line != after[i]:
			wrong("%.200q becomes %.200q", line, after[i])
		case strings.HasPrefix(line, "drawn"):
			d.Draws++
			for k := range old[2:] {
				if x, y := number(old[2+k]), number(now[2+k]); x != y && !(math.IsNaN(x) && math.IsNaN(y)) {
					d.Worst = max(d.Worst, math.Abs(x-y)/max(1, math.Abs(x), math.Abs(y)))
				}
			}
		}
	}
	if math.IsNaN(d.Worst) || d.Worst > Tolerance {
		wrong("%d draws are up to %g apart", d.Draws, d.Worst)
	}
	return d
}

// number is NaN for all the ways to print that.
func number(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

// Pictures are the numbers of all draws.
func Pictures(lines []string) (pictures []string) {
	for _, line := range lines {
		if rest, ok := strings.CutPrefix(line, "drawn "); ok {
			_, rest, _ = strings.Cut(rest, " ")
			_, picture, _ := strings.Cut(rest, " ")
			pictures = append(pictures, picture)
		}
	}
	return pictures
}

// Blank is whether nothing shows.
func Blank(picture string) bool { return strings.Trim(picture, "0 ") == "" }

// WithoutSelection leaves out the parameters that say which programs there are, and which of them
// an index draws with: these are what growth changes.
func WithoutSelection(e *fx.Effect, lines []string) (kept []string) {
	var names []string
	if chosen, ok := e.Chosen(); ok {
		for stage := range chosen.Arrays {
			names = append(names, e.Parameters[chosen.Arrays[stage]].Type.Name.Text, e.Parameters[chosen.Tables[stage]].Type.Name.Text)
		}
	}
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		rest, ok := strings.CutPrefix(line, "parameter ")
		name, _, _ := strings.Cut(rest, ":")
		return ok && slices.Contains(names, name)
	})
}

// Package clients has the shared parts of tests that load effects through interfaces of applications: synthetic
// effects ([Synthetic]), [Compare] for the lines that such clients print, and [Seen] for the passes that they drew.
package clients

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// tolerance bounds the distance of numbers of two pictures, relative to numbers beyond 1: half a step of an
// 8-bit target. FXAA differs by 0.0015 if coordinates of its fetches are interpolated instead of added, and
// has no other difference. It divides by the contrast of neighbours. If coordinates of the mesh change by
// one unit in the last place, the original program differs from itself by 0.0007.
const tolerance = 1. / 512

// Difference is the difference of the lines that a client printed for two versions of an effect.
type Difference struct {
	Draws int      // lines "drawn KEY COVERED NUMBER..."
	Worst float64  // largest difference of their numbers
	Wrong []string // all other lines that differ, and "failed ..."
}

// Compare compares the lines that a client printed for an effect before and after.
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
		case len(old) != len(now) || len(old) > 1 && old[1] != now[1] ||
			!strings.HasPrefix(line, "drawn") && line != after[i]:
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
	if math.IsNaN(d.Worst) || d.Worst > tolerance {
		wrong("%d draws are up to %g apart", d.Draws, d.Worst)
	}
	return d
}

// number parses a number. It returns NaN for all ways to print NaN.
func number(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

// Pictures returns the numbers of all draws.
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

// Blank reports whether a picture is all zeros.
func Blank(picture string) bool { return strings.Trim(picture, "0 ") == "" }

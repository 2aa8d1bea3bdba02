package htmlreport

import (
	"cmp"
	"fmt"
	"math"

	"github.com/shaderlift/shaderlift"
)

// The dimensions of the picture of a front, in pixels.
const (
	frontWidth  = 420
	frontHeight = 220
)

// front is the Pareto front of the versions that a search has found: cycles to the right, registers
// upwards.
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
	Label   string
	Made    string
	Host    string // changes to the host program
	Against string // relative to the input
}

// frontOf returns the front of r, or nil without a search.
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
		n.Y = frontHeight - axis - int(float64(frontHeight-2*axis)*share(float64(v.GPRs), float64(f.Fewest),
			float64(f.Greatest)))
		n.Label = fmt.Sprint(n.Number)
		for k := range f.Versions { // close versions share a label
			if o := &f.Versions[k]; o.Label != "" && n.X-o.X < 30 && n.X > o.X-30 && n.Y-o.Y < 12 && n.Y > o.Y-12 {
				o.Label, n.Label = o.Label+", "+n.Label, ""
				break
			}
		}
		if v.Coarsened != nil {
			n.Host = v.Coarsened.String()
		}
		if k := r.Kernel; k != nil {
			n.Against = cost{"", shaderlift.Change{Before: int(k.Before.Cycles), After: int(v.Cycles)}}.Saved()
		}
		f.Versions = append(f.Versions, n)
	}
	return f
}

// share returns the relative position of x between a and b.
func share(x, a, b float64) float64 {
	if a == b {
		return 0.5
	}
	return (x - a) / (b - a)
}

func (w *writer) front(name string, f *front) {
	w.writef(`<h2>Versions found</h2>
<figure><svg class="plot" role="img" aria-label="versions by cycles and registers" viewBox="0 0 420 220" width="420" height="220">
<line x1="34" y1="186" x2="400" y2="186"/><line x1="34" y1="20" x2="34" y2="186"/>
`)
	for _, v := range f.Versions {
		w.writef(`<circle cx="%d" cy="%d" r="4"/><text x="%d" y="%d" dy="-8" text-anchor="middle">%s</text>`+"\n", v.X, v.Y,
			v.X, v.Y, v.Label)
	}
	w.writef(`<text x="34" y="206">%.0f</text><text x="386" y="206" text-anchor="end">%.0f cycles</text><text x="30" y="190" text-anchor="end">%d</text><text x="8" y="14">%d registers</text>
</svg>
<figcaption>No other version is at least as good as these in cycles, registers and words.</figcaption></figure>
<section class="wide" tabindex="0" aria-label="versions of %s"><table><thead><tr><th scope="col" class="n">no.</th><th scope="col" class="n">cycles</th><th scope="col" class="n">change</th><th scope="col" class="n">registers</th><th scope="col" class="n">words</th><th scope="col">verdict</th><th scope="col">pipeline</th><th scope="col">host</th></tr></thead>
<tbody>`, f.Least, f.Most, f.Fewest, f.Greatest, name)
	for _, v := range f.Versions {
		w.writef(`<tr><td class="n">%d</td><td class="n">%.0f</td><td class="n">%s</td><td class="n">%d</td><td class="n">%d</td><td>%s</td><td><code>%s</code></td><td>%s</td></tr>`+"\n",
			v.Number, v.Cycles, v.Against, v.GPRs, v.Words, v.Verdict, v.Made, v.Host)
	}
	w.writef("</tbody></table></section>\n")
}

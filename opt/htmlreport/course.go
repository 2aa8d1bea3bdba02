package htmlreport

import (
	"fmt"
	"strings"

	"github.com/shaderlift/shaderlift"
)

// The dimensions of the picture of a launch: the whole picture, and each version.
const (
	courseWidth  = 480
	courseHeight = 84
	courseGap    = 26
)

// courseLines are the curves of a launch over time, with values between 0 and 1, and the CSS class
// of each.
var courseLines = []struct{ Class, Name string }{
	{"part0", "vector units work"}, {"part2", "texture units work"}, {"part3", "SIMDs wait for data"}, {"part4",
		"cache hits"},
}

// course shows the progress of a launch with both versions of a kernel, as one plot of courseHeight
// pixels for each version. Each plot spans the simulated part, so that the plots compare shares,
// not times.
type course struct {
	Target, Domain string
	Width, Height  int
	Left, Right    int
	Versions       []coursed
}

// coursed is the plot of one version, from its start to the end of the version or its simulation.
// Shares of an interval range from Bottom (none) to Top (all).
type coursed struct {
	Text        string
	Top, Bottom int
	Paths       []coursePath
}

// coursePath is one curve, as the path of an SVG with a step for each interval.
type coursePath struct{ Class, D string }

// courseOf returns the plots of k, or nil without a simulation.
func courseOf(k *shaderlift.KernelCosts) *course {
	if k == nil || len(k.Before.Course) == 0 || len(k.CurrentCost().Course) == 0 {
		return nil
	}
	c := &course{Target: k.Target, Domain: k.Before.Domain, Width: axis + courseWidth + 10, Left: axis,
		Right: axis + courseWidth}
	versions := []shaderlift.KernelCost{k.Before, k.CurrentCost()}
	// An unchanged kernel has one version.
	if k.After == nil {
		versions = versions[:1]
	}
	for side, version := range versions {
		// The simulation may have ended before the launch.
		simulated := 0.0
		for _, i := range version.Course {
			simulated += i.Cycles
		}
		v := coursed{Text: fmt.Sprintf("%s: %.0f cycles", [...]string{"before", "after"}[side], version.Cycles),
			Top: c.Height + courseGap}
		if simulated < 0.999*version.Cycles {
			v.Text += fmt.Sprintf(", the first %.0f of them", simulated)
		}
		v.Bottom = v.Top + courseHeight
		c.Height = v.Bottom
		for i, l := range courseLines {
			var d strings.Builder
			from, to := 0.0, 0.0
			drawing := false
			// A horizontal line for each interval, joined by vertical ones; M starts a new line
			// after a gap.
			for _, in := range version.Course {
				from, to = to, to+in.Cycles/simulated*courseWidth
				y := float64(v.Bottom) - courseHeight*[...]float64{in.ALU, in.Fetch, in.Stalled, in.CacheHit}[i]
				switch {
				case l.Class == "part4" && in.Requests == 0: // without requests there is no share
					drawing = false
					continue
				case drawing:
					fmt.Fprintf(&d, "V%.1f", y)
				default:
					fmt.Fprintf(&d, "M%.1f %.1f", axis+from, y)
				}
				fmt.Fprintf(&d, "H%.1f", axis+to)
				drawing = true
			}
			v.Paths = append(v.Paths, coursePath{l.Class, d.String()})
		}
		c.Versions = append(c.Versions, v)
	}
	c.Height += 8
	return c
}

func (w *writer) course(c *course) {
	w.writef(`<h2>Timeline of a launch</h2>
<figure><svg class="course" role="img" aria-label="utilization of units during a launch" viewBox="0 0 %d %d" width="%d" height="%d">`+"\n", c.Width, c.Height, c.Width, c.Height)
	for _, v := range c.Versions {
		w.writef(`<text x="%d" y="%d" dy="-6">%s</text>
<line x1="%d" y1="%d" x2="%d" y2="%d"/><line x1="%d" y1="%d" x2="%d" y2="%d"/>
<text x="%d" y="%d" dx="-4" dy="8" text-anchor="end">1</text><text x="%d" y="%d" dx="-4" text-anchor="end">0</text>`+"\n",
			c.Left, v.Top, v.Text, c.Left, v.Top, c.Right, v.Top, c.Left, v.Bottom, c.Right, v.Bottom, c.Left, v.Top, c.Left, v.Bottom)
		for _, p := range v.Paths {
			w.writef("<path class=\"%s\" d=\"%s\"/>\n", p.Class, p.D)
		}
	}
	w.writef("</svg>\n<figcaption>Shares of the time, and of requests, during a launch over %s on %s.</figcaption></figure>\n<p class=\"key\">", c.Domain, c.Target)
	for _, l := range courseLines {
		w.writef(`<span class="%s"></span>%s`, l.Class, l.Name)
	}
	w.writef("</p>\n")
}

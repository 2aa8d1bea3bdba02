package htmlreport

import (
	"fmt"
	"strings"

	"github.com/shaderlift/shaderlift"
)

// The measures of the picture of a launch: of what it takes as a whole, and of each version.
const (
	courseWidth  = 480
	courseHeight = 84
	courseGap    = 26
)

// courseLines are the curves of a launch over time, all shares between 0 and 1, each with the CSS
// class that it is drawn in.
var courseLines = []struct{ Class, Name string }{
	{"part0", "vector units work"}, {"part2", "texture units work"}, {"part3", "SIMDs wait for data"}, {"part4", "requests that the cache has"},
}

// course is how a launch goes on with both versions of a kernel: per version a plot of courseHeight
// pixels below the other. Each is as wide as what was simulated of it, so that shares are compared
// and not times.
type course struct {
	Target, Domain string
	Width, Height  int
	Left, Right    int
	Versions       []coursed
}

// coursed is one version, from when it starts to when it, or its simulation, ends: shares of an interval from Bottom (none) to Top (all).
type coursed struct {
	Text        string
	Top, Bottom int
	Paths       []coursePath
}

// coursePath is one curve, as the path of an SVG: a step per interval.
type coursePath struct{ Class, D string }

// courseOf is nil where nothing was simulated.
func courseOf(k *shaderlift.KernelCosts) *course {
	if k == nil || len(k.Before.Course) == 0 || len(k.Now().Course) == 0 {
		return nil
	}
	c := &course{Target: k.Target, Domain: k.Before.Domain, Width: axis + courseWidth + 10, Left: axis, Right: axis + courseWidth}
	versions := []shaderlift.KernelCost{k.Before, k.Now()}
	// A kernel that was left as it was has one version.
	if k.After == nil {
		versions = versions[:1]
	}
	for side, version := range versions {
		// The simulation may have ended before the launch did.
		simulated := 0.0
		for _, i := range version.Course {
			simulated += i.Cycles
		}
		v := coursed{Text: fmt.Sprintf("%s: %.0f cycles", [...]string{"before", "after"}[side], version.Cycles), Top: c.Height + courseGap}
		if simulated < 0.999*version.Cycles {
			v.Text += fmt.Sprintf(", the first %.0f of them", simulated)
		}
		v.Bottom = v.Top + courseHeight
		c.Height = v.Bottom
		for i, l := range courseLines {
			var d strings.Builder
			from, to := 0.0, 0.0
			drawing := false
			// A horizontal line per interval, joined by vertical ones; M starts a new line behind a
			// gap.
			for _, in := range version.Course {
				from, to = to, to+in.Cycles/simulated*courseWidth
				y := float64(v.Bottom) - courseHeight*[...]float64{in.ALU, in.Fetch, in.Stalled, in.CacheHit}[i]
				switch {
				case l.Class == "part4" && in.Requests == 0: // there is nothing to have a share of
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
	w.put(`<h2>How a launch goes on</h2>
<figure><svg class="course" role="img" aria-label="what units do over the time of a launch" viewBox="0 0 %d %d" width="%d" height="%d">`+"\n", c.Width, c.Height, c.Width, c.Height)
	for _, v := range c.Versions {
		w.put(`<text x="%d" y="%d" dy="-6">%s</text>
<line x1="%d" y1="%d" x2="%d" y2="%d"/><line x1="%d" y1="%d" x2="%d" y2="%d"/>
<text x="%d" y="%d" dx="-4" dy="8" text-anchor="end">1</text><text x="%d" y="%d" dx="-4" text-anchor="end">0</text>`+"\n",
			c.Left, v.Top, v.Text, c.Left, v.Top, c.Right, v.Top, c.Left, v.Bottom, c.Right, v.Bottom, c.Left, v.Top, c.Left, v.Bottom)
		for _, p := range v.Paths {
			w.put("<path class=\"%s\" d=\"%s\"/>\n", p.Class, p.D)
		}
	}
	w.put("</svg>\n<figcaption>The share of the time, or of requests, in a launch over %s on %s.</figcaption></figure>\n<p class=\"key\">", c.Domain, c.Target)
	for _, l := range courseLines {
		w.put(`<span class="%s"></span>%s`, l.Class, l.Name)
	}
	w.put("</p>\n")
}

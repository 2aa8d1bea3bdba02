package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/internal/rank"
	"github.com/shaderlift/shaderlift/machine/sim"
)

// tutorialVersion is a version of the tutorial's product of matrices of so many rows. The one that
// the slides do not show is what passes make of the first.
func (d *document) tutorialVersion(v *rewrite, rows int) (*compiled, error) {
	if v.kernel != "" {
		return d.kernel(v.kernel)
	}
	c, _, err := d.rewritten(tutorialSteps[0].kernel, v.pipeline, rows/products[tutorialSteps[0].kernel].elements)
	return c, err
}

// timed is what versions of the tutorial take, with a constant of the machine changed if it has a name.
func (d *document) timed(rows, steps int, name string, value float64) (list []sim.Timing, err error) {
	for i := range tutorialSteps {
		c, err := d.tutorialVersion(&tutorialSteps[i], rows)
		if err != nil {
			return nil, err
		}
		t := *c.target
		if name != "" {
			if err := t.Set(name, value); err != nil {
				return nil, err
			}
		}
		// A copy with another target: the kernel is kept for other settings.
		changed := *c
		changed.target = &t
		r, err := changed.time(products[tutorialSteps[0].kernel], rows, steps)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

// cache compares hit shares and times of the tutorial's versions.
func cache(d *document) error {
	d.text("## The tutorial's matrix product: cache and time\n")
	d.text(`Share of texels found in L1, in per cent, and the speed that the model predicts in GFLOPS; the slides give no times by version.
v4 is what passes make of v1 for products of so many rows.
`)
	var rows [][]string
	var versions, sizes []string
	curves := make([]curve, 2*len(tutorialSteps)) // of each version ours, then what was published
	for i, v := range tutorialSteps {
		label, _, _ := strings.Cut(v.label, ",")
		versions = append(versions, label)
		curves[2*i], curves[2*i+1] = curve{label: v.label}, curve{theirs: true}
	}
	// The largest differences of hits, for launches that were simulated whole and in part.
	far := map[bool]float64{}
	for _, size := range tutorialHits {
		times, err := d.timed(size.size, d.steps, "", 0)
		if err != nil {
			return err
		}
		var hits []float64
		line := []string{number(size.size)}
		least := 1.0
		for i, r := range times {
			hits = append(hits, 100*r.L1Hit)
			curves[2*i].values, curves[2*i+1].values = append(curves[2*i].values, hits[i]), append(curves[2*i+1].values, size.hits[i])
			least = min(least, r.Simulated)
			off := hits[i] - size.hits[i]
			far[r.Simulated == 1] = max(far[r.Simulated == 1], math.Abs(off))
			line = append(line, fmt.Sprintf("%.2f / %.2f (%+.1f), %.0f", hits[i], size.hits[i], off, r.GFLOPS))
		}
		sizes = append(sizes, line[0])
		rows = append(rows, append(line, ranked(hits, size.hits[:]), fmt.Sprintf("%.0f", 100*least)))
	}
	labels := strings.Join(versions, " | ")
	d.table("rows | "+labels+" | rank correlation of hits | simulated %", rows)
	if err := d.plot("tutorial-hits", "Texels found in L1", "rows", "%", sizes, curves...); err != nil {
		return err
	}
	d.text(`Hits are up to %.1f points from print where launches were simulated whole, up to %.1f where in part; below 0.1 points,
differences are within what sampling leaves open. The model has too few hits in large products: the oldest wavefront goes first,
and wavefronts drift apart, while the printed 99 say that those of a row stay together. Tried with the first to come going first, all sizes from 128 on
were within 1.5 points, but v3 had the fewest hits and the last version was a fifth slower than v4.

Part of this no cache of the documented size explains. Both matrices of 16 and 32 rows are 2 and 8 kB, so that each line misses
once, whatever its size, and the share of misses halves with each doubling, as ours does: 8.3, 4.2, 2.1, 1.0 %%. The printed one of
v1 is 2.4, 2.9, 2.6, 1.3 %%. What else is counted there is not said. Sizes, and that all texture units share both levels, are as AMD told the
press; of associativity, replacement and the order of wavefronts nothing is published, and nothing is fitted.

How the last version stands to the others under settings of what is assumed, in GFLOPS at %d rows:
`, far[true], far[false], sensitiveRows)
	rows = nil
	for _, s := range sensitivities {
		times, err := d.timed(sensitiveRows, d.steps/5, s.name, s.value)
		if err != nil {
			return err
		}
		line := []string{"as it is"}
		if s.name != "" {
			line[0] = fmt.Sprintf("`%s` = %g", s.name, s.value)
		}
		var speed []float64
		for _, r := range times {
			speed = append(speed, r.GFLOPS)
			line = append(line, fmt.Sprintf("%.0f", r.GFLOPS))
		}
		rows = append(rows, append(line, fmt.Sprintf("%+.1f", 100*(speed[len(speed)-1]/slices.Max(speed[:len(speed)-1])-1))))
	}
	d.table("setting | "+labels+" | the last against the fastest of the others %", rows)
	return nil
}

// ranked is the rank correlation of two lists; "-" where one of them is constant.
func ranked(a, b []float64) string {
	if c := rank.Correlation(a, b); c == c {
		return fmt.Sprintf("%.2f", c)
	}
	return "-"
}

// sensitiveRows is how large the product is that the ranking is tried with.
const sensitiveRows = 1024

// sensitivities are settings of assumed constants that the ranking is tried under.
var sensitivities = []struct {
	name  string
	value float64
}{
	{}, {"l1-misses", 32}, {"l1-misses", 128}, {"clause-switch", 20}, {"clause-switch", 80}, {"l1-ways", 4}, {"l1-ways", 64},
	{"l1-latency", 90}, {"l1-latency", 360}, {"memory-latency", 1000}, {"l2-bandwidth", 128}, {"l1-fill", 0.5}, {"l1-fill", 2},
}

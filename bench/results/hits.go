package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/bench/internal/rank"
	"github.com/shaderlift/shaderlift/machine/sim"
)

// tutorialVersion returns a version of the tutorial's product of matrices with the given rows.
// Passes generate the version that the slides do not show from the first.
func (d *document) tutorialVersion(v *rewrite, rows int) (*compiled, error) {
	if v.kernel != "" {
		return d.kernel(v.kernel)
	}
	c, _, err := d.rewritten(tutorialSteps[0].kernel, v.pipeline, rows/products[tutorialSteps[0].kernel].elements)
	return c, err
}

// timed returns the times of the tutorial's versions. If name is not empty, it changes that
// constant of the machine.
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
		// Copy the kernel, because it is shared with other settings.
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

// cache compares hit rates and times of the tutorial's versions.
func cache(d *document) error {
	d.text("## The tutorial's matrix product: cache and time\n")
	d.text(`Each cell has the share of texels found in L1 in per cent, here and published, with the difference. The last figure is the
predicted speed in GFLOPS; the slides give no times by version. Passes generate v4 from v1 for each number of rows.
`)
	var rows [][]string
	var versions, sizes []string
	curves := make([]curve, 2*len(tutorialSteps)) // for each version our curve, then the published one
	for i, v := range tutorialSteps {
		label, _, _ := strings.Cut(v.label, ",")
		versions = append(versions, label)
		curves[2*i], curves[2*i+1] = curve{label: v.label}, curve{theirs: true}
	}
	// The largest differences of hit rates, for launches simulated wholly and in part.
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
			curves[2*i].values, curves[2*i+1].values = append(curves[2*i].values, hits[i]), append(curves[2*i+1].values,
				size.hits[i])
			least = min(least, r.Simulated)
			off := hits[i] - size.hits[i]
			far[r.Simulated == 1] = max(far[r.Simulated == 1], math.Abs(off))
			line = append(line, fmt.Sprintf("%.2f / %.2f (%+.1f), %.0f", hits[i], size.hits[i], off, r.GFLOPS))
		}
		if size.size == sensitiveRows {
			d.compareHits(times, hits, size.hits[:])
		}
		sizes = append(sizes, line[0])
		rows = append(rows, append(line, ranked(hits, size.hits[:]), fmt.Sprintf("%.0f", 100*least)))
	}
	labels := strings.Join(versions, " | ")
	d.table("rows | "+labels+" | rank correlation of hits | simulated %", rows)
	if err := d.plot("tutorial-hits", "Texels found in L1", "rows", "%", sizes, curves...); err != nil {
		return err
	}
	d.text(`Hits differ from print by up to %.1f points if launches were simulated completely, and by up to %.1f if only in part. Differences
below 0.1 points are within the error of sampling. The model has too few hits in large products. In the model, the oldest wavefront
goes first, and wavefronts drift apart; the published 99 %% mean that the wavefronts of a row stay together. In an experiment with
first come, first served, all sizes from 128 on were within 1.5 points. But v3 had the fewest hits, and the last version was a fifth
slower than v4.

No cache of the documented size explains all of the difference. Both matrices of 16 and 32 rows are 2 and 8 kB, so each line
misses once, and the share of misses halves with each doubling. In the model, it is 8.3, 4.2, 2.1, 1.0 %%. The published share of
v1 is 2.4, 2.9, 2.6, 1.3 %%; the slides do not say which other fetches it counts. Associativity, replacement and the order of
wavefronts are not published. The model assumes them, and nothing was fitted.

The next table changes one assumed constant at a time. Speeds are in GFLOPS, at %d rows:
`, far[true], far[false], sensitiveRows)
	rows = nil
	for _, s := range sensitivities {
		times, err := d.timed(sensitiveRows, d.steps/5, s.name, s.value)
		if err != nil {
			return err
		}
		line := []string{"default"}
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
	d.table("setting | "+labels+" | final against the fastest of the others %", rows)
	return nil
}

// compareHits enters the figures of the tutorial's versions for one size of the product.
func (d *document) compareHits(times []sim.Timing, hits, published []float64) {
	d.compare("P27", []float64{published[0], published[4]}, []float64{hits[0], hits[4]})
	d.compare("P28", []float64{published[2] - published[1]}, []float64{hits[2] - hits[1]})
	d.compare("P29", []float64{1}, []float64{times[4].GFLOPS / times[3].GFLOPS})
	d.compare("P30", []float64{tutorialGFLOPS}, []float64{max(times[3].GFLOPS, times[4].GFLOPS)})
}

// ranked returns the rank correlation of two lists, or "-" if one of them is constant.
func ranked(a, b []float64) string {
	if c := rank.Correlation(a, b); c == c {
		return fmt.Sprintf("%.2f", c)
	}
	return "-"
}

// sensitiveRows is the size of the product in the sensitivity analysis of the ranking.
const sensitiveRows = 1024

// sensitivities are values of assumed constants in the sensitivity analysis.
var sensitivities = []struct {
	name  string
	value float64
}{
	{}, {"l1-misses", 32}, {"l1-misses", 128}, {"clause-switch", 20}, {"clause-switch", 80}, {"l1-ways", 4}, {"l1-ways",
		64},
	{"l1-latency", 90}, {"l1-latency", 360}, {"memory-latency", 1000}, {"l2-bandwidth", 128}, {"l1-fill",
		0.5}, {"l1-fill", 2},
}

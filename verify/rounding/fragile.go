package rounding

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Fragility describes a program whose visible digits depend on roundings.
type Fragility struct {
	output string
	// offBy is the first-order error of the output that share of the points reach, on hardware that only
	// meets its reference.
	offBy float64
	share float64
	// Cause is the instruction that amplifies the roundings.
	Cause *Cause
}

// String formats f as a sentence.
func (f *Fragility) String() string {
	how := "off by " + strconv.FormatFloat(f.offBy, 'g', 2, 64) + " or more"
	if math.IsInf(f.offBy, 1) {
		how = "off by anything"
	}
	text := fmt.Sprintf("the input is fragile: rounding alone can set %s %s for %.0f %% of the tested inputs; %s of the %s program amplifies it",
		f.output, how, 100*f.share, f.Cause.op, f.Cause.stage)
	if f.Cause.fused {
		text += ", whose operand is a product and a sum that drivers round once or twice"
	}
	return text
}

// careful is an arithmetic about as precise as hardware can be. A program that is fragile on it is fragile
// everywhere. It omits the interpolation error, which is the same for versions that interpolate the same
// values.
var careful = Arithmetic{Name: "careful", vertex: fp32, pixel: fp32,
	reciprocal: 1.0 / (1 << 23), exp: 1.0 / (1 << 22), log: 1.0 / (1 << 22), pow: 1.0 / (1 << 20), partial: 1.0 / (1 << 10), sine: 1.0 / (1 << 20)}

// fragile searches for outputs of p that roundings change visibly at points of the box, and returns nil if
// it finds none. Where a bound may exist, it first checks that the error is visible anywhere in the box.
func (a *Analyzer) fragile(p *Pair, box *outcome, bounded bool) (*Fragility, error) {
	t := a.startTour(&careful, true, []*Pair{p}, []*outcome{box})
	defer t.releaseGraph()
	if bounded {
		if err := t.visit(0); err != nil || !slices.ContainsFunc(t.found[0].outs,
			func(o output) bool { return o.err > visible }) {
			return nil, err
		}
	}
	var f fragility
	for k := range points {
		if f.hopeless(points - k) {
			return nil, nil
		}
		if err := t.visit(k + 1); err != nil {
			return nil, err
		}
		f.recordOutputs(t.found[0])
	}
	return f.verdict(a), nil
}

// visible is the smallest visible error of a colour, a step of 8 bits. often is the share of points from
// which a program is called fragile. Both are chosen.
const (
	visible = 1.0 / 256
	often   = 1.0 / 4
)

// fragility collects the errors of outputs at points.
type fragility struct {
	n     int
	outs  []string
	at    map[string][]float64
	cause map[string]map[cause]int
}

// recordOutputs records the outputs at one more point.
func (f *fragility) recordOutputs(o *outcome) {
	if f.at == nil {
		f.at, f.cause = map[string][]float64{}, map[string]map[cause]int{}
	}
	f.n++
	for i := range o.outs {
		p := &o.outs[i]
		if f.at[p.name] == nil {
			f.outs = append(f.outs, p.name)
			f.cause[p.name] = map[cause]int{}
		}
		f.at[p.name] = append(f.at[p.name], p.err)
		if p.err > visible {
			f.cause[p.name][p.cause]++
		}
	}
}

// hopeless reports whether the program cannot become fragile with more further points.
func (f *fragility) hopeless(more int) bool {
	most := 0
	for _, list := range f.at {
		n := 0
		for _, e := range list {
			if e > visible {
				n++
			}
		}
		most = max(most, n)
	}
	return float64(most+more) < often*points
}

// verdict returns the output that has a visible error at the largest share of points, or nil if the share
// is below often. Its cause is the most frequent cause at these points.
func (f *fragility) verdict(a *Analyzer) (worst *Fragility) {
	for _, name := range f.outs {
		n, least := 0, infinity
		for _, e := range f.at[name] {
			if e > visible {
				n++
				least = min(least, e)
			}
		}
		share := float64(n) / float64(f.n)
		if share < often || worst != nil && share <= worst.share {
			continue
		}
		best, count := cause(0), 0
		for c, k := range f.cause[name] {
			if c != 0 && (k > count || k == count && c < best) {
				best, count = c, k
			}
		}
		if best != 0 { // else no instruction stands out
			c := a.causes[best]
			worst = &Fragility{output: name, offBy: least, share: share, Cause: &c}
		}
	}
	return worst
}

package rounding

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Fragility says that roundings decide digits that can be seen.
type Fragility struct {
	Output string
	// Error is what the output is off by in first order at one of Share of the points
	// looked at, if hardware does no more than its reference demands.
	Error float64
	Share float64
	// Cause is the instruction that amplifies them.
	Cause *Cause
}

// String says it in a sentence.
func (f *Fragility) String() string {
	how := "off by " + strconv.FormatFloat(f.Error, 'g', 2, 64) + " or more"
	if math.IsInf(f.Error, 1) {
		how = "off by anything"
	}
	text := fmt.Sprintf("the input is fragile: roundings alone can set %s %s for %.0f %% of the inputs looked at; %s of the %s program amplifies them",
		f.Output, how, 100*f.Share, f.Cause.Op, f.Cause.Stage)
	if f.Cause.Fused {
		text += ", whose operand is a product and a sum that drivers round once or twice"
	}
	return text
}

// careful is an arithmetic that does about as well as hardware can: what is fragile on that
// is fragile everywhere. Interpolation is left out: whatever it is off by, versions that
// interpolate the same get the same from it.
var careful = Arithmetic{Name: "careful", vertex: fp32, pixel: fp32,
	reciprocal: 1.0 / (1 << 23), exp: 1.0 / (1 << 22), log: 1.0 / (1 << 22), pow: 1.0 / (1 << 20), partial: 1.0 / (1 << 10), sine: 1.0 / (1 << 20)}

// fragile looks for outputs of p that the roundings of its instructions change visibly: at points of the
// box, unless they do so nowhere in it, which is asked first where there may be a bound. It returns nil
// if there is none.
func (a *Analyzer) fragile(p *Pair, box *outcome, bounded bool) (*Fragility, error) {
	t := a.tour(&careful, true, []*Pair{p}, []*outcome{box})
	defer t.end()
	if bounded {
		if err := t.visit(0); err != nil || !slices.ContainsFunc(t.found[0].outs, func(o output) bool { return o.err > visible }) {
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
		f.see(t.found[0])
	}
	return f.verdict(a), nil
}

// visible is an error that can be told from none in a colour, a step of 8 bits; often is the share of
// points from which on a program is called fragile. Chosen.
const (
	visible = 1.0 / 256
	often   = 1.0 / 4
)

// fragility gathers the errors of outputs at points.
type fragility struct {
	n     int
	outs  []string
	at    map[string][]float64
	cause map[string]map[cause]int
}

// see takes in the outputs at one more point.
func (f *fragility) see(o *outcome) {
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

// hopeless reports whether so many more points cannot make a program fragile.
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

// verdict is the output that is off visibly at the largest share of points, nil if at fewer than often.
// Its cause is the instruction that is so at most of them.
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
		if share < often || worst != nil && share <= worst.Share {
			continue
		}
		best, count := cause(0), 0
		for c, k := range f.cause[name] {
			if c != 0 && (k > count || k == count && c < best) {
				best, count = c, k
			}
		}
		if best != 0 { // else there is nothing to point at
			c := a.causes[best]
			worst = &Fragility{Output: name, Error: least, Share: share, Cause: &c}
		}
	}
	return worst
}

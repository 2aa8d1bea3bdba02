package explain

import "github.com/shaderlift/shaderlift/ir"

// The rates of kernels: per launch (constants alone), per invocation, and per trip of a loop.
const (
	perLaunch     Rate = "launch"
	perInvocation Rate = "invocation"
	perTrip       Rate = "trip"
)

// kernelRate is the rate at which the value of a statement may change.
type kernelRate struct {
	Rate
	Promised bool // it depends on constants of the host, not only on literals
	Loop     bool // it is in a loop
	Fetch    bool
}

// kernelRates returns the rates of statements, by line. If a line became several instructions, the highest
// rate counts.
func kernelRates(f *ir.Func) map[int]kernelRate {
	c := &rateClassifier{of: map[*ir.Value]kernelRate{}, lines: map[int]kernelRate{}}
	c.region(f.Body, false)
	return c.lines
}

// rateClassifier computes rates in one walk in program order. Loop parameters are per trip from the start,
// so no fixed point iteration is needed.
type rateClassifier struct {
	of    map[*ir.Value]kernelRate
	lines map[int]kernelRate
}

var rateOrder = map[Rate]int{"": 0, perLaunch: 1, perInvocation: 2, perTrip: 3}

// combineRates returns the rate of a value that depends on both a and b.
func combineRates(a, b kernelRate) kernelRate {
	if rateOrder[b.Rate] > rateOrder[a.Rate] {
		a.Rate = b.Rate
	}
	a.Promised, a.Loop, a.Fetch = a.Promised || b.Promised, a.Loop || b.Loop, a.Fetch || b.Fetch
	return a
}

// value returns the rate of an operand. Properties of its defining statement (in a loop, a fetch) do
// not propagate.
func (c *rateClassifier) value(v *ir.Value) kernelRate {
	switch v.Kind {
	case ir.Literal, ir.Undef:
		return kernelRate{Rate: perLaunch}
	case ir.Uniform:
		return kernelRate{Rate: perLaunch, Promised: true}
	case ir.Input:
		return kernelRate{Rate: perInvocation}
	}
	r := c.of[v]
	return kernelRate{Rate: r.Rate, Promised: r.Promised}
}

// region classifies the instructions of a region and returns the highest rate among them.
func (c *rateClassifier) region(r *ir.Region, loop bool) (most kernelRate) {
	for _, in := range r.Code {
		var rate kernelRate
		in.EachUse(func(l *ir.Lane) { rate = combineRates(rate, c.value(l.V)) })
		for _, v := range in.Args {
			rate = combineRates(rate, c.value(v))
		}
		switch {
		case in.Op == ir.OpLoop:
			// Block arguments of a loop may differ between trips.
			for _, sub := range in.Sub {
				for _, p := range sub.Params {
					c.of[p] = kernelRate{Rate: perTrip}
				}
				c.region(sub, true)
			}
			rate = kernelRate{Rate: perInvocation}
			if loop {
				rate.Rate = perTrip
			}
		case len(in.Sub) > 0:
			// The results of a branch depend on its condition and on all computations of both sides.
			for _, sub := range in.Sub {
				rate = combineRates(rate, c.region(sub, loop))
			}
		case in.Op.Has(ir.IsFetch), in.Op.Has(ir.Memory):
			rate = combineRates(rate, kernelRate{Rate: perInvocation, Fetch: in.Op.Has(ir.IsFetch)})
		}
		rate.Loop = loop
		in.EachDef(func(v *ir.Value) { c.of[v] = rate })
		if at := in.Pos.Line; at > 0 && len(in.Sub) == 0 && in.Op != ir.OpBreak {
			c.lines[at] = combineRates(c.lines[at], rate)
		}
		most = combineRates(most, rate)
	}
	return most
}

package shaderlift

import "github.com/shaderlift/shaderlift/ir"

// The rates of kernels: for a launch, since it depends on constants alone; for an invocation;
// and for a trip of a loop.
const (
	PerLaunch     Rate = "launch"
	PerInvocation Rate = "invocation"
	PerTrip       Rate = "trip"
)

// kernelRate is how often a statement computes something else.
type kernelRate struct {
	Rate
	promised bool // what it depends on are constants of the host, beside literals
	loop     bool // it is in a loop
	fetch    bool
}

// ratesOfKernel returns, by line, how often statements compute something else. If a line became
// several instructions, the greatest rate counts.
func ratesOfKernel(f *ir.Func) map[int]kernelRate {
	c := &rateClassifier{of: map[*ir.Value]kernelRate{}, lines: map[int]kernelRate{}}
	c.region(f.Body, false)
	return c.lines
}

// rateClassifier computes rates in one walk in program order: loop parameters are per trip from the
// start, so no fixpoint is needed.
type rateClassifier struct {
	of    map[*ir.Value]kernelRate
	lines map[int]kernelRate
}

var kernelRateOrder = map[Rate]int{"": 0, PerLaunch: 1, PerInvocation: 2, PerTrip: 3}

// more is the rate of what depends on both a and b.
func more(a, b kernelRate) kernelRate {
	if kernelRateOrder[b.Rate] > kernelRateOrder[a.Rate] {
		a.Rate = b.Rate
	}
	a.promised, a.loop, a.fetch = a.promised || b.promised, a.loop || b.loop, a.fetch || b.fetch
	return a
}

// value is the rate of an operand. Properties of the statement that made it (in a loop, a fetch) do
// not pass on.
func (c *rateClassifier) value(v *ir.Value) kernelRate {
	switch v.Kind {
	case ir.Literal, ir.Undef:
		return kernelRate{Rate: PerLaunch}
	case ir.Uniform:
		return kernelRate{Rate: PerLaunch, promised: true}
	case ir.Input:
		return kernelRate{Rate: PerInvocation}
	}
	r := c.of[v]
	return kernelRate{Rate: r.Rate, promised: r.promised}
}

// region classifies the instructions of a region and returns the greatest rate among them.
func (c *rateClassifier) region(r *ir.Region, loop bool) (most kernelRate) {
	for _, in := range r.Code {
		var rate kernelRate
		in.EachUse(func(l *ir.Lane) { rate = more(rate, c.value(l.V)) })
		for _, v := range in.Args {
			rate = more(rate, c.value(v))
		}
		switch {
		case in.Op == ir.OpLoop:
			// What a loop hands on may differ between trips.
			for _, sub := range in.Sub {
				for _, p := range sub.Params {
					c.of[p] = kernelRate{Rate: PerTrip}
				}
				c.region(sub, true)
			}
			rate = kernelRate{Rate: PerInvocation}
			if loop {
				rate.Rate = PerTrip
			}
		case len(in.Sub) > 0:
			// The results of a branch depend on its condition and on all that both sides compute.
			for _, sub := range in.Sub {
				rate = more(rate, c.region(sub, loop))
			}
		case in.Op.Has(ir.IsFetch), in.Op.Has(ir.Memory):
			rate = more(rate, kernelRate{Rate: PerInvocation, fetch: in.Op.Has(ir.IsFetch)})
		}
		rate.loop = loop
		in.EachDef(func(v *ir.Value) { c.of[v] = rate })
		if at := in.Pos.Line; at > 0 && len(in.Sub) == 0 && in.Op != ir.OpBreak {
			c.lines[at] = more(c.lines[at], rate)
		}
		most = more(most, rate)
	}
	return most
}

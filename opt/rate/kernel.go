package rate

import "github.com/shaderlift/shaderlift/ir"

// The rates of kernels: per launch (constants alone), per invocation, and per trip of a loop.
const (
	PerLaunch     Rate = "launch"
	PerInvocation Rate = "invocation"
	perTrip       Rate = "trip"
)

// Kernel is the rate at which the value of a statement may change.
type Kernel struct {
	Rate
	Promised bool // it depends on constants of the host, not only on literals
	Loop     bool // it is in a loop
	Fetch    bool
}

// OfKernel returns the rates of statements, by line. If a line became several instructions, the highest
// rate counts.
func OfKernel(f *ir.Func) map[int]Kernel {
	c := &classifier{of: map[*ir.Value]Kernel{}, lines: map[int]Kernel{}}
	c.region(f.Body, false)
	return c.lines
}

// classifier computes rates in one walk in program order. Loop parameters are per trip from the start,
// so no fixed point iteration is needed.
type classifier struct {
	of    map[*ir.Value]Kernel
	lines map[int]Kernel
}

var order = map[Rate]int{"": 0, PerLaunch: 1, PerInvocation: 2, perTrip: 3}

// combineRates returns the rate of a value that depends on both a and b.
func combineRates(a, b Kernel) Kernel {
	if order[b.Rate] > order[a.Rate] {
		a.Rate = b.Rate
	}
	a.Promised, a.Loop, a.Fetch = a.Promised || b.Promised, a.Loop || b.Loop, a.Fetch || b.Fetch
	return a
}

// value returns the rate of an operand. Properties of its defining statement (in a loop, a fetch) do
// not propagate.
func (c *classifier) value(v *ir.Value) Kernel {
	switch v.Kind {
	case ir.Literal, ir.Undef:
		return Kernel{Rate: PerLaunch}
	case ir.Uniform:
		return Kernel{Rate: PerLaunch, Promised: true}
	case ir.Input:
		return Kernel{Rate: PerInvocation}
	}
	r := c.of[v]
	return Kernel{Rate: r.Rate, Promised: r.Promised}
}

// region classifies the instructions of a region and returns the highest rate among them.
func (c *classifier) region(r *ir.Region, loop bool) (most Kernel) {
	for _, in := range r.Code {
		var rate Kernel
		in.EachUse(func(l *ir.Lane) { rate = combineRates(rate, c.value(l.V)) })
		for _, v := range in.Args {
			rate = combineRates(rate, c.value(v))
		}
		switch {
		case in.Op == ir.OpLoop:
			// Block arguments of a loop may differ between trips.
			for _, sub := range in.Sub {
				for _, p := range sub.Params {
					c.of[p] = Kernel{Rate: perTrip}
				}
				c.region(sub, true)
			}
			rate = Kernel{Rate: PerInvocation}
			if loop {
				rate.Rate = perTrip
			}
		case len(in.Sub) > 0:
			// The results of a branch depend on its condition and on all computations of both sides.
			for _, sub := range in.Sub {
				rate = combineRates(rate, c.region(sub, loop))
			}
		case in.Op.Has(ir.IsFetch), in.Op.Has(ir.Memory):
			rate = combineRates(rate, Kernel{Rate: PerInvocation, Fetch: in.Op.Has(ir.IsFetch)})
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

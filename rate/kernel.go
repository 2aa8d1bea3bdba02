package rate

import "github.com/shaderlift/shaderlift/ir"

// The rates of kernels: for a launch, since it depends on constants alone; for an invocation;
// and for a trip of a loop.
const (
	PerLaunch     Rate = "launch"
	PerInvocation Rate = "invocation"
	PerTrip       Rate = "trip"
)

// Kernel is how often a statement computes something else.
type Kernel struct {
	Rate
	Promised bool // what it depends on are constants of the host, beside literals
	Loop     bool // it is in a loop
	Fetch    bool
}

// OfKernel returns, by line, how often statements compute something else. If a line became
// several instructions, the greatest rate counts.
func OfKernel(f *ir.Func) map[int]Kernel {
	c := &classifier{of: map[*ir.Value]Kernel{}, lines: map[int]Kernel{}}
	c.region(f.Body, false)
	return c.lines
}

// classifier computes rates in one walk in program order: loop parameters are per trip from the
// start, so no fixpoint is needed.
type classifier struct {
	of    map[*ir.Value]Kernel
	lines map[int]Kernel
}

var order = map[Rate]int{"": 0, PerLaunch: 1, PerInvocation: 2, PerTrip: 3}

// more is the rate of what depends on both a and b.
func more(a, b Kernel) Kernel {
	if order[b.Rate] > order[a.Rate] {
		a.Rate = b.Rate
	}
	a.Promised, a.Loop, a.Fetch = a.Promised || b.Promised, a.Loop || b.Loop, a.Fetch || b.Fetch
	return a
}

// value is the rate of an operand. Properties of the statement that made it (in a loop, a fetch) do
// not pass on.
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

// region classifies the instructions of a region and returns the greatest rate among them.
func (c *classifier) region(r *ir.Region, loop bool) (most Kernel) {
	for _, in := range r.Code {
		var rate Kernel
		in.EachUse(func(l *ir.Lane) { rate = more(rate, c.value(l.V)) })
		for _, v := range in.Args {
			rate = more(rate, c.value(v))
		}
		switch {
		case in.Op == ir.OpLoop:
			// What a loop hands on may differ between trips.
			for _, sub := range in.Sub {
				for _, p := range sub.Params {
					c.of[p] = Kernel{Rate: PerTrip}
				}
				c.region(sub, true)
			}
			rate = Kernel{Rate: PerInvocation}
			if loop {
				rate.Rate = PerTrip
			}
		case len(in.Sub) > 0:
			// The results of a branch depend on its condition and on all that both sides compute.
			for _, sub := range in.Sub {
				rate = more(rate, c.region(sub, loop))
			}
		case in.Op.Has(ir.IsFetch), in.Op.Has(ir.Memory):
			rate = more(rate, Kernel{Rate: PerInvocation, Fetch: in.Op.Has(ir.IsFetch)})
		}
		rate.Loop = loop
		in.EachDef(func(v *ir.Value) { c.of[v] = rate })
		if at := in.Pos.Line; at > 0 && len(in.Sub) == 0 && in.Op != ir.OpBreak {
			c.lines[at] = more(c.lines[at], rate)
		}
		most = more(most, rate)
	}
	return most
}

package vsps

import "github.com/shaderlift/shaderlift/ir"

// flows are the values that come together where control flow does.
type flows struct {
	// feeds lists, for a result of a conditional, a result or parameter of a loop or
	// a predicated write, what else it may be.
	feeds map[*ir.Value][]*ir.Value
	// twin maps the result of a loop to the parameter whose place it shares, and back.
	twin map[*ir.Value]*ir.Value
	// needed tells of every value whether something reads it, at once or after it
	// was handed over.
	needed []bool
}

// newFlows finds those of f; needed is memory to use again.
func newFlows(f *ir.Func, needed []bool) flows {
	fl := flows{needed: zeros(needed, f.NumValues())}
	fl.region(f.Body, nil)
	f.Walk(func(in *ir.Instr) {
		for s := range in.Src {
			for _, l := range in.Src[s] {
				if l.V != nil {
					fl.need(l.V)
				}
			}
		}
		for _, l := range in.Pred {
			if l.V != nil {
				fl.need(l.V)
			}
		}
	})
	for _, o := range f.Outs {
		fl.need(o.V)
	}
	return fl
}

// region notes what meets in r, which is in the body of loop.
func (fl *flows) region(r *ir.Region, loop *ir.Instr) {
	feed := func(to, from []*ir.Value) {
		for k, v := range to {
			fl.feed(v, from[k])
		}
	}
	for _, in := range r.Code {
		switch in.Op {
		case ir.OpIf:
			for _, sub := range in.Sub {
				feed(in.Results, sub.Results)
				fl.region(sub, loop)
			}
		case ir.OpLoop:
			body := in.Sub[0]
			for _, to := range [][]*ir.Value{in.Results, body.Params} {
				feed(to, in.Args)
				feed(to, body.Results)
			}
			if fl.twin == nil {
				fl.twin = map[*ir.Value]*ir.Value{}
			}
			for k, v := range in.Results {
				fl.twin[v], fl.twin[body.Params[k]] = body.Params[k], v
			}
			fl.region(body, in)
		case ir.OpBreak:
			feed(loop.Results, in.Args)
		default:
			for k, v := range in.Keep {
				if v != nil && in.Out[k] != nil {
					fl.feed(in.Out[k], v)
				}
			}
		}
	}
}

func (fl *flows) feed(to, from *ir.Value) {
	if fl.feeds == nil {
		fl.feeds = map[*ir.Value][]*ir.Value{}
	}
	fl.feeds[to] = append(fl.feeds[to], from)
}

func (fl *flows) need(v *ir.Value) {
	if fl.needed[v.ID] {
		return
	}
	fl.needed[v.ID] = true
	for _, w := range fl.feeds[v] {
		fl.need(w)
	}
}

// carried lists which values of a construct have to be handed over: its results
// and, of a loop, the parameters that share their places.
func (fl *flows) carried(in *ir.Instr) (list []int) {
	for k, v := range in.Results {
		if twin := fl.twin[v]; fl.needed[v.ID] || twin != nil && fl.needed[twin.ID] {
			list = append(list, k)
		}
	}
	return list
}

func pick(vs []*ir.Value, list []int) []*ir.Value {
	out := make([]*ir.Value, len(list))
	for i, k := range list {
		out[i] = vs[k]
	}
	return out
}

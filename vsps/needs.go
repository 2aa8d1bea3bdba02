package vsps

import (
	"slices"

	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/ir"
)

// flows are the values that meet at joins of the control flow, and the set of values that are read.
type flows struct {
	feeds ir.Handed
	// twin maps the result of a loop to the parameter with which it shares a place, and back.
	twin map[*ir.Value]*ir.Value
	// needed reports for every value whether it is read, directly or after joins.
	needed []bool
}

// newFlows returns the flows of f; needed is reused memory. Without branches and loops it only sets
// needed.
func newFlows(f *ir.Func, needed []bool) flows {
	fl := flows{feeds: f.Handed(), needed: container.Zeros(needed, f.NumValues())}
	fl.feeds.MarkRead(f, fl.needed)
	if fl.feeds == nil {
		return fl
	}
	fl.twin = map[*ir.Value]*ir.Value{}
	f.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpLoop {
			for k, v := range in.Results {
				p := in.Sub[0].Params[k]
				fl.twin[v], fl.twin[p] = p, v
			}
		}
	})
	return fl
}

// writes reports whether v may be a value other than the initial contents of output r; seen are
// visited values. Without this check, an output that only dead code writes would disappear from the
// interface when that code is removed:
//
//	if_eq c0.x, c0.x; else; mov oC1, r0; endif
func (fl *flows) writes(v *ir.Value, r ir.Reg, seen map[*ir.Value]bool) bool {
	if v.Kind == ir.Undef {
		return v.Home != r && v.Home != nowhere
	}
	if v.Def != nil && len(v.Def.Sub) == 0 || len(fl.feeds[v]) == 0 {
		return true
	}
	if seen == nil {
		seen = map[*ir.Value]bool{}
	}
	seen[v] = true
	return slices.ContainsFunc(fl.feeds[v], func(w *ir.Value) bool { return !seen[w] && fl.writes(w, r, seen) })
}

// carried returns the indices of a construct's values that have to be passed: its needed results
// and, for a loop, the parameters that share their places. Most registers that a loop carries are
// dead outside, and moves for them would cost slots.
func (fl *flows) carried(in *ir.Instr) (list []int) {
	for k, v := range in.Results {
		if twin := fl.twin[v]; fl.needed[v.ID] || twin != nil && fl.needed[twin.ID] {
			list = append(list, k)
		}
	}
	return list
}

func selectValues(vs []*ir.Value, list []int) []*ir.Value {
	out := make([]*ir.Value, len(list))
	for i, k := range list {
		out[i] = vs[k]
	}
	return out
}

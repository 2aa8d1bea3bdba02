package vsps

import (
	"slices"

	"github.com/shaderlift/shaderlift/internal/slab"
	"github.com/shaderlift/shaderlift/ir"
)

// flows are the values that come together where control flow does, and which of them
// anything reads.
type flows struct {
	feeds ir.Handed
	// twin maps the result of a loop to the parameter whose place it shares, and back.
	twin map[*ir.Value]*ir.Value
	// needed tells of every value whether something reads it, at once or after it
	// was handed over.
	needed []bool
}

// newFlows finds those of f; needed is memory to use again. Without branches and loops
// only needed is set.
func newFlows(f *ir.Func, needed []bool) flows {
	fl := flows{feeds: f.Handed(), needed: slab.Zeros(needed, f.NumValues())}
	fl.feeds.Read(f, fl.needed)
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

// writes reports whether anything but what output r holds at first comes to v; seen are
// values that have been asked for. What only dead code wrote would else be gone from the
// interface, once that code is:
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

// carried lists which values of a construct have to be handed over: its results and, of
// a loop, the parameters that share their places. Of ten registers that a loop carries
// most are dead outside; moves for them would cost slots.
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

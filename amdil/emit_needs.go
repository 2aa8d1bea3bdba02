package amdil

import (
	"github.com/shaderlift/shaderlift/ir"
)

// needed tells of every value that lives in a register whether something reads it, at
// once or after constructs have handed it over.
func needed(f *ir.Func) []bool {
	feeds := make([][]*ir.Value, f.NumValues())
	feed := func(to, from []*ir.Value) {
		for k, v := range to {
			feeds[v.ID] = append(feeds[v.ID], from[k])
		}
	}
	need := make([]bool, f.NumValues())
	var work []*ir.Value
	use := func(v *ir.Value) {
		if v != nil && !need[v.ID] {
			need[v.ID] = true
			work = append(work, v)
		}
	}
	var region func(r *ir.Region, loop *ir.Instr)
	region = func(r *ir.Region, loop *ir.Instr) {
		for _, in := range r.Code {
			for s := range in.Src {
				in.Src[s].Each(func(_ int, l *ir.Lane) { use(l.V) })
			}
			switch in.Op {
			case ir.OpIf:
				for _, sub := range in.Sub {
					feed(in.Results, sub.Results)
					region(sub, loop)
				}
			case ir.OpLoop:
				body := in.Sub[0]
				feed(body.Params, in.Args)
				feed(body.Params, body.Results)
				region(body, in)
			case ir.OpBreak:
				feed(loop.Results, in.Args)
			}
		}
	}
	region(f.Body, nil)
	for _, o := range f.Outs {
		if !IsState(o.Reg) {
			use(o.V)
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, w := range feeds[v.ID] {
			use(w)
		}
	}
	return need
}

package cleanup

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// DCE is dead-code elimination.
var DCE = &passes.Pass{
	Name: "dce",
	Doc: `remove dead code, lane by lane

It marks backwards from outputs and effects. It then removes lanes of write masks, instructions, block arguments and
constructs that are not marked.`,
	Class: passes.Terms, Removes: true,
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		for _, f := range u.Funcs() {
			s := &sweeper{c: c, m: f.Needs(false)}
			s.region(f.Body)
		}
		return nil
	},
}

// sweeper removes dead code, users before their operands, so that the program is valid after every step.
type sweeper struct {
	c    *passes.Ctx
	m    *ir.Needs
	stop bool // a step was refused: that code reads earlier code
}

// shouldRemove asks before each removal. After a refusal nothing more is removed, because the code that stays reads
// earlier code.
func (s *sweeper) shouldRemove(in *ir.Instr) bool {
	if !s.stop && !s.c.ShouldRewrite(in, "dead", "removed: nothing reads it") {
		s.stop = true
	}
	return !s.stop
}

// region sweeps r backwards, so that readers are removed before their operands.
func (s *sweeper) region(r *ir.Region) {
	kept := len(r.Code) // r.Code[kept:] stays
	for i := len(r.Code) - 1; i >= 0; i-- {
		in := r.Code[i]
		if s.remove(in) {
			continue
		}
		kept--
		r.Code[kept] = in
		s.shrink(in)
	}
	r.Code = slices.Delete(r.Code, 0, kept)
}

// remove reports whether all of in is dead and may be removed.
func (s *sweeper) remove(in *ir.Instr) bool {
	if s.stop || s.m.Reached[in] {
		return false
	}
	dead := true
	in.EachDef(func(v *ir.Value) { dead = dead && !s.m.Live[v.ID] })
	return dead && s.shouldRemove(in)
}

// shrink removes the dead parts of an instruction that stays.
func (s *sweeper) shrink(in *ir.Instr) {
	switch in.Op {
	case ir.OpIf:
		s.results(in)
		for _, sub := range in.Sub {
			s.region(sub)
		}
	case ir.OpLoop:
		breaks := s.m.Breaks[in]
		s.disconnect(in, breaks)
		s.region(in.Sub[0])
		s.carried(in, breaks)
	default:
		s.lanes(in)
	}
}

// results removes the dead results of a branch.
func (s *sweeper) results(in *ir.Instr) {
	for k := len(in.Results) - 1; k >= 0; k-- {
		if s.m.Live[in.Results[k].ID] || !s.shouldRemove(in) {
			continue
		}
		in.Results = slices.Delete(in.Results, k, k+1)
		for _, sub := range in.Sub {
			sub.Results = slices.Delete(sub.Results, k, k+1)
		}
	}
}

// disconnect makes each dead carried value keep its initial value, so that the computation of the next one
// may be swept. [sweeper.carried] removes the position after the body.
func (s *sweeper) disconnect(in *ir.Instr, breaks []*ir.Instr) {
	body := in.Sub[0]
	for k, p := range body.Params {
		if !s.carriedDead(in, k) {
			continue
		}
		done := body.Results[k] == p
		for _, b := range breaks {
			done = done && b.Args[k] == p
		}
		if done || !s.shouldRemove(in) {
			continue
		}
		body.Results[k] = p
		for _, b := range breaks {
			b.Args[k] = p
		}
	}
}

// carriedDead reports whether the carried value at position k of loop in has no readers.
func (s *sweeper) carriedDead(in *ir.Instr, k int) bool {
	return !s.m.Live[in.Sub[0].Params[k].ID] && !s.m.Live[in.Results[k].ID]
}

// carried removes dead carried values, once nothing in the body reads them.
func (s *sweeper) carried(in *ir.Instr, breaks []*ir.Instr) {
	body := in.Sub[0]
	for k := len(body.Params) - 1; k >= 0; k-- {
		if !s.carriedDead(in, k) || body.Results[k] != body.Params[k] || !s.shouldRemove(in) {
			continue
		}
		body.Params = slices.Delete(body.Params, k, k+1)
		body.Results = slices.Delete(body.Results, k, k+1)
		in.Results = slices.Delete(in.Results, k, k+1)
		in.Args = slices.Delete(in.Args, k, k+1)
		for _, b := range breaks {
			b.Args = slices.Delete(b.Args, k, k+1)
		}
	}
}

// lanes removes the dead lanes of a live instruction, and the source lanes that only they read.
func (s *sweeper) lanes(in *ir.Instr) {
	if in.Op.Has(ir.Effect) {
		return
	}
	dead := false
	for _, v := range in.Out {
		dead = dead || v != nil && !s.m.Live[v.ID]
	}
	if !dead || !s.shouldRemove(in) {
		return
	}
	for i, v := range in.Out {
		if v != nil && !s.m.Live[v.ID] {
			in.Out[i], in.Keep[i], in.Pred[i] = nil, nil, ir.Lane{}
		}
	}
	for k := range in.Src {
		reads := in.Reads(k)
		for i := range in.Src[k] {
			if reads>>i&1 == 0 {
				in.Src[k][i] = ir.Lane{}
			}
		}
	}
}

// Sweep removes the dead code of f at once, for passes that leave some.
func Sweep(f *ir.Func) {
	s := &sweeper{c: &passes.Ctx{}, m: f.Needs(false)}
	s.region(f.Body)
}

package sink

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Pass is the pass.
var Pass = &passes.Pass{
	Name: "sink",
	Doc: `move computations down to their first use

Compilers compute early to hide latency, so that values that will sit in the same
components of a register (the coordinates of successive fetches, say) are live at
the same time, and what they share, such as a constant fourth coordinate, has to
be copied for each. Values that are computed right before their first use can take
turns. Fetches, effects, whatever reads an indexed constant, and values used in
another region stay where they are; so does an instruction that would keep more
values alive than it defines. The move is made only if it saves slots.`,
	Class: passes.Terms,
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		if c.Measure == nil {
			return nil
		}
		before, unfit := c.Measure(u)
		t := u.Clone()
		for _, f := range t.Funcs() {
			s := &sinker{c: c}
			s.run(f)
		}
		if after, err := c.Measure(t); err == nil && (unfit != nil || after.Less(before)) {
			*u = *t
		}
		return nil
	},
}

type sinker struct {
	c    *passes.Ctx
	home []*ir.Region // by value: the region that defines it
	last []*ir.Instr  // by value: the last instruction of that region that reads it, or holds a reader
	to   []int32      // by value: where the first of its readers goes
}

func (s *sinker) run(f *ir.Func) {
	n := f.NumValues()
	s.home, s.last, s.to = make([]*ir.Region, n), make([]*ir.Instr, n), make([]int32, n)
	f.EachRegion(func(r *ir.Region) {
		for _, in := range r.Code {
			in.EachDef(func(v *ir.Value) { s.home[v.ID] = r })
		}
	})
	f.EachRegion(func(r *ir.Region) {
		for _, in := range r.Code {
			eachUse(in, func(v *ir.Value) {
				if s.home[v.ID] == r {
					s.last[v.ID] = in
				}
			})
		}
	})
	for i := range s.to {
		s.to[i] = -1 // not read by an instruction of its region
	}
	f.EachRegion(s.region)
}

// eachUse visits what in and the regions in it read.
func eachUse(in *ir.Instr, f func(v *ir.Value)) {
	see := func(l *ir.Lane) { f(l.V) }
	in.EachUse(see)
	for _, sub := range in.Sub {
		sub.Walk(func(b *ir.Instr) { b.EachUse(see) })
	}
}

// region rebuilds the order of r, last instruction first: each goes right before
// the place of its first reader.
func (s *sinker) region(r *ir.Region) {
	n := len(r.Code)
	before := make([][]*ir.Instr, n) // in reverse
	stays := make([]bool, n)
	for i := n - 1; i >= 0; i-- {
		in := r.Code[i]
		at := s.target(in, int32(i))
		if at <= int32(i)+1 || !s.c.Step(in, "moved down") {
			at, stays[i] = int32(i), true
		} else {
			before[at] = append(before[at], in)
		}
		eachUse(in, func(v *ir.Value) {
			if s.home[v.ID] == r && (s.to[v.ID] < 0 || at < s.to[v.ID]) {
				s.to[v.ID] = at
			}
		})
	}
	out := make([]*ir.Instr, 0, n)
	for i, in := range r.Code {
		for k := len(before[i]) - 1; k >= 0; k-- {
			out = append(out, before[i][k])
		}
		if stays[i] {
			out = append(out, in)
		}
	}
	r.Code = out
}

// target is the index before which in should go: its own if it stays.
func (s *sinker) target(in *ir.Instr, i int32) int32 {
	if !in.Op.HasFormula() || in.IsPredicated() || in.Op.Has(ir.Convergent) || in.Op.Has(ir.Special) {
		return i
	}
	to, defs, kept := int32(-1), 0, 0
	for _, v := range in.Out {
		if v == nil {
			continue
		}
		defs++
		if at := s.to[v.ID]; at >= 0 && (to < 0 || at < to) {
			to = at
		}
	}
	for k := range in.Src {
		for _, l := range in.Src[k] {
			switch {
			case l.V == nil || l.V.IsLeaf():
			case l.V.Def != nil && l.V.Def.Op == ir.OpLoad:
				return i
			case s.last[l.V.ID] == in:
				kept++
			}
		}
	}
	if to < 0 || kept > defs {
		return i
	}
	return to
}

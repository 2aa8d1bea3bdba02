package placement

import (
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

// Sink is the pass that moves computations down.
var Sink = &passes.Pass{
	Name: "sink",
	Doc: `move computations down to their first use

Compilers compute values early, so that coordinates of successive fetches are live at the same time and their shared
parts must be copied. Values that are computed before their first use can take turns in a register. Fetches, effects,
indexed constants and values used in another region stay. It keeps the moves only if they save slots.`,
	Class: passes.Terms,
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		if c.Measure == nil {
			return nil
		}
		before, unfit := c.Measure(u)
		t := c.Trial(u)
		for _, f := range t.Funcs() {
			s := &sinker{c: c}
			s.run(f)
		}
		if after, err := c.Measure(t); err == nil && (unfit != nil || after.Less(before)) {
			c.Adopt(u, t)
		}
		return nil
	},
}

// sinker works on one function. Its tables are indexed by value ID.
type sinker struct {
	c    *passes.Ctx
	home []*scope    // by value: where it is defined
	last []*ir.Instr // by value: the last instruction there that reads it, or holds a reader
	to   []int32     // by value: the position of the first of its readers
}

// scope is a region with the current position of the walk.
type scope struct {
	region *ir.Region
	in     *ir.Instr
	at     int32
}

func (s *sinker) run(f *ir.Func) {
	n := f.NumValues()
	s.home, s.last, s.to = make([]*scope, n), make([]*ir.Instr, n), make([]int32, n)
	for i := range s.to {
		s.to[i] = -1 // not read by an instruction of its region
	}
	s.findReaders(f.Body)
	f.EachRegion(s.region)
}

// findReaders finds the definition and the last reader of each value. For readers in nested regions, the construct
// that contains them counts as the reader; it does not move.
func (s *sinker) findReaders(r *ir.Region) {
	here := &scope{region: r}
	for i, in := range r.Code {
		here.in, here.at = in, int32(i)
		in.EachDef(func(v *ir.Value) { s.home[v.ID] = here })
		in.EachUse(func(l *ir.Lane) {
			home := s.home[l.V.ID]
			if home == nil {
				return
			}
			s.last[l.V.ID] = home.in
			if home != here {
				s.recordReader(l.V, home.at)
			}
		})
		for _, sub := range in.Sub {
			s.findReaders(sub)
		}
	}
}

// recordReader records that a reader of v moves to at.
func (s *sinker) recordReader(v *ir.Value, at int32) {
	if to := &s.to[v.ID]; *to < 0 || at < *to {
		*to = at
	}
}

// region reorders r, last instruction first: each goes right before its first reader.
func (s *sinker) region(r *ir.Region) {
	n := len(r.Code)
	before := make([][]*ir.Instr, n) // in reverse
	stays := make([]bool, n)
	for i := n - 1; i >= 0; i-- {
		in := r.Code[i]
		at := s.target(in, int32(i))
		if at <= int32(i)+1 || !s.c.ShouldRewrite(in, "sunk", "moved down") {
			at, stays[i] = int32(i), true
		} else {
			before[at] = append(before[at], in)
		}
		in.EachUse(func(l *ir.Lane) {
			if home := s.home[l.V.ID]; home != nil && home.region == r {
				s.recordReader(l.V, at)
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

// target returns the index before which in should go, or its present index. An instruction that is the last
// reader of more values than it defines would extend their live ranges, so it stays.
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
			case l.V.IsLoaded():
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

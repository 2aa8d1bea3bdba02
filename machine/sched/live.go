package sched

import (
	"github.com/shaderlift/shaderlift/internal/container"
	"github.com/shaderlift/shaderlift/machine/mir"
)

// liveness computes the values that are live across the ends of runs, by the usual backward
// dataflow over the structured program. Values that only one run mentions are left out and cost
// nothing.
type liveness struct {
	shared []int32   // by Val: number among the shared values plus one, or 0
	values []mir.Val // the shared values
	// marks holds run numbers by Val, for number.
	marks [4][]int32
	// heads holds the values known to be live at the starts of loops. The sets only grow, so a
	// nested loop need not start from scratch each time its outer loops are revisited.
	heads map[*mir.Loop]container.Bits
}

// solve numbers the shared values of c and solves the dataflow, reusing memory.
func (l *liveness) solve(c *mir.Code, f flow) {
	l.shared, l.values, l.heads = container.Zeros(l.shared, c.Vals()), l.values[:0], map[*mir.Loop]container.Bits{}
	for i := range l.marks {
		l.marks[i] = container.Zeros(l.marks[i], c.Vals())
	}
	n := int32(0)
	f.eachRun(func(r *run) {
		n++
		r.id = n
	})
	l.number(c, f)
	words := len(container.NewBits(len(l.values)))
	sets := make(container.Bits, 2*int(n)*words)
	f.eachRun(func(r *run) {
		r.out, r.in, sets = sets[:words:words], sets[words:2*words:2*words], sets[2*words:]
	})
	l.solveFlow(f, container.NewBits(len(l.values)), nil, nil)
}

// number finds and numbers the values that more than one run mentions. Then it lists the values
// that each run reads before writing (exposed) and those it writes (defined).
func (l *liveness) number(c *mir.Code, f flow) {
	const entry = -1 // in place of a run number
	first, written, read, defined := l.marks[0], l.marks[1], l.marks[2], l.marks[3]
	for _, in := range c.Inputs {
		first[in.Val] = entry
	}
	share := func(r *run, v mir.Val) {
		switch {
		case first[v] == 0:
			first[v] = r.id
		case first[v] != r.id && l.shared[v] == 0:
			l.values = append(l.values, v)
			l.shared[v] = int32(len(l.values))
		}
	}
	f.eachRun(func(r *run) {
		r.units(func(it mir.Item) {
			mir.EachUse(it, func(v mir.Val) { share(r, v) })
			mir.EachDef(it, func(v mir.Val) { share(r, v) })
		})
	})
	// A value that is read before any definition in its run may come from the previous trip of a
	// loop.
	f.eachRun(func(r *run) {
		r.units(func(it mir.Item) {
			mir.EachUse(it, func(v mir.Val) {
				if written[v] == r.id || read[v] == r.id {
					return
				}
				read[v] = r.id
				if l.shared[v] == 0 {
					l.values = append(l.values, v)
					l.shared[v] = int32(len(l.values))
				}
				r.exposed = append(r.exposed, l.shared[v]-1)
			})
			mir.EachDef(it, func(v mir.Val) { written[v] = r.id })
		})
	})
	f.eachRun(func(r *run) {
		r.units(func(it mir.Item) {
			mir.EachDef(it, func(v mir.Val) {
				if l.shared[v] != 0 && defined[v] != r.id {
					defined[v] = r.id
					r.defined = append(r.defined, l.shared[v]-1)
				}
			})
		})
	})
}

// solveFlow solves the equations of f backwards: in = exposed | out - defined. The sets are those live
// at the end of f (out), after the enclosing loop (left), and at the start of that loop's next trip
// (next). flow returns the set live at the start of f. A loop is repeated until its head stops
// growing. Heads of inner loops are kept between repetitions, so nesting does not multiply their
// number.
func (l *liveness) solveFlow(f flow, out, left, next container.Bits) container.Bits {
	live := out.Clone()
	for i := len(f) - 1; i >= 0; i-- {
		s := f[i]
		switch it := s.ends.(type) {
		case *mir.If:
			then := l.solveFlow(s.then, live, left, next)
			other := l.solveFlow(s.body, live, left, next)
			live = then
			live.Union(other)
		case *mir.Loop:
			head := l.heads[it]
			if head == nil {
				head = container.NewBits(len(l.values))
				l.heads[it] = head
			}
			for {
				in := l.solveFlow(s.body, head, live, head)
				if !head.Union(in) {
					break
				}
			}
			live = head.Clone()
		case *mir.Break:
			if it.Cond == nil {
				live = left.Clone()
			} else {
				live.Union(left)
			}
		case *mir.Continue:
			if it.Cond == nil {
				live = next.Clone()
			} else {
				live.Union(next)
			}
		}
		copy(s.run.out, live)
		for _, d := range s.run.defined {
			live.Remove(d)
		}
		for _, u := range s.run.exposed {
			live.Insert(u)
		}
		copy(s.run.in, live)
	}
	return live
}

// liveOut reports whether v is live at the end of r.
func (l *liveness) liveOut(r *run, v mir.Val) bool {
	n := l.shared[v]
	return n != 0 && r.out.Has(n-1)
}

package machine

// liveness finds which values live across the ends of runs. Values that one run alone
// mentions are not among them and cost nothing.
type liveness struct {
	shared []int32 // by Val: number among the shared values plus one, or 0
	values []Val   // the shared values
	// heads are what is live at the starts of loops, as far as it is known. It only grows,
	// so that a loop within others need not begin anew each time those are gone through.
	heads map[*Loop]bitset
}

// newLiveness numbers the shared values of c and solves the flow.
func newLiveness(c *Code, f flow) *liveness {
	l := &liveness{shared: make([]int32, c.Vals()), heads: map[*Loop]bitset{}}
	l.number(c, f)
	f.runs(func(r *run) {
		r.out = newBitset(len(l.values))
		r.in = newBitset(len(l.values))
	})
	l.flow(f, newBitset(len(l.values)), nil, nil)
	return l
}

// number finds the values that more than one run mentions, and what each run reads and
// writes of them.
func (l *liveness) number(c *Code, f flow) {
	first := make([]*run, c.Vals())
	entry := &run{}
	for _, in := range c.Inputs {
		first[in.Val] = entry
	}
	share := func(r *run, v Val) {
		switch {
		case first[v] == nil:
			first[v] = r
		case first[v] != r && l.shared[v] == 0:
			l.values = append(l.values, v)
			l.shared[v] = int32(len(l.values))
		}
	}
	f.runs(func(r *run) {
		r.units(func(it Item) {
			eachUse(it, func(v Val) { share(r, v) })
			eachDef(it, func(v Val) { share(r, v) })
		})
	})
	// A value read before any definition of its run may come round a loop.
	written := make([]*run, c.Vals())
	read := make([]*run, c.Vals())
	f.runs(func(r *run) {
		r.units(func(it Item) {
			eachUse(it, func(v Val) {
				if written[v] == r || read[v] == r {
					return
				}
				read[v] = r
				if l.shared[v] == 0 {
					l.values = append(l.values, v)
					l.shared[v] = int32(len(l.values))
				}
				r.exposed = append(r.exposed, l.shared[v]-1)
			})
			eachDef(it, func(v Val) { written[v] = r })
		})
	})
	defined := make([]*run, c.Vals())
	f.runs(func(r *run) {
		r.units(func(it Item) {
			eachDef(it, func(v Val) {
				if l.shared[v] != 0 && defined[v] != r {
					defined[v] = r
					r.defined = append(r.defined, l.shared[v]-1)
				}
			})
		})
	})
}

// flow solves f backwards and returns what is live at its start. out is live at its end,
// left after the loop around it, next at the start of the loop's next iteration.
func (l *liveness) flow(f flow, out, left, next bitset) bitset {
	live := out.clone()
	for i := len(f) - 1; i >= 0; i-- {
		s := f[i]
		switch it := s.ends.(type) {
		case *If:
			then := l.flow(s.then, live, left, next)
			other := l.flow(s.body, live, left, next)
			live = then
			live.or(other)
		case *Loop:
			head := l.heads[it]
			if head == nil {
				head = newBitset(len(l.values))
				l.heads[it] = head
			}
			for {
				in := l.flow(s.body, head, live, head)
				if !head.or(in) {
					break
				}
			}
			live = head.clone()
		case *Break:
			if it.Cond == nil {
				live = left.clone()
			} else {
				live.or(left)
			}
		case *Continue:
			if it.Cond == nil {
				live = next.clone()
			} else {
				live.or(next)
			}
		}
		copy(s.run.out, live)
		for _, d := range s.run.defined {
			live.clear(d)
		}
		for _, u := range s.run.exposed {
			live.set(u)
		}
		copy(s.run.in, live)
	}
	return live
}

// liveOut reports whether v lives past the end of r.
func (l *liveness) liveOut(r *run, v Val) bool {
	n := l.shared[v]
	return n != 0 && r.out.has(n-1)
}

package ir

// Handed maps each block argument to the values it may take. A block argument is a result of a conditional, a
// result or parameter of a loop, or the result of a predicated write. Its values are the operands that a phi
// instruction would have. Values that an instruction computes have no entry.
type Handed map[*Value][]*Value

// Handed collects the block arguments of f in one walk. It returns nil if control flow never merges. The map
// is not cached: each call builds a new one.
func (f *Func) Handed() Handed {
	var h Handed
	feed := func(to, from *Value) {
		if h == nil {
			h = Handed{}
		}
		h[to] = append(h[to], from)
	}
	f.Body.handed(nil, feed)
	return h
}

// handed calls feed for every edge into a block argument in r; loop is the innermost loop around r. The edges
// of a construct come before the edges inside it. A counted loop may end before its first trip, so its
// arguments reach its results directly. A loop without a count is left by breaks only.
func (r *Region) handed(loop *Instr, feed func(to, from *Value)) {
	each := func(to, from []*Value) {
		for k, v := range to {
			feed(v, from[k])
		}
	}
	for _, in := range r.Code {
		switch in.Op {
		case OpIf:
			for _, sub := range in.Sub {
				each(in.Results, sub.Results)
				sub.handed(loop, feed)
			}
		case OpLoop:
			body := in.Sub[0]
			each(body.Params, in.Args)
			each(body.Params, body.Results)
			if len(in.Src) > 0 { // else only breaks end the loop
				each(in.Results, in.Args)
				each(in.Results, body.Results)
			}
			body.handed(in, feed)
		case OpBreak:
			each(loop.Results, in.Args)
		default:
			for k, v := range in.Keep {
				if v != nil && in.Out[k] != nil {
					feed(in.Out[k], v)
				}
			}
		}
	}
}

// MarkRead marks, by ID, the values of f that an operand, a predicate or an output reads, directly or through
// block arguments. This is liveness as a register allocator needs it: every reader counts, even a dead one
// ([Needs] finds the dead ones). Memory states are not marked, because they take no register. Each value
// enters the worklist once, so the time is linear in code and edges.
func (h Handed) MarkRead(f *Func, read []bool) {
	var work []*Value
	use := func(v *Value) {
		if v != nil && !read[v.ID] {
			read[v.ID] = true
			if len(h[v]) > 0 {
				work = append(work, v)
			}
		}
	}
	f.Walk(func(in *Instr) {
		for s := range in.Src {
			for _, l := range in.Src[s] {
				use(l.V)
			}
		}
		for _, l := range in.Pred {
			use(l.V)
		}
	})
	for _, o := range f.Outs {
		if f.Dialect.FileRole(o.Reg.File) != RoleState {
			use(o.V)
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, w := range h[v] {
			use(w)
		}
	}
}

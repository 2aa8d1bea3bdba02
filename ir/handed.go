package ir

// Handed lists, for every value that takes over others where control flow meets, what
// it may be: a result of a conditional, a result or parameter of a loop, a predicated
// write. These are the edges into block parameters that phi instructions have as
// operands elsewhere; values that an instruction computes are not in it.
type Handed map[*Value][]*Value

// Handed finds them; it is nil where control flow does not meet. It is made anew by
// each caller, in one walk.
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

// handed visits what is handed over in r, of which loop is the innermost loop around:
// what a construct hands over before what those within do. A loop that counts may also
// end before its first trip, so its arguments reach its results directly; a loop
// without a count leaves by breaks only.
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
			if len(in.Src) > 0 { // else it ends by breaks alone
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

// Read marks, by ID, the values of f that an operand, a predicate or an output reads,
// at once or after they were handed over. It is liveness as a register allocator needs
// it: whether what reads them matters is not asked ([Needs] does), and states of
// memory, which nothing has to be kept for, are not read. Each value is put on the work
// list once, so the time is linear in code and edges.
func (h Handed) Read(f *Func, read []bool) {
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
		if f.Dialect.Role(o.Reg.File) != RoleState {
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

package ir

// MarkDecisions sets Decides on the instructions that exact decisions depend on, and clears it on all others.
// The verifier compares these decisions bit by bit (verify/internal/walk/pin.go and verify/internal/walk/ending.go):
//
//   - the exit of a loop that neither a register nor a counter bounds;
//   - the execution of a barrier, an atomic operation, a store to memory, or an instruction that reads
//     neighbouring invocations;
//   - the address of a store.
//
// The start and the limit of a counter that are not literals must keep their bits as well, and so must the
// conditions around its loop.
func MarkDecisions(f *Func) {
	found := false
	f.Walk(func(in *Instr) {
		in.Decides = false
		found = found || len(in.Sub) > 0 || in.Op.Has(Memory) || in.Op.Has(Convergent) && in.IsPredicated()
	})
	if !found {
		return
	}
	d := &deciders{regionIndex: indexRegions(f), seen: make([]bool, f.NumValues()), runs: map[*Instr]bool{}}
	f.Walk(func(in *Instr) {
		switch {
		case in.Op == OpLoop && len(in.Src) == 0 && !endsByLiterals(in):
			if start, limit := counterOf(in); limit != nil { // rounding may move the other exits
				d.work = append(d.work, start, limit)
				d.construct(d.around(in))
			} else {
				d.construct(in)
			}
		case in.Op == OpMemStore || in.Op == OpMemAtomic || in.Op == OpDiscard && len(in.Results) > 0:
			d.operand(&in.Src[0])
			d.construct(d.around(in))
		case in.Op == OpFence || in.Op.Has(Convergent) && !(in.Op.Has(IsFetch) && in.Res.Unnorm):
			d.predicates(in)
			d.construct(d.around(in))
		}
	})
	for len(d.work) > 0 {
		v := d.work[len(d.work)-1]
		d.work = d.work[:len(d.work)-1]
		if !d.seen[v.ID] {
			d.seen[v.ID] = true
			d.visit(v)
		}
	}
}

// deciders is a backward slice from decisions over values. A loop adds only the carried values that matter to
// the slice.
type deciders struct {
	*regionIndex
	seen []bool          // by value ID
	runs map[*Instr]bool // constructs whose conditions are in the slice
	work []*Value
}

func (d *deciders) operand(o *Operand) {
	o.EachLane(func(_ int, l *Lane) { d.work = append(d.work, l.V) })
}

func (d *deciders) predicates(in *Instr) {
	for i, l := range in.Pred {
		if l.V != nil {
			d.work = append(d.work, l.V)
		}
		if v := in.Keep[i]; v != nil {
			d.work = append(d.work, v)
		}
	}
}

// construct adds the conditions that decide whether in, and the constructs around it, run and how often.
func (d *deciders) construct(in *Instr) {
	for ; in != nil && !d.runs[in]; in = d.around(in) {
		d.runs[in] = true
		d.computes(in)
		if in.Op == OpLoop {
			in.Sub[0].Walk(func(b *Instr) {
				if b.Op == OpBreak {
					d.computes(b)
					d.construct(d.around(b))
				}
			})
		}
	}
}

// computes marks in and adds its operands.
func (d *deciders) computes(in *Instr) {
	in.Decides = true
	for s := range in.Src {
		d.operand(&in.Src[s])
	}
}

// visit adds the values that v depends on.
func (d *deciders) visit(v *Value) {
	switch in := v.Def; {
	case v.Kind == Param:
		r := d.owner[v]
		d.construct(d.owns[r])
		d.carried(d.owns[r], v, r.Params)
	case in == nil:
	case len(in.Sub) > 0:
		d.construct(in)
		d.carried(in, v, in.Results)
	default:
		d.computes(in)
		d.predicates(in)
		d.construct(d.around(in))
	}
}

// carried adds the values that v, one of list, comes from: in is a construct, and list its results or the
// parameters of its body.
func (d *deciders) carried(in *Instr, v *Value, list []*Value) {
	for k, x := range list {
		if x != v {
			continue
		}
		for _, sub := range in.Sub {
			d.work = append(d.work, sub.Results[k])
		}
		if in.Op == OpLoop {
			d.work = append(d.work, in.Args[k])
			in.Sub[0].Walk(func(b *Instr) {
				if b.Op == OpBreak && k < len(b.Args) {
					d.work = append(d.work, b.Args[k])
				}
			})
		}
	}
}

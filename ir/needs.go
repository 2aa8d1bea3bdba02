package ir

// Needs holds the lanes that the outputs and effects of a function depend on. It is the mark phase of dead
// code elimination: unmarked values are dead, and so are loops without live results. Control dependences
// count: if anything in a construct is live, its condition is live too. A live loop keeps its breaks, which
// decide its trip count.
type Needs struct {
	Live    []bool              // by value ID
	Reached map[*Instr]bool     // live effects, and constructs that a live value depends on
	Breaks  map[*Instr][]*Instr // the breaks of each loop

	// apart: see [Func.Needs].
	apart bool
	// around is the construct around the definition of a value, by value ID; owner is the same for
	// instructions. Top-level code has no entry.
	around []*Instr
	owner  map[*Instr]*Instr
	// slots, by value ID, is the construct that carries the value or defines it as a result.
	slots []slot
	// work is the worklist: marked values whose dependences are not marked yet.
	work []*Value
}

// slot is one position of the values that a construct in carries or returns, or of the states that a memory
// op defines. Field k is the position, or -1 for the counter of a loop. Field param distinguishes a parameter
// from a result at the same position.
type slot struct {
	in    *Instr
	k     int32
	param bool
}

// Needs computes the live values of f. A loop carries a value as a parameter and a result, which can be
// removed only together; so one live slot usually marks the whole position. With apart, Needs marks parameter
// and result separately, for callers that remove nothing.
//
// Every value enters the worklist once and every instruction is reached once, so the time is linear.
func (f *Func) Needs(apart bool) *Needs {
	n := &Needs{
		Live:    make([]bool, f.NumValues()),
		Reached: map[*Instr]bool{},
		Breaks:  map[*Instr][]*Instr{},
		apart:   apart,
		around:  make([]*Instr, f.NumValues()),
		owner:   map[*Instr]*Instr{},
		slots:   make([]slot, f.NumValues()),
	}
	var effects []*Instr
	f.Walk(func(in *Instr) {
		n.index(in)
		// A break is live only if its loop is.
		if in.Op.Has(Effect) && in.Op != OpBreak {
			effects = append(effects, in)
		}
	})
	for _, in := range effects {
		n.reach(in)
	}
	for _, o := range f.Outs {
		n.markLive(o.V)
	}
	for len(n.work) > 0 {
		v := n.work[len(n.work)-1]
		n.work = n.work[:len(n.work)-1]
		n.value(v)
	}
	return n
}

// index records the owner of each instruction in in, and the loop that a break leaves.
func (n *Needs) index(in *Instr) {
	for k, v := range in.Results {
		n.slots[v.ID] = slot{in: in, k: int32(k)}
	}
	for _, sub := range in.Sub {
		for k, p := range sub.Params {
			n.slots[p.ID] = slot{in, int32(k), true}
		}
		if sub.Index != nil {
			n.slots[sub.Index.ID] = slot{in: in, k: -1}
		}
		for _, inner := range sub.Code {
			if inner.Op.Has(Effect) || inner.Op.Has(Structured) || len(inner.Results) > 0 {
				n.owner[inner] = in
			}
			for _, v := range inner.Out {
				if v != nil {
					n.around[v.ID] = in
				}
			}
		}
	}
	if in.Op == OpBreak {
		loop := n.owner[in]
		for loop.Op != OpLoop {
			loop = n.owner[loop]
		}
		n.Breaks[loop] = append(n.Breaks[loop], in)
	}
}

// markLive marks v and queues it.
func (n *Needs) markLive(v *Value) {
	if v != nil && !n.Live[v.ID] {
		n.Live[v.ID] = true
		n.work = append(n.work, v)
	}
}

// reach marks an effect or a construct, and everything that decides whether and how often it runs. These are
// its operands, the constructs around it, and the breaks of a loop. Carried values are marked one by one, so
// two of ten may be live.
func (n *Needs) reach(in *Instr) {
	for ; in != nil && !n.Reached[in]; in = n.owner[in] {
		n.Reached[in] = true
		for k := range in.Src {
			for _, l := range in.Src[k] {
				n.markLive(l.V)
			}
		}
		for _, l := range in.Pred {
			n.markLive(l.V)
		}
		n.states(in)
		for _, b := range n.Breaks[in] {
			n.reach(b)
		}
	}
}

// states marks the states of memory that in reads.
func (n *Needs) states(in *Instr) {
	if in.Op.Has(Memory) {
		for _, v := range in.Args {
			n.markLive(v)
		}
	}
}

// value marks the values that v depends on.
func (n *Needs) value(v *Value) {
	if s := n.slots[v.ID]; s.in != nil {
		n.reach(s.in)
		n.carried(s)
		return
	}
	in := v.Def
	if in == nil {
		return
	}
	n.reach(n.around[v.ID])
	for k := range in.Src {
		reads := in.ReadsFor(k, 1<<v.Lane)
		for i, l := range in.Src[k] {
			if reads>>i&1 != 0 {
				n.markLive(l.V)
			}
		}
	}
	n.markLive(in.Pred[v.Lane].V)
	n.markLive(in.Keep[v.Lane])
	n.states(in)
}

// carried marks the sources of position s. The sources of a parameter are the argument of the loop and the
// result of the body. The sources of a loop's result are the arguments of its breaks and, if the loop is
// counted, the result of the body. The sources of a conditional's result are the results of both branches.
func (n *Needs) carried(s slot) {
	if s.k < 0 {
		return
	}
	// With apart, only breaks supply the result of a loop without a count.
	next := s.in.Op != OpLoop || !n.apart || s.param || len(s.in.Src) > 0
	if next {
		for _, sub := range s.in.Sub {
			n.markLive(sub.Results[s.k])
		}
	}
	if s.in.Op != OpLoop {
		return
	}
	if next {
		n.markLive(s.in.Args[s.k])
	}
	if !n.apart || !s.param {
		for _, b := range n.Breaks[s.in] {
			n.markLive(b.Args[s.k])
		}
	}
}

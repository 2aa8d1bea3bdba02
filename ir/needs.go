package ir

// Needs tells what of a function its outputs and effects depend on, lane by lane. It is
// the mark phase of dead code elimination: what it does not mark can go, and so can
// whole loops that leave nothing. Dependences on control count: a construct is needed
// with the condition that decides it if anything in it is, and a loop with its breaks,
// which decide how often it runs.
type Needs struct {
	Live    []bool              // values, by ID
	Reached map[*Instr]bool     // effects, and the constructs that anything live depends on
	Breaks  map[*Instr][]*Instr // those of each loop

	// apart: see [Func.Needs].
	apart bool
	// The construct around is by value ID for what computes a value, and else by instruction; top-level
	// code has none.
	around []*Instr
	owner  map[*Instr]*Instr
	// slots, by value ID, is the construct that carries or hands over a value.
	slots []slot
	// work has values that are marked and whose own dependences are not yet.
	work []*Value
}

// slot is position k of what construct in carries or hands over, -1 for its counter, or
// of what a memory op leaves. param tells a parameter from a result at the same
// position.
type slot struct {
	in    *Instr
	k     int32
	param bool
}

// Needs finds them. What a loop carries at one position is a parameter and a result,
// which can go only together; so usually one being needed marks all of the position.
// apart says that it matters which of them is needed, for callers that only ask and
// remove nothing.
//
// Every value enters the work list once and every instruction is reached once: linear
// time.
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
		// A break matters only to a loop that does.
		if in.Op.Has(Effect) && in.Op != OpBreak {
			effects = append(effects, in)
		}
	})
	for _, in := range effects {
		n.reach(in)
	}
	for _, o := range f.Outs {
		n.use(o.V)
	}
	for len(n.work) > 0 {
		v := n.work[len(n.work)-1]
		n.work = n.work[:len(n.work)-1]
		n.value(v)
	}
	return n
}

// index notes what is inside in, or which loop it leaves.
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

// use marks v and queues it.
func (n *Needs) use(v *Value) {
	if v != nil && !n.Live[v.ID] {
		n.Live[v.ID] = true
		n.work = append(n.work, v)
	}
}

// reach marks an effect or a construct, and what decides whether and how often it runs:
// its operands, the constructs around it, and the breaks of a loop. What a construct
// hands over is marked value by value, so that of ten values a loop carries two may be
// live.
func (n *Needs) reach(in *Instr) {
	for ; in != nil && !n.Reached[in]; in = n.owner[in] {
		n.Reached[in] = true
		for k := range in.Src {
			for _, l := range in.Src[k] {
				n.use(l.V)
			}
		}
		for _, l := range in.Pred {
			n.use(l.V)
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
			n.use(v)
		}
	}
}

// value marks what v depends on.
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
				n.use(l.V)
			}
		}
	}
	n.use(in.Pred[v.Lane].V)
	n.use(in.Keep[v.Lane])
	n.states(in)
}

// carried marks what comes to position s. A parameter begins as an argument and goes on
// as a result of the body; a result is what a break hands over, and of a loop that ends
// by itself what the parameter would be next. Of a conditional it is what both branches
// yield.
func (n *Needs) carried(s slot) {
	if s.k < 0 {
		return
	}
	// With apart, the result of a loop without a count is what its breaks hand over,
	// nothing else.
	next := s.in.Op != OpLoop || !n.apart || s.param || len(s.in.Src) > 0
	if next {
		for _, sub := range s.in.Sub {
			n.use(sub.Results[s.k])
		}
	}
	if s.in.Op != OpLoop {
		return
	}
	if next {
		n.use(s.in.Args[s.k])
	}
	if !n.apart || !s.param {
		for _, b := range n.Breaks[s.in] {
			n.use(b.Args[s.k])
		}
	}
}

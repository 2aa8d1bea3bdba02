package walk

import "github.com/shaderlift/shaderlift/ir"

// rest is the remainder loop of an unrolled loop, which continues where that one ends: L of absorb.go,
// for the loop M.
type rest struct {
	loop *ir.Instr
	from []int       // by parameter: the result of M with which it starts, or -1
	read []bool      // by parameter: whether anything reads it
	late []*ir.Value // values defined between the two loops
}

// rests finds remainder loops, by the loop before them. All live results of that loop are arguments of
// another loop in the same region, and nothing else reads them. Only loops without a count qualify.
func rests(f *ir.Func, l *live) map[*ir.Instr]*rest {
	found := map[*ir.Instr]*rest{}
	var readers map[*ir.Value][]reader
	f.EachRegion(func(r *ir.Region) {
		for at, in := range r.Code {
			if in.Op != ir.OpLoop || len(in.Src) > 0 || !l.ctrl[in] {
				continue
			}
			// Computed once, only if there is a loop.
			if readers == nil {
				readers = readersOf(f, l)
			}
			if x := restOf(r, at, readers, l); x != nil {
				found[in] = x
			}
		}
	})
	return found
}

// reader is a use of a value: argument arg of a loop, a move with result copy, or another use if both are
// nil.
type reader struct {
	loop *ir.Instr
	arg  int
	copy *ir.Value
}

// readersOf lists the live uses of each value. It looks through moves without modifiers, because compilers
// leave some between the loops.
func readersOf(f *ir.Func, l *live) map[*ir.Value][]reader {
	m := map[*ir.Value][]reader{}
	add := func(v *ir.Value, r reader) { m[v] = append(m[v], r) }
	anywhere := func(ln *ir.Lane) { add(ln.V, reader{}) }
	f.Walk(func(in *ir.Instr) {
		switch {
		case in.Op == ir.OpLoop:
			for s := range in.Src {
				in.Src[s].EachLane(func(_ int, ln *ir.Lane) { anywhere(ln) })
			}
			// The loop itself reads the values carried into the next trip (Results).
			for k, p := range in.Sub[0].Params {
				if l.value[p.ID] {
					add(in.Args[k], reader{loop: in, arg: k})
					add(in.Sub[0].Results[k], reader{})
				}
			}
		case in.Op == ir.OpMov && in.Mods == 0 && !in.IsPredicated():
			for i, v := range in.Out {
				switch ln := in.Src[0][i]; {
				case v == nil || !l.value[v.ID]:
				case ln.Mod == 0:
					add(ln.V, reader{copy: v})
				default:
					anywhere(&ln)
				}
			}
		// A live instruction reads all of its sources, and so does one without a formula.
		case !in.Op.HasFormula() || l.lives(in):
			in.EachUse(anywhere)
		}
	})
	for _, out := range f.Outs {
		add(out.V, reader{})
	}
	return m
}

// lives reports whether anything reads a result of in.
func (l *live) lives(in *ir.Instr) (lives bool) {
	in.EachDef(func(v *ir.Value) { lives = lives || l.value[v.ID] })
	return lives
}

// restOf finds the remainder loop of the loop at r.Code[at], or returns nil. Every live result, through
// moves, must be an argument of one later loop.
func restOf(r *ir.Region, at int, readers map[*ir.Value][]reader, l *live) *rest {
	var x *rest
	var follow func(v *ir.Value, k int) bool
	follow = func(v *ir.Value, k int) bool {
		for _, by := range readers[v] {
			switch {
			case by.copy != nil:
				if !follow(by.copy, k) {
					return false
				}
			case by.loop == nil || len(by.loop.Src) > 0 || x != nil && x.loop != by.loop:
				return false
			default:
				if x == nil {
					x = &rest{loop: by.loop, from: make([]int, len(by.loop.Args))}
					for j := range x.from {
						x.from[j] = -1
					}
				}
				x.from[by.arg] = k
			}
		}
		return true
	}
	// Every live result has to end in arguments of one loop.
	for k, v := range r.Code[at].Results {
		if l.value[v.ID] && !follow(v, k) {
			return nil
		}
	}
	if x == nil {
		return nil
	}
	// read and late serve the prober, which executes the remainder loop from M's state. Values defined
	// between the two loops are arbitrary there.
	for _, p := range x.loop.Sub[0].Params {
		x.read = append(x.read, len(readers[p]) > 0)
	}
	for _, in := range r.Code[at+1:] {
		if in == x.loop {
			return x
		}
		in.EachDef(func(v *ir.Value) { x.late = append(x.late, v) })
	}
	return nil
}

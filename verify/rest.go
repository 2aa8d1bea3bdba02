package verify

import "github.com/shaderlift/shaderlift/ir"

// rest is the loop that goes on where another one ends: L of walk_absorb.go, the remainder of a loop M
// that was unrolled.
type rest struct {
	loop *ir.Instr
	from []int       // by parameter: the result it starts with, or -1
	read []bool      // by parameter: something reads it
	late []*ir.Value // what is defined between the two
}

// rests finds the loops whose live results another loop in the same region starts with and nothing else
// reads, by the first loop. Only loops without a count qualify.
func rests(f *ir.Func, l *live) map[*ir.Instr]*rest {
	found := map[*ir.Instr]*rest{}
	var readers map[*ir.Value][]reader
	f.EachRegion(func(r *ir.Region) {
		for at, in := range r.Code {
			if in.Op != ir.OpLoop || len(in.Src) > 0 || !l.ctrl[in] {
				continue
			}
			// Made once, and only if there is a loop at all.
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

// reader is what reads a value: argument arg of a loop, a move whose result is copy, or, if both are nil,
// something else.
type reader struct {
	loop *ir.Instr
	arg  int
	copy *ir.Value
}

// readersOf lists by value what live code reads it. Moves without modifiers are looked through, since
// compilers leave some between the loops.
func readersOf(f *ir.Func, l *live) map[*ir.Value][]reader {
	m := map[*ir.Value][]reader{}
	add := func(v *ir.Value, r reader) { m[v] = append(m[v], r) }
	anywhere := func(ln *ir.Lane) { add(ln.V, reader{}) }
	f.Walk(func(in *ir.Instr) {
		switch {
		case in.Op == ir.OpLoop:
			for s := range in.Src {
				in.Src[s].Each(func(_ int, ln *ir.Lane) { anywhere(ln) })
			}
			// What is carried into the next trip (Results) is read by the loop itself.
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
		// What is neither computed from its sources alone nor dead reads all of them.
		case !in.Op.HasFormula() || l.lives(in):
			in.EachUse(anywhere)
		}
	})
	for _, out := range f.Outs {
		add(out.V, reader{})
	}
	return m
}

// lives reports whether anything that in defines is read.
func (l *live) lives(in *ir.Instr) (lives bool) {
	in.EachDef(func(v *ir.Value) { lives = lives || l.value[v.ID] })
	return lives
}

// restOf finds the rest of the loop at a place of r, nil if it has none: every live result, through
// moves, is an argument of one and the same later loop. late is what is defined in between.
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
	// Follow every live result, which has to end in arguments of the same loop.
	for k, v := range r.Code[at].Results {
		if l.value[v.ID] && !follow(v, k) {
			return nil
		}
	}
	if x == nil {
		return nil
	}
	// read and late serve the prober, which executes the rest from M's state: what is defined between
	// the two loops is any value there.
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

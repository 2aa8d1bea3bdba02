package mutate

// block is a basic block: units[from:to] are its assignments, and flow is the statement of flow
// that ends it (flow == to), or -1 for the last block, which runs into the end of the program.
// Only a statement of flow ends a block and only the statement behind one begins one, so that
// blocks are cut finer than maximal basic blocks; that costs nothing here.
type block struct{ from, to, flow int }

// blocks cuts a program into its basic blocks, in the order of the text. There is one more than
// there are statements of flow, and some may be empty.
func blocks(f *flat) (list []block) {
	from := 0
	for i := range f.units {
		if f.units[i].flow != "" {
			list = append(list, block{from, i, i})
			from = i + 1
		}
	}
	return append(list, block{from, len(f.units), -1})
}

// liveness is the backward data-flow analysis of live variables (Aho, Lam, Sethi, Ullman,
// Compilers, section 9.2.5): in[i] are the places that are live at the beginning of block i, and
// out[i] those at its end, in front of its statement of flow. A place is live where some path
// reads it before setting it; exits are live at the end of the program. The sets only grow, so
// that comparing their sizes finds the fixpoint; visiting blocks from the last to the first makes
// one pass per nesting depth of loops, and one more, enough.
func liveness(f *flat, list []block, exits map[string]bool) (in, out []map[string]bool) {
	// A block is known by its first statement, since next names statements.
	first := map[int]int{}
	for i, b := range list {
		first[b.from] = i
	}
	in = make([]map[string]bool, len(list))
	out = make([]map[string]bool, len(list))
	for i := range list {
		in[i], out[i] = map[string]bool{}, map[string]bool{}
	}
	for changed := true; changed; {
		changed = false
		for i := len(list) - 1; i >= 0; i-- {
			b := list[i]
			l := map[string]bool{}
			follow := func(at int) {
				k, ok := first[at]
				// Not a beginning of a block: behind the last statement.
				if !ok {
					for p := range exits {
						l[p] = true
					}
					return
				}
				for p := range in[k] {
					l[p] = true
				}
			}
			switch {
			case b.flow < 0:
				for p := range exits {
					l[p] = true
				}
			// Flow that linker gave no successors goes on to the next statement.
			case f.units[b.flow].next == nil:
				follow(b.flow + 1)
			default:
				for _, at := range f.units[b.flow].next {
					follow(at)
				}
			}
			if len(l) > len(out[i]) {
				out[i], changed = l, true
			}
			n := f.before(b, out[i], nil)
			if len(n) > len(in[i]) {
				in[i], changed = n, true
			}
		}
	}
	return in, out
}

// before walks a block backwards from what is live at its end to what is live at its beginning;
// visit, if not nil, is told what is live behind each statement. A set whose place is dead reads
// nothing, so that a chain of computations which only feeds itself, as the counter of a loop that
// nothing looks at, is dead as a whole: this is liveness of faint variables, stronger than the
// textbook's.
func (f *flat) before(b block, out map[string]bool, visit func(u int, live map[string]bool)) map[string]bool {
	n := map[string]bool{}
	for p := range out {
		n[p] = true
	}
	if b.flow >= 0 {
		for _, r := range f.units[b.flow].reads {
			r.places(func(p string) { n[p] = true })
		}
	}
	for u := b.to - 1; u >= b.from; u-- {
		if visit != nil {
			visit(u, n)
		}
		var reads []arg // of what is live: a value that feeds itself alone is not
		for _, s := range f.units[u].sets {
			if n[s.to] {
				reads = append(reads, s.reads()...)
			}
		}
		for _, s := range f.units[u].sets {
			delete(n, s.to)
		}
		for _, r := range reads {
			r.places(func(p string) { n[p] = true })
		}
	}
	// Arguments that are literals have the empty place.
	delete(n, "")
	return n
}

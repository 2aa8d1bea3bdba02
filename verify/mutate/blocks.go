package mutate

// block is a run of statements up to one of flow, -1 at the end of the program.
type block struct{ from, to, flow int }

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

// liveness finds what is live at the end of each block, before its statement of flow
// reads: the places that some path reads before it sets them.
func liveness(f *flat, list []block, exits map[string]bool) (in, out []map[string]bool) {
	first := map[int]int{} // block by its first statement
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

// before walks a block backwards from what is live at its end to what is at its
// beginning; visit, if not nil, is told what is live behind each statement.
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
	delete(n, "")
	return n
}

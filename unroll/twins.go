package unroll

import "github.com/shaderlift/shaderlift/ir"

// merge has a loop read one of two carried values that are equal on every trip, because
// they begin and go on so (an induction over trips). Written by hand a loop often keeps
// a count beside a copy of it, and where both are carried the copies of the body wait
// for moves.
func merge(f *ir.Func, l *loop) {
	in := l.in
	type pair struct{ first, next *ir.Value }
	body := in.Sub[0]
	same := map[*ir.Value]ir.Lane{}
	seen := map[pair]int{}
	for k, p := range body.Params {
		key := pair{moved(in.Args[k]), moved(body.Results[k])}
		if key.next == p {
			continue
		}
		j, ok := seen[key]
		if !ok {
			seen[key] = k
			continue
		}
		// The copy was made for where it lies: there its readers want it.
		q, home := body.Params[j], p.Home
		if body.Results[k] == key.next {
			home = q.Home
		}
		same[p] = ir.Lane{V: q}
		if q.Home = home; key.next.Kind == ir.Result {
			key.next.Home = home
		}
		for _, v := range []*ir.Value{body.Results[j], body.Results[k]} {
			if v != key.next {
				same[v] = ir.Lane{V: key.next}
			}
		}
	}
	if f.Replace(same); l.exit != nil {
		l.exit.test = l.exit.br.Src[0][0]
	}
}

// moved is the value that v is a copy of, v itself if of none.
func moved(v *ir.Value) *ir.Value {
	for {
		in := v.Def
		if in == nil || in.Op != ir.OpMov || in.Mods != 0 || in.IsPredicated() || in.Src[0][v.Lane].Mod != 0 {
			return v
		}
		v = in.Src[0][v.Lane].V
	}
}

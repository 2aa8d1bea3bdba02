package unroll

import (
	"github.com/shaderlift/shaderlift/internal/affine"
	"github.com/shaderlift/shaderlift/ir"
)

// merge replaces one of two carried values that are equal on every trip by the other. They are
// equal by induction over trips: the initial values and the updates are equal. Hand-written loops
// often carry a count and a copy of it, and then the copies of the body would wait for moves.
func merge(f *ir.Func, l *loop) {
	in := l.in
	type pair struct{ first, next *ir.Value }
	body := in.Sub[0]
	same := map[*ir.Value]ir.Lane{}
	seen := map[pair]int{}
	for k, p := range body.Params {
		key := pair{affine.Moved(in.Args[k]), affine.Moved(body.Results[k])}
		if key.next == p {
			continue
		}
		j, ok := seen[key]
		if !ok {
			seen[key] = k
			continue
		}
		// The copy's register hint is that of its readers, so it is kept.
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

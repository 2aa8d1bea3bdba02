package mutate

import (
	"math"
	"strings"
)

// constantVaryings are the words that a vertex program without flow sets varyings to, by
// the names that a pixel program reads them under. Weights of interpolation sum to one, so
// that over the reals such a varying is constant; a colour is clamped on its way.
func constantVaryings(f *flat) map[string]string {
	words := map[string]string{}
	for i := range f.units {
		if f.units[i].flow != "" {
			return nil
		}
	}
	t := &terms{}
	env := t.run(f.units)
	for out, in := range f.varying {
		n, set := env[out]
		if !set {
			continue
		}
		v, ok := t.literal(n)
		x := float64(math.Float32frombits(v))
		if !ok || math.IsNaN(x) || math.IsInf(x, 0) || (strings.HasPrefix(out, "oD") || strings.Contains(out, "color")) && (x < 0 || x > 1) {
			continue
		}
		words[in] = hex(v)
	}
	return words
}

// give puts words in the place of inputs that hold them.
func (f *flat) give(words map[string]string) {
	var in func(list []arg)
	in = func(list []arg) {
		for i := range list {
			a := &list[i]
			if w, ok := words[a.place]; ok {
				a.place, a.word = "", w
			}
			in(a.by)
		}
	}
	for i := range f.units {
		u := &f.units[i]
		in(u.reads)
		for k := range u.sets {
			in(u.sets[k].args)
		}
	}
}

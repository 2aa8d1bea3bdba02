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
		if !ok || math.IsNaN(x) || math.IsInf(x, 0) || !linear(out) && (x < 0 || x > 1) {
			continue
		}
		words[in] = hex(v)
	}
	return words
}

// equalVaryings are the varyings that a vertex program gives the same term on every path, by the
// names that a pixel program reads them under, as the first of their names: they are interpolated
// alike, those that are clamped on their way left aside.
func equalVaryings(f *flat) map[string]string {
	first := map[string]string{}
	if !followable(f) {
		return nil
	}
	outs := sortedKeys(f.varying)
	w := newWalk(f, f, map[int]bool{})
	ends := 0
	w.atEnd = func(p *path) {
		ends++
		for i, out := range outs {
			was, ok := first[out]
			if ends > 1 && (!ok || w.at(p, 0, was) == w.at(p, 0, out)) {
				continue
			}
			delete(first, out)
			for _, other := range outs[:i] {
				if ends == 1 && linear(out) && linear(other) && w.at(p, 0, other) == w.at(p, 0, out) {
					first[out] = other
					break
				}
			}
		}
	}
	if !w.explore(w.start()) {
		return nil
	}
	names := map[string]string{}
	for out, other := range first {
		names[f.varying[out]] = f.varying[other]
	}
	return names
}

// linear reports whether an output is interpolated as it is.
func linear(out string) bool {
	return !strings.HasPrefix(out, "oD") && !strings.Contains(out, "color")
}

// rename reads inputs under other names.
func (f *flat) rename(names map[string]string) {
	f.eachArg(func(a *arg) {
		if n, ok := names[a.place]; ok {
			a.place = n
		}
	})
}

// give puts words in the place of inputs that hold them.
func (f *flat) give(words map[string]string) {
	f.eachArg(func(a *arg) {
		if w, ok := words[a.place]; ok {
			a.place, a.word = "", w
		}
	})
}

// eachArg calls g for all that a program reads.
func (f *flat) eachArg(g func(*arg)) {
	var in func(list []arg)
	in = func(list []arg) {
		for i := range list {
			g(&list[i])
			in(list[i].by)
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

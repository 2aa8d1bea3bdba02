package mutate

import (
	"math"
	"strings"
)

// constantVaryings are the literals that a vertex program sets varyings to, by the names under which the
// pixel program reads them; the vertex program must have no flow. Perspective interpolation is an
// affine combination of the values at three vertices, with weights that sum to one, so that over the
// reals such a varying is that literal at every fragment. (In floating point the weights round.)
// Colours may be clamped to [0, 1] on the way and count only if that changes nothing.
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

// equalVaryings maps varyings to the first varying in the order of names that a vertex program gives the
// same value on every path. Equal values at the vertices are interpolated to equal values: one
// varying may take the place of the other in the pixel program. Colours, which may be clamped, are
// left aside.
func equalVaryings(f *flat) map[string]string {
	first := map[string]string{}
	if !followable(f) {
		return nil
	}
	outs := sortedKeys(f.varying)
	w := newWalk(f, f, map[int]bool{})
	ends := 0
	// The first path proposes pairs; each later one keeps those that it confirms. A pair that a path
	// refutes is not replaced by another, which may lose some.
	w.atEnd = func(p *path) {
		ends++
		for i, out := range outs {
			old, ok := first[out]
			if ends > 1 && (!ok || w.at(p, 0, old) == w.at(p, 0, out)) {
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

// linear reports whether an output is interpolated without being clamped. oD# and outputs declared with
// usage color may be.
func linear(out string) bool {
	return !strings.HasPrefix(out, "oD") && !strings.Contains(out, "color")
}

// rename gives inputs other names; see equalVaryings.
func (f *flat) rename(names map[string]string) {
	f.eachArg(func(a *arg) {
		if n, ok := names[a.place]; ok {
			a.place = n
		}
	})
}

// give replaces inputs by literals; see constantVaryings.
func (f *flat) give(words map[string]string) {
	f.eachArg(func(a *arg) {
		if w, ok := words[a.place]; ok {
			a.place, a.word = "", w
		}
	})
}

// eachArg calls g for all arguments of a program, nested ones as well, but for predicates.
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

package verify

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// rounded is a value over the reals, and what it is if it is rounded on the way: first as
// the program says. Without any of those it is the value over the reals.
type rounded struct {
	ideal element
	ways  []element
}

// Limits of ways to round: of one value, of those tried for it, and of all tried.
const (
	maxWays      = 6
	maxTrials    = 128
	maxAllTrials = 1 << 18
)

// roundings is the domain of rounded values, on top of the field or of what is made of it.
type roundings struct {
	*field
	inner domain[element]
	// followed are those of which that were met in after.
	followed map[image]bool
	which    map[image]bool // the values that are rounded, but for their signs
	results  map[image]bool // of rounding, which rounding again leaves as they are
	met      map[image]bool // what after computes
	free     bool           // see loosen
	trials   int            // made so far

	src sources[element] // scratch
	out []element
}

// newRoundings makes the domain on top of inner, or of the field of a key if that is nil. which
// are the values that are rounded.
func newRoundings(key uint64, inner *reals, which map[image]bool) *roundings {
	r := &roundings{which: which, results: map[image]bool{}, met: map[image]bool{}, followed: map[image]bool{}}
	if inner != nil {
		r.field, r.inner = inner.field, inner
	} else {
		r.field = newField(key, false)
		r.inner = r.field
	}
	r.clamped = map[image]element{}
	return r
}

// settle makes a value of the ways found for it, the first of which is what the program
// says. It follows up those that after computes as well, if there are any.
func (r *roundings) settle(ideal element, ways []element) rounded {
	x := rounded{ideal: ideal}
	if !r.free {
		u, _ := r.unsigned(ways[0].v)
		r.met[u] = true
		x.add(ways[0])
	} else {
		for _, y := range append(ways, ideal) {
			if u, _ := r.unsigned(y.v); r.met[u] && len(x.ways) < maxWays {
				x.add(y)
			}
		}
		if len(x.ways) == 0 {
			x.add(ways[0])
			x.add(ideal)
		}
	}
	if len(x.ways) == 1 && x.ways[0].v == ideal.v {
		x.ways = nil
	}
	return x
}

// add notes one more way, unless it is known.
func (x *rounded) add(y element) {
	if !slices.ContainsFunc(x.ways, func(z element) bool { return z.v == y.v }) {
		x.ways = append(x.ways, y)
	}
}

func (x rounded) all() []element {
	if x.ways == nil {
		return []element{x.ideal}
	}
	return x.ways
}

// try computes a function of rounded values for the ways to round them. set is told which
// way each argument takes.
func (r *roundings) try(args []rounded, set func(i int, x element), compute func() element) rounded {
	for i, a := range args {
		set(i, a.ideal)
	}
	ideal := compute()
	trials, most := 1, 1
	for _, a := range args {
		trials = min(trials*max(1, len(a.ways)), maxTrials+1)
		most = max(most, len(a.ways))
	}
	if !slices.ContainsFunc(args, func(a rounded) bool { return a.ways != nil }) {
		return r.settle(ideal, []element{ideal})
	}
	together := trials > maxTrials // then all arguments take their i-th way
	if together {
		trials = most
	}
	if r.trials += trials; r.trials > maxAllTrials {
		trials, together = 1, true
	}
	r.out = r.out[:0]
	for t := range trials {
		rest := t
		for i, a := range args {
			n := len(a.ways)
			switch {
			case n == 0:
				set(i, a.ideal)
			case together:
				set(i, a.ways[min(t, n-1)])
			default:
				set(i, a.ways[rest%n])
				rest /= n
			}
		}
		r.out = append(r.out, compute())
	}
	return r.settle(ideal, r.out)
}

// computed rounds.
func (r *roundings) computed(x rounded, in *ir.Instr) rounded {
	if in.Mods&ir.Half == 0 {
		return x
	}
	as := r.roundedAs(x.ideal)
	if !r.which[as] {
		return x
	}
	r.followed[as] = r.followed[as] || !r.free
	var ways []element
	for _, y := range x.all() {
		ways = append(ways, r.round(y))
	}
	return r.settle(x.ideal, append(ways, x.all()...))
}

// roundedAs identifies what is rounded: values that differ in sign, or by saturation after
// it or before, are rounded alike, since 0 and 1 have partial precision.
func (f *field) roundedAs(x element) image {
	if y, ok := f.clamped[x.v]; ok {
		x = y
	}
	u, _ := f.unsigned(x.v)
	return u
}

// round is the function that rounds.
func (r *roundings) round(x element) element {
	if y, ok := r.clamped[x.v]; ok {
		return r.inner.saturate(r.round(y))
	}
	u, neg := r.unsigned(x.v)
	if r.results[u] {
		return x
	}
	y := r.random(tagHalf, 0, []element{{v: u, deg: x.deg}})
	v, _ := r.unsigned(y.v)
	r.results[v] = true
	if neg {
		y.v = r.neg(y.v)
	}
	return y
}

func (r *roundings) literal(bits uint32) rounded      { return rounded{ideal: r.inner.literal(bits)} }
func (r *roundings) bits(x rounded) (uint32, bool)    { return r.inner.bits(x.ideal) }
func (r *roundings) truth(c rounded) (value, ok bool) { return r.inner.truth(c.ideal) }
func (r *roundings) always() rounded                  { return rounded{ideal: r.inner.always()} }
func (r *roundings) trips(count rounded) int          { return r.inner.trips(count.ideal) }

func (r *roundings) each(do func(args []element) element, args ...rounded) rounded {
	now := make([]element, len(args))
	return r.try(args, func(i int, x element) { now[i] = x }, func() element { return do(now) })
}

func (r *roundings) call(tg tag, aux uint64, args []rounded) rounded {
	return r.each(func(a []element) element { return r.inner.call(tg, aux, a) }, args...)
}

func (r *roundings) interpolate(k interpolation, v []rounded) rounded {
	return r.each(func(a []element) element { return r.inner.interpolate(k, a) }, v...)
}

func (r *roundings) modify(x rounded, m ir.LaneMod) rounded {
	return r.each(func(a []element) element { return r.inner.modify(a[0], m) }, x)
}

func (r *roundings) saturate(x rounded) rounded {
	return r.each(func(a []element) element { return r.inner.saturate(a[0]) }, x)
}

func (r *roundings) boolean(x rounded) rounded {
	return r.each(func(a []element) element { return r.inner.boolean(a[0]) }, x)
}

func (r *roundings) not(c rounded) rounded {
	return r.each(func(a []element) element { return r.inner.not(a[0]) }, c)
}

func (r *roundings) and(a, b rounded) rounded {
	return r.each(func(x []element) element { return r.inner.and(x[0], x[1]) }, a, b)
}

func (r *roundings) compare(c ir.Cond, a, b rounded) rounded {
	return r.each(func(x []element) element { return r.inner.compare(c, x[0], x[1]) }, a, b)
}

// choose goes by the real condition where that is known.
func (r *roundings) choose(c, a, b rounded) rounded {
	switch holds, known := r.truth(c); {
	case known && holds:
		return a
	case known:
		return b
	}
	return r.each(func(x []element) element { return r.inner.choose(x[0], x[1], x[2]) }, c, a, b)
}

// apply takes the lanes of an operand that have as many ways for one argument.
func (r *roundings) apply(in *ir.Instr, lane int, src *sources[rounded]) rounded {
	var args []rounded
	var at [][2]int
	for s := range in.Src {
		reads := in.ReadsFor(s, 1<<lane)
		for i := range 4 {
			if reads>>i&1 != 0 {
				args, at = append(args, src[s][i]), append(at, [2]int{s, i})
			}
		}
	}
	set := func(i int, x element) { r.src[at[i][0]][at[i][1]] = x }
	return r.try(args, set, func() element { return r.inner.apply(in, lane, &r.src) })
}

func (r *roundings) same(a, b rounded) bool {
	return a.ideal.v == b.ideal.v && slices.EqualFunc(a.ways, b.ways, func(x, y element) bool { return x.v == y.v })
}

func (r *roundings) id(x rounded) uint64 {
	h := mix(r.field.id(x.ideal))
	for _, y := range x.ways {
		h = mix(h*0x9fb21c651e98df25 + r.field.id(y))
	}
	return h
}

// refines reports whether before may be what after is.
func refines(before, after rounded) bool {
	x := after.all()[0]
	return before.ideal.v == after.ideal.v && slices.ContainsFunc(before.all(), func(y element) bool { return y.v == x.v })
}

// loosen says whether uses may get what is not rounded, from now on.
func (r *roundings) loosen(free bool) { r.free = free }

// complete reports whether all that is rounded was met, as it has to be where the values of
// reals depend on what was met before.
func (r *roundings) complete() bool {
	if _, known := r.inner.(*reals); !known {
		return true
	}
	for v := range r.which { // any
		if !r.followed[v] {
			return false
		}
	}
	return true
}

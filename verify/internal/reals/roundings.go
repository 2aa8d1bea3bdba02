package reals

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Rounded is the index of a value of Roundings. The underlying type is that of symbolic.Term, so that the
// compiler needs one copy of package walk for both.
type Rounded int32

// rounded is a value over the reals, with the values that it may have after intermediate roundings. The
// first of ways follows the program. Without ways it is the value over the reals.
type rounded struct {
	ideal Element
	ways  []Element
}

// Limits of ways to round: of one value, of those tried for it, and of all tried.
const (
	maxWays      = 6
	maxTrials    = 128
	maxAllTrials = 1 << 18
)

// Roundings is the domain of rounded values, on top of the field or a domain on it.
type Roundings struct {
	*Field
	inner  symbolic.Domain[Element]
	values []rounded // by Rounded; the first is the zero value
	// followed holds those elements of which that were met in after.
	followed map[Image]bool
	which    map[Image]bool // the rounded values, up to sign
	results  map[Image]bool // results of rounding, which is idempotent
	met      map[Image]bool // values that after computes
	free     bool           // see loosen
	trials   int            // total so far

	src symbolic.Sources[Element] // scratch
	out []Element
}

// NewRoundings returns the domain on top of inner, or of the field of a key if inner is nil. which holds
// the values that are rounded.
func NewRoundings(key uint64, inner *Reals, which map[Image]bool) *Roundings {
	r := &Roundings{which: which, results: map[Image]bool{}, met: map[Image]bool{}, followed: map[Image]bool{}}
	r.values = make([]rounded, 1)
	if inner != nil {
		r.Field, r.inner = inner.Field, inner
	} else {
		r.Field = NewField(key, false)
		r.inner = r.Field
	}
	r.clamped = map[Image]Element{}
	return r
}

// settle returns a value with the ways found for it. Normally it keeps only the first, which follows the
// program. After Loosen it keeps those that after also computes, or else the first way and the unrounded
// value.
func (r *Roundings) settle(ideal Element, ways []Element) Rounded {
	x := rounded{ideal: ideal}
	if !r.free {
		u, _ := r.unsigned(ways[0].v)
		r.met[u] = true
		x.addWay(ways[0])
	} else {
		for _, y := range append(ways, ideal) {
			if u, _ := r.unsigned(y.v); r.met[u] && len(x.ways) < maxWays {
				x.addWay(y)
			}
		}
		if len(x.ways) == 0 {
			x.addWay(ways[0])
			x.addWay(ideal)
		}
	}
	if len(x.ways) == 1 && x.ways[0].v == ideal.v {
		x.ways = nil
	}
	return r.add(x)
}

func (r *Roundings) add(x rounded) Rounded {
	r.values = append(r.values, x)
	return Rounded(len(r.values) - 1)
}

// addWay adds one more way, unless it is known.
func (x *rounded) addWay(y Element) {
	if !slices.ContainsFunc(x.ways, func(z Element) bool { return z.v == y.v }) {
		x.ways = append(x.ways, y)
	}
}

// allValues returns the values that x may have.
func (x rounded) allValues() []Element {
	if x.ways == nil {
		return []Element{x.ideal}
	}
	return x.ways
}

// combineWays computes a function of rounded values for the ways to round them: all combinations if there are few.
// set receives the way of each argument.
func (r *Roundings) combineWays(of []Rounded, set func(i int, x Element), compute func() Element) Rounded {
	args := make([]rounded, len(of))
	for i, x := range of {
		args[i] = r.values[x]
	}
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
		return r.settle(ideal, []Element{ideal})
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

// Computed rounds the result of an instruction of partial precision, in each of its ways.
func (r *Roundings) Computed(x Rounded, in *ir.Instr) Rounded {
	if in.Mods&ir.Half == 0 {
		return x
	}
	before := r.values[x]
	as := r.roundedAs(before.ideal)
	if !r.which[as] {
		return x
	}
	r.followed[as] = r.followed[as] || !r.free
	var ways []Element
	for _, y := range before.allValues() {
		ways = append(ways, r.round(y))
	}
	return r.settle(before.ideal, append(ways, before.allValues()...))
}

// roundedAs identifies a rounded value. Values that differ in sign, or by saturation before or after
// rounding, have the same rounding, since 0 and 1 have partial precision.
func (f *Field) roundedAs(x Element) Image {
	if y, ok := f.clamped[x.v]; ok {
		x = y
	}
	u, _ := f.unsigned(x.v)
	return u
}

// round applies the rounding function.
func (r *Roundings) round(x Element) Element {
	if y, ok := r.clamped[x.v]; ok {
		return r.inner.Saturate(r.round(y))
	}
	u, neg := r.unsigned(x.v)
	if r.results[u] {
		return x
	}
	y := r.random(symbolic.TagHalf, 0, []Element{x.withImage(u)})
	v, _ := r.unsigned(y.v)
	r.results[v] = true
	if neg {
		y.v = r.neg(y.v)
	}
	return y
}

// Literal implements symbolic.Domain.
func (r *Roundings) Literal(bits uint32) Rounded {
	return r.add(rounded{ideal: r.inner.Literal(bits)})
}

// Bits implements symbolic.Domain.
func (r *Roundings) Bits(x Rounded) (uint32, bool) { return r.inner.Bits(r.values[x].ideal) }

// Truth implements symbolic.Domain.
func (r *Roundings) Truth(c Rounded) (value, ok bool) { return r.inner.Truth(r.values[c].ideal) }

// Always implements symbolic.Domain.
func (r *Roundings) Always() Rounded { return r.add(rounded{ideal: r.inner.Always()}) }

// Trips implements symbolic.Domain.
func (r *Roundings) Trips(count Rounded) int { return r.inner.Trips(r.values[count].ideal) }

// mapWays applies a function of the domain below to all ways.
func (r *Roundings) mapWays(do func(args []Element) Element, args ...Rounded) Rounded {
	now := make([]Element, len(args))
	return r.combineWays(args, func(i int, x Element) { now[i] = x }, func() Element { return do(now) })
}

// Opaque implements symbolic.Domain.
func (r *Roundings) Opaque(tg symbolic.Tag, aux uint64, args []Rounded) Rounded {
	return r.mapWays(func(a []Element) Element { return r.inner.Opaque(tg, aux, a) }, args...)
}

// Interpolate implements symbolic.Domain.
func (r *Roundings) Interpolate(k symbolic.Interpolation, v []Rounded) Rounded {
	return r.mapWays(func(a []Element) Element { return r.inner.Interpolate(k, a) }, v...)
}

// Modify implements symbolic.Domain.
func (r *Roundings) Modify(x Rounded, m ir.LaneMod) Rounded {
	return r.mapWays(func(a []Element) Element { return r.inner.Modify(a[0], m) }, x)
}

// Saturate implements symbolic.Domain.
func (r *Roundings) Saturate(x Rounded) Rounded {
	return r.mapWays(func(a []Element) Element { return r.inner.Saturate(a[0]) }, x)
}

// Boolean implements symbolic.Domain.
func (r *Roundings) Boolean(x Rounded) Rounded {
	return r.mapWays(func(a []Element) Element { return r.inner.Boolean(a[0]) }, x)
}

// Not implements symbolic.Domain.
func (r *Roundings) Not(c Rounded) Rounded {
	return r.mapWays(func(a []Element) Element { return r.inner.Not(a[0]) }, c)
}

// And implements symbolic.Domain.
func (r *Roundings) And(a, b Rounded) Rounded {
	return r.mapWays(func(x []Element) Element { return r.inner.And(x[0], x[1]) }, a, b)
}

// Compare implements symbolic.Domain.
func (r *Roundings) Compare(c ir.Cond, a, b Rounded) Rounded {
	return r.mapWays(func(x []Element) Element { return r.inner.Compare(c, x[0], x[1]) }, a, b)
}

// Choose follows the real condition if that is known.
func (r *Roundings) Choose(c, a, b Rounded) Rounded {
	switch holds, known := r.Truth(c); {
	case known && holds:
		return a
	case known:
		return b
	}
	return r.mapWays(func(x []Element) Element { return r.inner.Choose(x[0], x[1], x[2]) }, c, a, b)
}

// Apply treats lanes of an operand with the same number of ways as one argument.
func (r *Roundings) Apply(in *ir.Instr, lane int, src *symbolic.Sources[Rounded]) Rounded {
	var args []Rounded
	var at [][2]int
	for s := range in.Src {
		reads := in.ReadsFor(s, 1<<lane)
		for i := range 4 {
			if reads>>i&1 != 0 {
				args, at = append(args, src[s][i]), append(at, [2]int{s, i})
			}
		}
	}
	set := func(i int, x Element) { r.src[at[i][0]][at[i][1]] = x }
	return r.combineWays(args, set, func() Element { return r.inner.Apply(in, lane, &r.src) })
}

// Same implements symbolic.Domain.
func (r *Roundings) Same(a, b Rounded) bool {
	x, y := r.values[a], r.values[b]
	return x.ideal.v == y.ideal.v && slices.EqualFunc(x.ways, y.ways, func(x, y Element) bool { return x.v == y.v })
}

// ID implements symbolic.Domain.
func (r *Roundings) ID(x Rounded) uint64 {
	value := r.values[x]
	h := symbolic.Mix(r.Field.ID(value.ideal))
	for _, y := range value.ways {
		h = symbolic.Mix(h*0x9fb21c651e98df25 + r.Field.ID(y))
	}
	return h
}

// Refines reports whether before may have the value of after.
func (r *Roundings) Refines(before, after Rounded) bool {
	b, a := r.values[before], r.values[after]
	x := a.allValues()[0]
	return b.ideal.v == a.ideal.v &&
		slices.ContainsFunc(b.allValues(), func(y Element) bool { return y.v == x.v })
}

// Loosen sets whether uses may receive unrounded values from now on.
func (r *Roundings) Loosen(free bool) { r.free = free }

// Complete reports whether all rounded values were met. Reals requires this, since its values depend on
// earlier values.
func (r *Roundings) Complete() bool {
	if _, known := r.inner.(*Reals); !known {
		return true
	}
	for v := range r.which { // any
		if !r.followed[v] {
			return false
		}
	}
	return true
}

// Weight implements symbolic.Weigher.
func (r *Roundings) Weight() int {
	n := 64 * len(r.values)
	if w, ok := r.inner.(symbolic.Weigher); ok {
		n += w.Weight()
	}
	return n
}

package reals

import (
	"cmp"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Image is a value modulo either of two primes, in the form of modulus.
type Image [2]uint64

// Element is a value of rung 3: its images, and the degree that the polynomial it
// stands for has at most.
type Element struct {
	v   Image
	deg float64
	// A literal remembers its bits, so that constant subexpressions can be
	// computed as the folding of constants does: in float32.
	isBits bool
	lit    uint32

	more *traits // of reals
}

// Field is the domain of values in the fields of two primes, which the key chooses. They are computed
// side by side and have nothing in common but which values are known: what differs looks equal only if
// it does in both.
//
// Sums and products are those of the field; every other function is a pseudo-random function of its
// arguments, keyed by its name and the key, but for two laws of exponentials. Conditional choice is
// exact algebra too: c ? a : b is c*a + (1-c)*b where c is 0 or 1, and an identity of polynomials in c
// holds there.
//
// Constant subexpressions are taken at their float32 value, on both sides of a comparison, as a
// compiler that folds them does.
type Field struct {
	mod [2]*modulus
	key [2]uint64
	// ids numbers images as they are met, for ID.
	ids  map[Image]uint64
	src  *symbolic.Sources[Element] // of the instruction being applied
	read func(src, lane int) Element
	lit  func(src, lane int) uint32

	// typeless: literals may be integers, of which all bits count. Only those that look
	// like ordinary floats have their value then, which tells them apart too.
	typeless bool

	// What the error probability is made of, see Epsilon.
	opaque int     // applications of opaque functions
	values int     // values that are looked up
	tests  float64 // comparisons of values besides
	spread float64 // what inverses add to degrees, of which they count as 1
	degree float64 // the highest met
	work   int     // products of terms that one side took of reals
	// If not nil, rounded notes what is computed in partial precision, and clamped what
	// results of saturation are made of.
	rounded map[Image]bool
	clamped map[Image]Element

	exponents  map[Image]Element // by exponential
	infinities infinities
	watch      watched
}

// NewField is the field that a key chooses. In a typeless one literals may be integers.
func NewField(key uint64, typeless bool) *Field {
	r := symbolic.Stream(key)
	first := r.Next() % uint64(len(primes))
	second := (first + 1 + r.Next()%uint64(len(primes)-1)) % uint64(len(primes))
	f := &Field{mod: [2]*modulus{moduli[first](), moduli[second]()}, key: [2]uint64{r.Next(), r.Next()}, ids: map[Image]uint64{},
		typeless: typeless, clamped: map[Image]Element{}, exponents: map[Image]Element{}}
	f.infinities.known = map[Image]bool{}
	f.read = func(s, l int) Element { return f.src[s][l] }
	f.lit = func(s, l int) uint32 { return f.src[s][l].lit }
	return f
}

// Begin begins with a side. The sets are of what is computed in partial precision, and of the
// infinities and NaNs made by constants that arithmetic gets.
func (f *Field) Begin() (rounded map[Image]bool, met map[Infinite]bool) {
	f.rounded, f.infinities.met, f.work = map[Image]bool{}, map[Infinite]bool{}, 0
	return f.rounded, f.infinities.met
}

// Images are those of some values, as a set in order.
func Images(values []Element) []Image {
	set := make([]Image, len(values))
	for i, x := range values {
		set[i] = x.v
	}
	slices.SortFunc(set, func(a, b Image) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return slices.Compact(set)
}

// seen takes in the degree of a value that is compared or looked up.
func (f *Field) seen(x Element) Element {
	if x.deg > f.degree {
		f.degree = x.deg
	}
	return x
}

// random is the value of an opaque function: a hash of its name and of the images of its arguments,
// different in either field. It is a new variable, of degree 1.
func (f *Field) random(tg symbolic.Tag, aux uint64, args []Element) Element {
	f.opaque++
	name := aux ^ uint64(tg)<<56
	h := [2]uint64{symbolic.Mix(f.key[0] ^ name), symbolic.Mix(f.key[1] ^ name)}
	for i := range args {
		a := &args[i]
		f.degree = max(f.degree, a.deg)
		h[0] = symbolic.Mix(h[0]*0x9fb21c651e98df25 + a.v[0])
		h[1] = symbolic.Mix(h[1]*0x9fb21c651e98df25 + a.v[1])
	}
	return Element{v: Image{f.mod[0].reduce(symbolic.Mix(h[0] + f.key[0])), f.mod[1].reduce(symbolic.Mix(h[1] + f.key[1]))}, deg: 1}
}

// Opaque knows no precision: what is rounded to partial precision is the same over the reals.
func (f *Field) Opaque(tg symbolic.Tag, aux uint64, args []Element) Element {
	return f.random(tg, symbolic.WithoutHalf(tg, aux), args)
}

// Literal implements symbolic.Domain. It is the exact rational number that a float is. Infinities,
// NaNs and, in a typeless field, words that are hardly floats are opaque.
func (f *Field) Literal(bits uint32) Element {
	x := math.Float32frombits(bits)
	if math.IsInf(float64(x), 0) || x != x || f.typeless && !ordinary(bits) {
		e := f.random(symbolic.TagBits, uint64(bits), nil)
		e.isBits, e.lit = true, bits
		return e
	}
	return Element{v: Image{f.mod[0].image(x), f.mod[1].image(x)}, isBits: true, lit: bits}
}

// ordinary reports whether bits are 0.0 or a float that is neither special nor subnormal,
// as small integers are. Of these no two have the same image.
func ordinary(bits uint32) bool {
	const low, high = 1 << 23, 255 << 23
	size := bits &^ symbolic.SignBit
	return bits == 0 || size >= low && size < high
}

// Bits implements symbolic.Domain.
func (f *Field) Bits(x Element) (uint32, bool) { return x.lit, x.isBits }

// Const implements ir.Algebra.
func (f *Field) Const(x float32) Element { return f.Literal(math.Float32bits(x)) }

// asNumber is x as arithmetic takes it: -0.0 is a word of its own, but no other number than
// 0.0.
func (f *Field) asNumber(x Element) Element {
	if x.isBits && x.lit == symbolic.SignBit {
		return f.Literal(0)
	}
	return x
}

// asWord is x as what is chosen, not computed with: there -0.0 is no other word than itself.
func (f *Field) asWord(x Element) Element {
	if f.typeless && x.isBits && x.lit == symbolic.SignBit {
		return Element{v: x.v, deg: x.deg}
	}
	return x
}

// Add implements ir.Algebra.
func (f *Field) Add(a, b Element) Element {
	a, b = f.asNumber(a), f.asNumber(b)
	return Element{v: Image{f.mod[0].add(a.v[0], b.v[0]), f.mod[1].add(a.v[1], b.v[1])}, deg: max(a.deg, b.deg)}
}

// Mul implements ir.Algebra.
func (f *Field) Mul(a, b Element) Element {
	a, b = f.asNumber(a), f.asNumber(b)
	return Element{v: Image{f.mod[0].mul(a.v[0], b.v[0]), f.mod[1].mul(a.v[1], b.v[1])}, deg: a.deg + b.deg}
}

// Neg implements ir.Algebra.
func (f *Field) Neg(a Element) Element {
	if f.typeless && a.isBits {
		return f.Literal(a.lit ^ symbolic.SignBit)
	}
	a.v = f.neg(a.v)
	a.lit ^= symbolic.SignBit
	return a
}

func (f *Field) neg(v Image) Image { return Image{f.mod[0].neg(v[0]), f.mod[1].neg(v[1])} }

// unsigned is v or -v, the same for both; neg tells that it is -v.
func (f *Field) unsigned(v Image) (u Image, neg bool) {
	if minus := f.neg(v); minus[0] < v[0] || minus[0] == v[0] && minus[1] < v[1] {
		return minus, true
	}
	return v, false
}

func (f *Field) one() Image { return Image{f.mod[0].one, f.mod[1].one} }

// Call implements ir.Algebra.
func (f *Field) Call(p ir.Prim, args []Element) Element {
	switch p {
	case ir.PrimAbs:
		return f.abs(args[0])
	case ir.PrimFma:
		return f.Add(f.Mul(args[0], args[1]), args[2])
	case ir.PrimSelGE:
		if bits, ok := f.Bits(args[0]); ok {
			if math.Float32frombits(bits) >= 0 {
				return args[1]
			}
			return args[2]
		}
		return f.Choose(f.random(symbolic.TagPrim, uint64(p), args[:1]), args[1], args[2])
	case ir.PrimExp2:
		return f.exponential(args[0])
	case ir.PrimRcp:
		if x, ok := f.exponentOf(args[0]); ok {
			return f.exponential(f.Neg(x))
		}
	case ir.PrimMin, ir.PrimMinIEEE:
		if f.agree(args[0], args[1]) {
			return args[0]
		}
	case ir.PrimMax, ir.PrimMaxIEEE:
		if f.agree(args[0], args[1]) {
			return args[0]
		}
		for i, x := range args {
			if zero := args[1-i]; zero.v == (Image{}) && f.most1(x) {
				return f.Saturate(x)
			}
		}
	}
	return f.random(symbolic.TagPrim, uint64(p), args)
}

// agree reports whether two values that are no literals are the same, of which either will do.
func (f *Field) agree(x, y Element) bool {
	f.tests++
	return f.seen(x).v == f.seen(y).v && !x.isBits && !y.isBits
}

// abs depends on its argument up to the sign.
func (f *Field) abs(x Element) Element {
	if x.isBits {
		return f.Literal(x.lit &^ symbolic.SignBit)
	}
	f.opaque++ // two polynomials of the argument can collide with those of another call
	x.v, _ = f.unsigned(x.v)
	return f.random(symbolic.TagAbs, 0, []Element{x})
}

// Modify implements symbolic.Domain.
func (f *Field) Modify(x Element, m ir.LaneMod) Element {
	if m&ir.Abs != 0 {
		x = f.chosen(f.abs(x), x)
	}
	if m&ir.Neg != 0 {
		x = f.Neg(x)
	}
	if m&ir.Not != 0 {
		x = f.Not(x)
	}
	return x
}

// Saturate implements symbolic.Domain. 0 and 1 are clamped to what they are.
func (f *Field) Saturate(x Element) Element {
	if x.isBits && (x.lit == 0 || x.lit == math.Float32bits(1)) {
		return x
	}
	y := f.random(symbolic.TagPrim, uint64(ir.PrimSat), []Element{x})
	if f.clamped != nil {
		f.clamped[y.v] = x
	}
	return y
}

// Apply implements symbolic.Domain.
func (f *Field) Apply(in *ir.Instr, lane int, src *symbolic.Sources[Element]) Element {
	f.src = src
	x, ok := f.constant(in, lane, src)
	if !ok {
		if x = f.eval(f, in.Op, lane, f.read); in.Mods&ir.Sat != 0 {
			x = f.Saturate(x)
		}
	}
	return x
}

// constant computes a lane from literals, in float32; not ok if an operand is none, or if folding is
// not accepted practice for the op (see ir.Words).
func (f *Field) constant(in *ir.Instr, lane int, src *symbolic.Sources[Element]) (x Element, ok bool) {
	for s := range in.Src {
		reads := in.ReadsFor(s, 1<<lane)
		for i := range 4 {
			if reads>>i&1 != 0 && !src[s][i].isBits {
				return x, false
			}
		}
	}
	w := ir.Words{Fold: true}
	bits := ir.Eval(&w, in.Op, lane, f.lit)
	if in.Mods&ir.Sat != 0 {
		bits = w.Call(ir.PrimSat, []uint32{bits})
	}
	return f.Literal(bits), w.Fold
}

// Boolean implements symbolic.Domain.
func (f *Field) Boolean(x Element) Element {
	if !x.isBits {
		return x
	}
	if x.lit != 0 {
		return f.Always()
	}
	return Element{isBits: true}
}

// Truth implements symbolic.Domain.
func (f *Field) Truth(c Element) (value, known bool) { return c.lit != 0, c.isBits }

// Compare implements symbolic.Domain.
func (f *Field) Compare(c ir.Cond, a, b Element) Element {
	return f.random(symbolic.TagCompare, uint64(c), []Element{a, b})
}

// Not implements symbolic.Domain.
func (f *Field) Not(c Element) Element {
	if c.isBits {
		if c.lit != 0 {
			return Element{isBits: true}
		}
		return f.Always()
	}
	return f.Add(Element{v: f.one()}, Element{v: f.neg(c.v), deg: c.deg})
}

// Always implements symbolic.Domain.
func (f *Field) Always() Element { return Element{v: f.one(), isBits: true, lit: 1} }

// And implements symbolic.Domain.
func (f *Field) And(a, b Element) Element {
	switch {
	case a.isBits && a.lit != 0 || b.isBits && b.lit == 0:
		return b
	case b.isBits && b.lit != 0 || a.isBits && a.lit == 0:
		return a
	}
	return f.Mul(a, b)
}

// Choose implements symbolic.Domain.
func (f *Field) Choose(c, a, b Element) Element {
	switch holds, known := f.Truth(c); {
	case known && holds || a.v == b.v:
		return a
	case known:
		return b
	}
	a, b = f.asWord(a), f.asWord(b)
	d := f.Add(a, f.Neg(b))
	return f.chosen(f.Add(f.Mul(c, d), b), a, b)
}

// A triangle has three vertices, and what is interpolated is an affine combination
// of theirs: with perspective, the weights are l_i/w_i over the sum of all l_j/w_j,
// where l are the barycentric coordinates on the screen; they depend on the
// positions alone, and sum to 1. So a random point of a random triangle is a random
// affine combination of three random vertices.
func (f *Field) Vertices() int { return 3 }

// Interpolate implements symbolic.Domain.
func (f *Field) Interpolate(k symbolic.Interpolation, v []Element) Element {
	return interpolate(f, f, k, v)
}

// interpolate computes in alg, which is f or made of it.
func interpolate(f *Field, alg ir.Algebra[Element], k symbolic.Interpolation, v []Element) Element {
	f.meet(true, v...) // the weights are factors
	if v[0].isBits && v[1] == v[0] && v[2] == v[0] {
		return v[0] // the weights sum to 1
	}
	var sum Element
	// Two weights are random, and the third is 1 less these.
	rest := f.Always()
	rest.isBits = false
	for i, x := range v {
		b := rest
		if i < len(v)-1 {
			b = f.random(symbolic.TagBarycentric, uint64(k&^symbolic.InterpHalf)<<8|uint64(i), nil)
			rest = alg.Add(rest, alg.Neg(b))
		}
		sum = alg.Add(sum, alg.Mul(b, x))
	}
	return sum
}

// Same implements symbolic.Domain.
func (f *Field) Same(a, b Element) bool { return a.v == b.v }

// ID implements symbolic.Domain.
func (f *Field) ID(x Element) uint64 {
	id, ok := f.ids[x.v]
	if !ok {
		id = uint64(len(f.ids)) + 1
		f.ids[x.v] = id
	}
	return id
}

// Trips implements symbolic.Domain. It is 0 to 3, the same for equal counts.
func (f *Field) Trips(count Element) int {
	return int(f.random(symbolic.TagLoop, 0, []Element{count}).v[0] & 3)
}

// Computed implements symbolic.Domain.
func (f *Field) Computed(x Element, in *ir.Instr) Element {
	if f.rounded != nil && in.Mods&ir.Half != 0 {
		f.rounded[f.roundedAs(x)] = true
	}
	return x
}

// Weight implements symbolic.Weigher.
func (f *Field) Weight() int { return 64 * len(f.ids) }

// Epsilon bounds the probability, over the key, that sides which differ look equal, if outs are
// compared, and so many values in all. In one field two of q opaque applications to different
// polynomials have to coincide, or of the values that [Reals] looks up, or two different outputs. That
// is a union over q*(q-1)/2 pairs, the tests and the outputs, each with probability at most
// degree/prime (Schwartz and Zippel); what happens in the other field is independent of that, so that
// the bound is squared. With 1,000 functions of degree 100 it is 2^-69.
//
// What differs is a polynomial over the rationals that does not vanish. That it vanishes modulo the
// primes, since both divide all its coefficients, is not in this number: the primes have no relation to
// powers of two and floats, and which ones a program meets depends on a hash of it.
func (f *Field) Epsilon(outs []Element, compared int) float64 {
	for _, x := range outs {
		f.seen(x)
	}
	q, m := float64(f.opaque+f.values), float64(compared)
	one := min(1, (q*(q-1)/2+2*f.tests+m)*max(f.degree, 1)*(1+f.spread)/minPrime)
	return one * one
}

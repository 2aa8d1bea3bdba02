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

// Element is a value of the field proof: its images, and bounds of the degree and the height of its polynomial (see
// Epsilon).
type Element struct {
	v           Image
	deg, height float32
	// A literal keeps its bits, so that constant subexpressions are computed in float32, as constant
	// folding does.
	isBits bool
	lit    uint32
	term   symbolic.Term // of Bitwise

	more *traits // of reals
}

// Field is the domain of values in the fields of two primes, which the key chooses. Both fields are
// computed in parallel and share only the set of known values. Different values look equal only if they do
// so in both fields.
//
// Sums and products are those of the field. Every other function is a pseudo-random function of its
// arguments, keyed by its name and the key, except for two laws of exponentials. Conditional choice is also
// exact algebra: c ? a : b is c*a + (1-c)*b where c is 0 or 1, and an identity of polynomials in c holds
// there.
//
// Constant subexpressions have their float32 value in both versions, as in a compiler that folds them.
type Field struct {
	mod [2]*modulus
	key [2]uint64
	// ids numbers images in the order of their first occurrence, for ID.
	ids  map[Image]uint64
	src  *symbolic.Sources[Element] // of the instruction being applied
	read func(src, lane int) Element
	lit  func(src, lane int) uint32

	// typeless means that literals may be integers, whose bits all matter. Only literals that look like
	// ordinary floats then have their float value, which also distinguishes them.
	typeless bool

	// The parts of the error probability, see Epsilon.
	opaque   int     // applications of opaque functions
	values   int     // looked-up values
	literals int     // literals of the programs
	tests    float64 // further comparisons of values
	spread   float64 // sum of the weights of all inverses, see Epsilon
	weight   float64 // largest weight of an element
	degree   float64 // largest degree of an element
	work     int     // products of terms computed for one version in Reals
	// rounded, if not nil, records results of partial precision. clamped maps results of saturation to
	// their operands.
	rounded map[Image]bool
	clamped map[Image]Element

	exponents  map[Image]Element // by exponential
	infinities infinities
	watch      watched
}

// NewField returns the field of a key. In a typeless field literals may be integers.
func NewField(key uint64, typeless bool) *Field {
	r := symbolic.Stream(key)
	f := &Field{mod: moduliOf(key), key: [2]uint64{r.Next(), r.Next()}, ids: map[Image]uint64{},
		typeless: typeless, clamped: map[Image]Element{}, exponents: map[Image]Element{}}
	f.infinities.known = map[Image]bool{}
	f.read = func(s, l int) Element { return f.src[s][l] }
	f.lit = func(s, l int) uint32 { return f.src[s][l].lit }
	return f
}

// Begin starts the evaluation of a version. It returns the sets of results in partial precision, and of
// constant infinities and NaNs in arithmetic.
func (f *Field) Begin() (rounded map[Image]bool, met map[Infinite]bool) {
	f.rounded, f.infinities.met, f.work = map[Image]bool{}, map[Infinite]bool{}, 0
	return f.rounded, f.infinities.met
}

// Images returns the sorted set of images of some values.
func Images(values []Element) []Image {
	set := make([]Image, len(values))
	for i, x := range values {
		set[i] = x.v
	}
	slices.SortFunc(set, func(a, b Image) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return slices.Compact(set)
}

// recordWeight records the weight of a value that is compared or looked up.
func (f *Field) recordWeight(x Element) Element {
	f.meets(&x)
	return x
}

// meets records the weight and the degree of a value.
func (f *Field) meets(x *Element) {
	f.weight, f.degree = max(f.weight, x.weight()), max(f.degree, float64(x.deg))
}

// withImage returns another value with the same degree and height.
func (x Element) withImage(v Image) Element { return Element{v: v, deg: x.deg, height: x.height} }

// random returns the value of an opaque function: a hash of its name and of the images of its arguments,
// different in each field. It is a new variable, of degree 1.
func (f *Field) random(tg symbolic.Tag, aux uint64, args []Element) Element {
	f.opaque++
	name := aux ^ uint64(tg)<<56
	h := [2]uint64{symbolic.Mix(f.key[0] ^ name), symbolic.Mix(f.key[1] ^ name)}
	for i := range args {
		a := &args[i]
		f.meets(a)
		h[0] = symbolic.Mix(h[0]*0x9fb21c651e98df25 + a.v[0])
		h[1] = symbolic.Mix(h[1]*0x9fb21c651e98df25 + a.v[1])
	}
	return Element{v: Image{f.mod[0].reduce(symbolic.Mix(h[0] + f.key[0])),
		f.mod[1].reduce(symbolic.Mix(h[1] + f.key[1]))}, deg: 1}
}

// Opaque ignores precision: a value rounded to partial precision is the same over the reals.
func (f *Field) Opaque(tg symbolic.Tag, aux uint64, args []Element) Element {
	return f.random(tg, symbolic.WithoutHalf(tg, aux), args)
}

// Literal implements symbolic.Domain. It returns the exact rational number of a float. Infinities, NaNs
// and, in a typeless field, words that are unlikely to be floats are opaque.
func (f *Field) Literal(bits uint32) Element {
	f.literals++
	return f.literal(bits)
}

func (f *Field) literal(bits uint32) Element {
	x := math.Float32frombits(bits)
	if math.IsInf(float64(x), 0) || x != x || f.typeless && !ordinary(bits) {
		e := f.random(symbolic.TagBits, uint64(bits), nil)
		e.isBits, e.lit = true, bits
		return e
	}
	return Element{v: Image{f.mod[0].image(x), f.mod[1].image(x)}, height: heightOf(bits), isBits: true, lit: bits}
}

// ordinary reports whether bits are 0.0 or a float that is neither special nor subnormal; small integers
// are subnormal.
func ordinary(bits uint32) bool {
	const low, high = 1 << 23, 255 << 23
	size := bits &^ symbolic.SignBit
	return bits == 0 || size >= low && size < high
}

// Bits implements symbolic.Domain.
func (f *Field) Bits(x Element) (uint32, bool) { return x.lit, x.isBits }

// Const implements ir.Algebra.
func (f *Field) Const(x float32) Element { return f.Literal(math.Float32bits(x)) }

// asNumber returns x for arithmetic: -0.0 is a separate word, but the same number as 0.0.
func (f *Field) asNumber(x Element) Element {
	if x.isBits && x.lit == symbolic.SignBit {
		return f.Literal(0)
	}
	return x
}

// asWord returns x for a choice, which computes nothing and keeps -0.0 as a separate word.
func (f *Field) asWord(x Element) Element {
	if f.typeless && x.isBits && x.lit == symbolic.SignBit {
		return x.withImage(x.v)
	}
	return x
}

// Add implements ir.Algebra.
func (f *Field) Add(a, b Element) Element {
	a, b = f.asNumber(a), f.asNumber(b)
	return Element{v: Image{f.mod[0].add(a.v[0], b.v[0]), f.mod[1].add(a.v[1], b.v[1])}, deg: max(a.deg, b.deg),
		height: heightOfSum(a.height, b.height)}
}

// Mul implements ir.Algebra.
func (f *Field) Mul(a, b Element) Element {
	a, b = f.asNumber(a), f.asNumber(b)
	return Element{v: Image{f.mod[0].mul(a.v[0], b.v[0]), f.mod[1].mul(a.v[1], b.v[1])}, deg: a.deg + b.deg,
		height: a.height + b.height}
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

// unsigned returns v or -v, the same one for both; neg reports that it is -v.
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

// agree reports whether two values are equal and not literals, so that either may be used.
func (f *Field) agree(x, y Element) bool {
	f.tests++
	return f.recordWeight(x).v == f.recordWeight(y).v && !x.isBits && !y.isBits
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

// Saturate implements symbolic.Domain. 0 and 1 remain unchanged.
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
		if x = f.evalLane(f, in.Op, lane, f.read); in.Mods&ir.Sat != 0 {
			x = f.Saturate(x)
		}
	}
	return x
}

// constant computes a lane from literals, in float32. ok is false if an operand is not a literal, or if
// folding is not accepted practice for the op (see ir.Words).
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
	return f.Add(Element{v: f.one()}, c.withImage(f.neg(c.v)))
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

// A triangle has three vertices, and an interpolated value is an affine combination of their values. With
// perspective, the weights are l_i/w_i over the sum of all l_j/w_j, where l are the barycentric coordinates
// on the screen. They depend on the positions alone, and their sum is 1. So a random point of a random
// triangle is a random affine combination of three random vertices.
func (f *Field) Vertices() int { return 3 }

// Interpolate implements symbolic.Domain.
func (f *Field) Interpolate(k symbolic.Interpolation, v []Element) Element {
	return interpolate(f, f, k, v)
}

// interpolate computes in alg, which is f or a domain on top of it.
func interpolate(f *Field, alg ir.Algebra[Element], k symbolic.Interpolation, v []Element) Element {
	f.recordSpecials(true, v...) // the weights are factors
	if v[0].isBits && v[1] == v[0] && v[2] == v[0] {
		return v[0] // the sum of the weights is 1
	}
	var sum Element
	// Two weights are random; the third is 1 minus both.
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

// Trips implements symbolic.Domain. It returns 0 to 3, the same for equal counts.
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

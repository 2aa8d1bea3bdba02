package verify

import (
	"cmp"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// image is a value modulo either of two primes.
type image [2]uint64

// element is a value of rung 3: its images, and the degree that the polynomial it
// stands for has at most.
type element struct {
	v   image
	deg float64
	// A literal remembers its bits, so that constant subexpressions can be
	// computed as the folding of constants does: in float32.
	isBits bool
	lit    uint32

	more *traits // of reals
}

// field is the domain of values in the fields of two primes, which the key chooses. They
// are computed side by side and have nothing in common but which values are known: what
// differs looks equal only if it does in both.
//
// Sums and products are those of the field; every other function is a pseudo-random
// function of its arguments, keyed by its name and the key. Conditional choice is exact
// algebra too: c ? a : b is c*a + (1-c)*b where c is 0 or 1, and an identity of
// polynomials in c holds there.
//
// Constant subexpressions are taken at their float32 value, on both sides of a
// comparison, as a compiler that folds them does.
type field struct {
	mod  [2]*modulus
	key  [2]uint64
	ids  map[image]uint64
	src  *sources[element] // of the instruction being applied
	read func(src, lane int) element
	lit  func(src, lane int) uint32

	// typeless: literals may be integers, of which all bits count. Only those that look
	// like ordinary floats have their value then, which tells them apart too.
	typeless bool

	opaque int     // applications of opaque functions
	values int     // values that are looked up
	tests  float64 // comparisons of values besides
	spread float64 // what inverses add to degrees, of which they count as 1
	degree float64 // the highest met
	work   int     // products of terms that one side took of reals
	// If not nil, rounded notes what is computed in partial precision, and clamped what
	// results of saturation are made of.
	rounded map[image]bool
	clamped map[image]element

	infinities infinities
	watch      watched
}

// newField is the field that a key chooses. In a typeless one literals may be integers.
func newField(key uint64, typeless bool) *field {
	r := stream(key)
	first := r.next() % uint64(len(primes))
	second := (first + 1 + r.next()%uint64(len(primes)-1)) % uint64(len(primes))
	f := &field{mod: [2]*modulus{moduli[first](), moduli[second]()}, key: [2]uint64{r.next(), r.next()}, ids: map[image]uint64{},
		typeless: typeless, clamped: map[image]element{}}
	f.infinities.known = map[image]bool{}
	f.read = func(s, l int) element { return f.src[s][l] }
	f.lit = func(s, l int) uint32 { return f.src[s][l].lit }
	return f
}

// begin begins with a side. The sets are of what is computed in partial precision, and of the
// infinities and NaNs made by constants that arithmetic gets.
func (f *field) begin() (rounded map[image]bool, met map[infinite]bool) {
	f.rounded, f.infinities.met, f.work = map[image]bool{}, map[infinite]bool{}, 0
	return f.rounded, f.infinities.met
}

// images are those of some values, as a set in order.
func images(values []element) []image {
	set := make([]image, len(values))
	for i, x := range values {
		set[i] = x.v
	}
	slices.SortFunc(set, func(a, b image) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return slices.Compact(set)
}

func (f *field) seen(x element) element {
	if x.deg > f.degree {
		f.degree = x.deg
	}
	return x
}

// random is the value of an opaque function.
func (f *field) random(tg tag, aux uint64, args []element) element {
	f.opaque++
	name := aux ^ uint64(tg)<<56
	h := [2]uint64{mix(f.key[0] ^ name), mix(f.key[1] ^ name)}
	for i := range args {
		a := &args[i]
		f.degree = max(f.degree, a.deg)
		h[0] = mix(h[0]*0x9fb21c651e98df25 + a.v[0])
		h[1] = mix(h[1]*0x9fb21c651e98df25 + a.v[1])
	}
	return element{v: image{f.mod[0].reduce(mix(h[0] + f.key[0])), f.mod[1].reduce(mix(h[1] + f.key[1]))}, deg: 1}
}

// call knows no precision: what is rounded to partial precision is the same over the reals.
func (f *field) call(tg tag, aux uint64, args []element) element {
	return f.random(tg, withoutHalf(tg, aux), args)
}

func (f *field) literal(bits uint32) element {
	x := math.Float32frombits(bits)
	if math.IsInf(float64(x), 0) || x != x || f.typeless && !ordinary(bits) {
		e := f.random(tagBits, uint64(bits), nil)
		e.isBits, e.lit = true, bits
		return e
	}
	return element{v: image{f.mod[0].image(x), f.mod[1].image(x)}, isBits: true, lit: bits}
}

// ordinary reports whether bits are 0.0 or a float that is neither special nor subnormal,
// as small integers are. Of these no two have the same image.
func ordinary(bits uint32) bool {
	const low, high = 1 << 23, 255 << 23
	size := bits &^ signBit
	return bits == 0 || size >= low && size < high
}

func (f *field) bits(x element) (uint32, bool) { return x.lit, x.isBits }

// Const implements ir.Algebra.
func (f *field) Const(x float32) element { return f.literal(math.Float32bits(x)) }

// asNumber is x as arithmetic takes it: -0.0 is a word of its own, but no other number than
// 0.0.
func (f *field) asNumber(x element) element {
	if x.isBits && x.lit == signBit {
		return f.literal(0)
	}
	return x
}

// Add implements ir.Algebra.
func (f *field) Add(a, b element) element {
	a, b = f.asNumber(a), f.asNumber(b)
	return element{v: image{f.mod[0].add(a.v[0], b.v[0]), f.mod[1].add(a.v[1], b.v[1])}, deg: max(a.deg, b.deg)}
}

// Mul implements ir.Algebra.
func (f *field) Mul(a, b element) element {
	a, b = f.asNumber(a), f.asNumber(b)
	return element{v: image{f.mod[0].mul(a.v[0], b.v[0]), f.mod[1].mul(a.v[1], b.v[1])}, deg: a.deg + b.deg}
}

// Neg implements ir.Algebra.
func (f *field) Neg(a element) element {
	if f.typeless && a.isBits {
		return f.literal(a.lit ^ signBit)
	}
	a.v = f.neg(a.v)
	a.lit ^= signBit
	return a
}

func (f *field) neg(v image) image { return image{f.mod[0].neg(v[0]), f.mod[1].neg(v[1])} }

// unsigned is v or -v, the same for both; neg tells that it is -v.
func (f *field) unsigned(v image) (u image, neg bool) {
	if minus := f.neg(v); minus[0] < v[0] || minus[0] == v[0] && minus[1] < v[1] {
		return minus, true
	}
	return v, false
}

func (f *field) one() image { return image{f.mod[0].one, f.mod[1].one} }

// Call implements ir.Algebra.
func (f *field) Call(p ir.Prim, args []element) element {
	switch p {
	case ir.PrimAbs:
		return f.abs(args[0])
	case ir.PrimFma:
		return f.Add(f.Mul(args[0], args[1]), args[2])
	case ir.PrimSelGE:
		if bits, ok := f.bits(args[0]); ok {
			if math.Float32frombits(bits) >= 0 {
				return args[1]
			}
			return args[2]
		}
		return f.choose(f.random(tagPrim, uint64(p), args[:1]), args[1], args[2])
	}
	return f.random(tagPrim, uint64(p), args)
}

// abs depends on its argument up to the sign.
func (f *field) abs(x element) element {
	if x.isBits {
		return f.literal(x.lit &^ signBit)
	}
	f.opaque++ // two polynomials of the argument can collide with those of another call
	x.v, _ = f.unsigned(x.v)
	return f.random(tagAbs, 0, []element{x})
}

func (f *field) modify(x element, m ir.LaneMod) element {
	if m&ir.Abs != 0 {
		x = f.chosen(f.abs(x), x)
	}
	if m&ir.Neg != 0 {
		x = f.Neg(x)
	}
	if m&ir.Not != 0 {
		x = f.not(x)
	}
	return x
}

func (f *field) saturate(x element) element {
	y := f.random(tagPrim, uint64(ir.PrimSat), []element{x})
	if f.clamped != nil {
		f.clamped[y.v] = x
	}
	return y
}

func (f *field) apply(in *ir.Instr, lane int, src *sources[element]) element {
	f.src = src
	x, ok := f.constant(in, lane, src)
	if !ok {
		if x = f.eval(f, in.Op, lane, f.read); in.Mods&ir.Sat != 0 {
			x = f.saturate(x)
		}
	}
	return x
}

// constant computes a lane from literals, in float32.
func (f *field) constant(in *ir.Instr, lane int, src *sources[element]) (x element, ok bool) {
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
	return f.literal(bits), w.Fold
}

func (f *field) boolean(x element) element {
	if !x.isBits {
		return x
	}
	if x.lit != 0 {
		return f.always()
	}
	return element{isBits: true}
}

func (f *field) truth(c element) (value, known bool) { return c.lit != 0, c.isBits }

func (f *field) compare(c ir.Cond, a, b element) element {
	return f.random(tagCompare, uint64(c), []element{a, b})
}

func (f *field) not(c element) element {
	if c.isBits {
		if c.lit != 0 {
			return element{isBits: true}
		}
		return f.always()
	}
	return f.Add(element{v: f.one()}, element{v: f.neg(c.v), deg: c.deg})
}

func (f *field) always() element { return element{v: f.one(), isBits: true, lit: 1} }

func (f *field) and(a, b element) element {
	switch {
	case a.isBits && a.lit != 0 || b.isBits && b.lit == 0:
		return b
	case b.isBits && b.lit != 0 || a.isBits && a.lit == 0:
		return a
	}
	return f.Mul(a, b)
}

func (f *field) choose(c, a, b element) element {
	switch holds, known := f.truth(c); {
	case known && holds || a.v == b.v:
		return a
	case known:
		return b
	}
	d := f.Add(a, f.Neg(b))
	return f.chosen(f.Add(f.Mul(c, d), b), a, b)
}

// A triangle has three vertices, and what is interpolated is an affine combination
// of theirs: with perspective, the weights are l_i/w_i over the sum of all l_j/w_j,
// where l are the barycentric coordinates on the screen; they depend on the
// positions alone, and sum to 1. So a random point of a random triangle is a random
// affine combination of three random vertices.
func (f *field) vertices() int { return 3 }

func (f *field) interpolate(k interpolation, v []element) element {
	return interpolate(f, f, k, v)
}

// interpolate computes in alg, which is f or made of it.
func interpolate(f *field, alg ir.Algebra[element], k interpolation, v []element) element {
	f.meet(true, v...) // the weights are factors
	if k&interpClamp == 0 && v[0].isBits && v[1] == v[0] && v[2] == v[0] {
		return v[0] // the weights sum to 1
	}
	var sum element
	rest := f.always()
	rest.isBits = false
	for i, x := range v {
		b := rest
		if i < len(v)-1 {
			b = f.random(tagBarycentric, uint64(k&^(interpHalf|interpClamp))<<8|uint64(i), nil)
			rest = alg.Add(rest, alg.Neg(b))
		}
		sum = alg.Add(sum, alg.Mul(b, x))
	}
	if k&interpClamp != 0 {
		sum = f.random(tagClamp, 0, []element{sum})
	}
	return sum
}

func (f *field) same(a, b element) bool { return a.v == b.v }

func (f *field) id(x element) uint64 {
	id, ok := f.ids[x.v]
	if !ok {
		id = uint64(len(f.ids)) + 1
		f.ids[x.v] = id
	}
	return id
}

func (f *field) trips(count element) int { return int(f.random(tagLoop, 0, []element{count}).v[0] & 3) }

func (f *field) computed(x element, in *ir.Instr) element {
	if f.rounded != nil && in.Mods&ir.Half != 0 {
		f.rounded[f.roundedAs(x)] = true
	}
	return x
}

// weight implements weigher.
func (f *field) weight() int { return 64 * len(f.ids) }

// epsilon bounds the probability, over the key, that sides which differ look equal, if outs
// are compared, and so many values in all. In
// one field two of q opaque applications to different polynomials have to coincide, or of the
// values that reals looks up, or two different outputs, each with probability at most degree/prime (Schwartz and
// Zippel); what happens in the other is independent of that.
//
// What differs is a polynomial over the rationals that does not vanish. That it vanishes
// modulo the primes, since both divide all its coefficients, is not in this number: the
// primes have no relation to powers of two and floats, and which ones a program meets
// depends on a hash of it.
func (f *field) epsilon(outs []element, compared int) float64 {
	for _, x := range outs {
		f.seen(x)
	}
	q, m := float64(f.opaque+f.values), float64(compared)
	one := min(1, (q*(q-1)/2+2*f.tests+m)*max(f.degree, 1)*(1+f.spread)/minPrime)
	return one * one
}

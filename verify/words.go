package verify

import "github.com/shaderlift/shaderlift/ir"

// words is the domain that kernels are executed in: on top of another one the algebra
// of 32-bit words, which holds exactly.
//
//   - Integers are a commutative ring: sums, products and shifts by literals are brought
//     to the form of a polynomial with coefficients modulo 2^32.
//   - Bits of a word, shifted and masked, are one function of it, of which quotients and
//     remainders by powers of two are cases; quotients of quotients are quotients.
//   - A word is true if any bit is set. Comparisons give masks, all ones or 0, and
//     masks are as good as conditions: choosing by bits and by branches is the same.
//   - What is computed from literals is a literal where nothing is rounded.
//
// Anything else is a function known by its name.
type words[T any] struct {
	domain[T]
	made   map[uint64]*recipe[T]  // by id
	stores map[uint64]*written[T] // by id of the state they leave
	one    [2][1]summand[T]       // scratch
}

// recipe is how a value was made, of those that algebra looks into.
type recipe[T any] struct {
	tag   tag
	k     uint32       // of a sum, what is added to the parts; a divisor, a count of bits
	parts []summand[T] // of a sum, a product or a conjunction, in order of id
	cond  T            // of a mask, a negation or a choice
	a, b  T            // of a choice or a comparison; a of bits, a quotient, a shift
}

// summand is a multiple of a value that is no sum, or a factor.
type summand[T any] struct {
	x  T
	id uint64
	by uint32
}

// Limits of forms. What would be larger is opaque.
const (
	maxSummands = 32
	maxFactors  = 8
	maxConjunct = 16
)

func newWords[T any](d domain[T]) *words[T] {
	return &words[T]{domain: d, made: map[uint64]*recipe[T]{}, stores: map[uint64]*written[T]{}}
}

// recipe is how x was made, nil if nothing is to be seen in that.
func (w *words[T]) recipe(x T) *recipe[T] { return w.made[w.id(x)] }

func (w *words[T]) apply(in *ir.Instr, lane int, src *sources[T]) T {
	x, ok := w.folded(in, lane, src)
	switch {
	case ok:
	case !in.Op.Has(ir.OnWords):
		return w.domain.apply(in, lane, src)
	default:
		x = ir.Eval(wordAlgebra[T]{w}, in.Op, lane, func(s, l int) T { return src[s][l] })
	}
	if in.Mods&ir.Sat != 0 {
		x = w.saturate(x)
	}
	return x
}

// folded computes a lane from literals, where the result does not depend on how it is
// rounded.
func (w *words[T]) folded(in *ir.Instr, lane int, src *sources[T]) (x T, ok bool) {
	var bits [4][4]uint32
	for s := range in.Src {
		reads := in.ReadsFor(s, 1<<lane)
		for i := range 4 {
			if reads>>i&1 == 0 {
				continue
			}
			if bits[s][i], ok = w.bits(src[s][i]); !ok {
				return x, false
			}
		}
	}
	if !in.Op.Has(ir.OnWords) && !exact(in.Op, lane, &bits) {
		return x, false
	}
	all := ir.Words{Fold: true}
	r := ir.Eval(&all, in.Op, lane, func(s, l int) uint32 { return bits[s][l] })
	return w.literal(r), all.Fold
}

// exact reports whether op rounds nothing on these operands.
func exact(op ir.Op, lane int, bits *[4][4]uint32) bool {
	a, b, c := double(bits[0][lane]), double(bits[1][lane]), double(bits[2][lane])
	switch op.Legacy() {
	case ir.OpAdd:
		return exactSum(a, b)
	case ir.OpMul:
		return isFloat(a * b)
	case ir.OpMad, ir.OpFma:
		return isFloat(a*b) && exactSum(a*b, c)
	case ir.OpFloor, ir.OpCeil, ir.OpTrunc, ir.OpRndne, ir.OpMin, ir.OpMax, ir.OpAbs, ir.OpSgn:
		return true
	}
	return false
}

func (w *words[T]) boolean(x T) T { return w.nonzero(x) }

// nonzero is whether any bit of x is set.
func (w *words[T]) nonzero(x T) T {
	if _, ok := w.bits(x); ok {
		return w.domain.boolean(x)
	}
	f := w.recipe(x)
	switch {
	case f == nil:
	case f.tag == tagMask:
		return f.cond
	case f.tag == tagChoose:
		_, litA := w.bits(f.a)
		_, litB := w.bits(f.b)
		if litA || litB {
			return w.either(f.cond, w.nonzero(f.a), w.nonzero(f.b))
		}
	case f.tag == tagSum && len(f.parts) == 1:
		p := f.parts[0]
		if m := w.made[p.id]; m != nil && m.tag == tagMask { // k, or k less by
			return w.either(m.cond, w.constant(f.k != p.by), w.constant(f.k != 0))
		}
		if p.by&1 != 0 { // a unit: only 0 gives 0
			inv := inverse(p.by)
			if f.k == 0 {
				return w.nonzero(p.x)
			}
			x = w.sum(f.k*inv, []summand[T]{{p.x, p.id, 1}})
		}
	case f.tag == tagSum:
		if f.parts[0].by > signBit {
			x = w.combine(x, negative1, x, 0)
		}
	}
	return w.call(tagTruth, 0, []T{x})
}

const negative1 = 1<<32 - 1

// inverse is the number that an odd one gives 1 with.
func inverse(a uint32) uint32 {
	x := a // right in 3 bits, and twice as many each time
	for range 4 {
		x *= 2 - a*x
	}
	return x
}

// constant is a condition that always or never holds.
func (w *words[T]) constant(c bool) T {
	if c {
		return w.always()
	}
	return w.domain.not(w.always())
}

// mask is the word that is all ones where c holds, and 0 elsewhere.
func (w *words[T]) mask(c T) T {
	if holds, known := w.truth(c); known {
		if holds {
			return w.literal(negative1)
		}
		return w.literal(0)
	}
	if f := w.recipe(c); f != nil && f.tag == tagNot {
		m := w.mask(f.cond)
		return w.sum(negative1, []summand[T]{{m, w.id(m), negative1}})
	}
	x := w.call(tagMask, 0, []T{c})
	w.note(x, &recipe[T]{tag: tagMask, cond: c})
	return x
}

// masked reads x as a mask.
func (w *words[T]) masked(x T) (c T, ok bool) {
	if bits, ok := w.bits(x); ok {
		return w.constant(bits != 0), bits == 0 || bits == negative1
	}
	f := w.recipe(x)
	switch {
	case f == nil:
	case f.tag == tagMask:
		return f.cond, true
	case f.tag == tagSum && f.k == negative1 && len(f.parts) == 1 && f.parts[0].by == negative1:
		if m := w.made[f.parts[0].id]; m != nil && m.tag == tagMask {
			return w.not(m.cond), true
		}
	}
	return c, false
}

func (w *words[T]) note(x T, f *recipe[T]) {
	if id := w.id(x); w.made[id] == nil {
		w.made[id] = f
	}
}

func (w *words[T]) not(c T) T {
	if f := w.recipe(c); f != nil && f.tag == tagNot {
		return f.cond
	}
	n := w.domain.not(c)
	if _, known := w.truth(c); !known {
		w.note(n, &recipe[T]{tag: tagNot, cond: c})
	}
	return n
}

// and is the conjunction of a set of conditions: order and repetition do not count.
func (w *words[T]) and(a, b T) T {
	for _, c := range [...]T{a, b} {
		if _, known := w.truth(c); known {
			return w.domain.and(a, b)
		}
	}
	parts := merged(w.split(tagAnd, a, 0), w.split(tagAnd, b, 1), 0)
	if len(parts) > maxConjunct {
		return w.domain.and(a, b)
	}
	for _, p := range parts {
		if f := w.made[p.id]; f != nil && f.tag == tagNot {
			for _, q := range parts {
				if q.id == w.id(f.cond) {
					return w.constant(false)
				}
			}
		}
	}
	c := parts[0].x
	for _, p := range parts[1:] {
		c = w.domain.and(c, p.x)
	}
	if len(parts) > 1 {
		w.note(c, &recipe[T]{tag: tagAnd, parts: parts})
	}
	return c
}

func (w *words[T]) or(a, b T) T { return w.not(w.and(w.not(a), w.not(b))) }

// either is the condition a where c holds, else b.
func (w *words[T]) either(c, a, b T) T {
	holdsA, knownA := w.truth(a)
	holdsB, knownB := w.truth(b)
	switch {
	case knownA && knownB && holdsA == holdsB, w.same(a, b):
		return a
	case knownA && holdsA:
		return w.or(c, b)
	case knownA:
		return w.and(w.not(c), b)
	case knownB && holdsB:
		return w.or(w.not(c), a)
	case knownB:
		return w.and(c, a)
	}
	return w.domain.choose(c, a, b)
}

func (w *words[T]) choose(c, a, b T) T {
	if holds, known := w.truth(c); known {
		if holds {
			return a
		}
		return b
	}
	id := w.id(c)
	if f := w.made[id]; f != nil && f.tag == tagNot {
		c, a, b = f.cond, b, a
		id = w.id(c)
	}
	if f := w.recipe(a); f != nil && f.tag == tagChoose && w.id(f.cond) == id {
		a = f.a
	}
	if f := w.recipe(b); f != nil && f.tag == tagChoose && w.id(f.cond) == id {
		b = f.b
	}
	if w.same(a, b) {
		return a
	}
	if p, ok := w.masked(a); ok {
		if q, ok := w.masked(b); ok {
			return w.mask(w.either(c, p, q))
		}
	}
	if f := w.recipe(a); f != nil && f.tag == tagChoose { // a choice within a choice of the same
		switch {
		case w.same(f.b, b):
			return w.choose(w.and(c, f.cond), f.a, b)
		case w.same(f.a, b):
			return w.choose(w.and(c, w.not(f.cond)), f.b, b)
		}
	}
	if f := w.recipe(b); f != nil && f.tag == tagChoose {
		switch {
		case w.same(f.a, a):
			return w.choose(w.or(c, f.cond), a, f.b)
		case w.same(f.b, a):
			return w.choose(w.or(c, w.not(f.cond)), a, f.a)
		}
	}
	if x, ok := w.extreme(c, a, b); ok {
		return x
	}
	x := w.domain.choose(c, a, b)
	if !w.same(x, a) && !w.same(x, b) { // no choice within itself
		w.note(x, &recipe[T]{tag: tagChoose, cond: c, a: a, b: b})
	}
	return x
}

// weight implements weigher.
func (w *words[T]) weight() int {
	n := 256*len(w.made) + 128*len(w.stores)
	if d, ok := w.domain.(weigher); ok {
		n += d.weight()
	}
	return n
}

// worked implements laborer.
func (w *words[T]) worked() int {
	if d, ok := w.domain.(laborer); ok {
		return d.worked()
	}
	return 0
}

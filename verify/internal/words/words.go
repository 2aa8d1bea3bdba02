package words

import (
	"slices"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Words is the domain in which kernels are executed. It adds the algebra of 32-bit words, which holds
// exactly, to another domain.
//
//   - Integers are a commutative ring: sums, products and shifts by literals have the
//     normal form of polynomials with coefficients modulo 2^32.
//   - Shifted and masked bits of a word are one function of it, which includes quotients
//     and remainders by powers of two. Quotients of quotients are quotients.
//   - A word is true if any bit is set. Comparisons give masks, all ones or 0, and masks
//     are equivalent to conditions: choosing by bits and by branches is the same.
//   - Operations on literals are folded if nothing is rounded.
//
// All other functions are known by name only.
type Words[T any] struct {
	symbolic.Domain[T]
	made   map[uint64]*Recipe[T]  // by id
	stores map[uint64]*written[T] // by id of the state they leave
	one    [2][1]Summand[T]       // scratch

	// Threads, if set, has the functions of the number of an invocation in its group. functions and conditions
	// map ids to their numbers, and links has the states of local memory.
	Threads               *Threads
	functions, conditions map[uint64]int
	links                 map[uint64]*link[T]
}

// Recipe describes the construction of a value that algebra inspects. It is immutable and shared by all
// holders of the value.
type Recipe[T any] struct {
	Tag   symbolic.Tag
	k     uint32       // constant of a sum; a divisor or a bit count
	Parts []Summand[T] // of a sum, a product or a conjunction, in order of id
	Cond  T            // of a mask, a negation or a choice
	A, B  T            // of a choice or a comparison; a of bits, a quotient, a shift
}

// Summand is a multiple of a value that is not a sum, or a factor (then By is 1). Lists are ordered by id,
// without repetitions in sums and conjunctions.
type Summand[T any] struct {
	X  T
	id uint64
	By uint32
}

// Limits of forms. Larger forms are opaque.
const (
	maxSummands = 32
	maxFactors  = 8
	maxConjunct = 16
)

// New returns the domain on top of d.
func New[T any](d symbolic.Domain[T]) *Words[T] {
	return &Words[T]{Domain: d, made: map[uint64]*Recipe[T]{}, stores: map[uint64]*written[T]{},
		functions: map[uint64]int{}, conditions: map[uint64]int{}, links: map[uint64]*link[T]{}}
}

// Recipe returns the recipe of x, or nil if it has none.
func (w *Words[T]) Recipe(x T) *Recipe[T] { return w.made[w.ID(x)] }

// Apply implements symbolic.Domain.
func (w *Words[T]) Apply(in *ir.Instr, lane int, src *symbolic.Sources[T]) T {
	if in.Mods&ir.Half != 0 && in.Op.Has(ir.OnWords) {
		return w.Domain.Apply(in, lane, src) // its operands may lose bits, too
	}
	x, ok := w.folded(in, lane, src)
	if !ok {
		x, ok = w.tabulated(in, lane, src)
	}
	switch {
	case ok:
	case !in.Op.Has(ir.OnWords):
		return w.Domain.Apply(in, lane, src)
	default:
		x = ir.Eval(wordAlgebra[T]{w}, in.Op, lane, func(s, l int) T { return src[s][l] })
	}
	if in.Mods&ir.Sat != 0 {
		x = w.Saturate(x)
	}
	return x
}

// folded computes a lane from literals, if the result does not depend on rounding.
func (w *Words[T]) folded(in *ir.Instr, lane int, src *symbolic.Sources[T]) (x T, ok bool) {
	var bits [4][4]uint32
	for s := range in.Src {
		reads := in.ReadsFor(s, 1<<lane)
		for i := range 4 {
			if reads>>i&1 == 0 {
				continue
			}
			if bits[s][i], ok = w.Bits(src[s][i]); !ok {
				return x, false
			}
		}
	}
	if !in.Op.Has(ir.OnWords) && !Exact(in.Op, lane, &bits) {
		return x, false
	}
	all := ir.Words{Fold: true}
	r := ir.Eval(&all, in.Op, lane, func(s, l int) uint32 { return bits[s][l] })
	return w.Literal(r), all.Fold
}

// Exact reports whether op rounds nothing on these operands, so that its result is the same under any
// numerics. Products of two float32 are exact in float64.
func Exact(op ir.Op, lane int, bits *[4][4]uint32) bool {
	a, b, c := symbolic.Double(bits[0][lane]), symbolic.Double(bits[1][lane]), symbolic.Double(bits[2][lane])
	switch op.Legacy() {
	case ir.OpAdd:
		return symbolic.ExactSum(a, b)
	case ir.OpMul:
		return symbolic.IsFloat(a * b)
	case ir.OpMad, ir.OpFma:
		return symbolic.IsFloat(a*b) && symbolic.ExactSum(a*b, c)
	case ir.OpFloor, ir.OpCeil, ir.OpTrunc, ir.OpRndne, ir.OpMin, ir.OpMax, ir.OpAbs, ir.OpSgn:
		return true
	}
	return false
}

// Boolean implements symbolic.Domain.
func (w *Words[T]) Boolean(x T) T { return w.nonzero(x) }

// nonzero returns the condition that any bit of x is set, in a form in which equal conditions are equal. A
// mask returns its condition; an odd multiple of x is replaced by x; x and -x have the same form.
func (w *Words[T]) nonzero(x T) T {
	if k, ok := w.functionOf(x); ok {
		return w.holdsFor(inverted(inverted(w.Threads.tables[k])))
	}
	if _, ok := w.Bits(x); ok {
		return w.Domain.Boolean(x)
	}
	f := w.Recipe(x)
	switch {
	case f == nil:
	case f.Tag == symbolic.TagMask:
		return f.Cond
	case f.Tag == symbolic.TagChoose:
		_, litA := w.Bits(f.A)
		_, litB := w.Bits(f.B)
		if litA || litB {
			return w.either(f.Cond, w.nonzero(f.A), w.nonzero(f.B))
		}
	case f.Tag == symbolic.TagSum && len(f.Parts) == 1:
		p := f.Parts[0]
		if m := w.made[p.id]; m != nil && m.Tag == symbolic.TagMask { // k, or k minus the factor
			return w.either(m.Cond, w.constant(f.k != p.By), w.constant(f.k != 0))
		}
		if p.By&1 != 0 { // a unit: only 0 gives 0
			inv := inverse(p.By)
			if f.k == 0 {
				return w.nonzero(p.X)
			}
			x = w.fromPolynomial(f.k*inv, []Summand[T]{{p.X, p.id, 1}})
		}
	case f.Tag == symbolic.TagSum:
		if f.Parts[0].By > symbolic.SignBit {
			x = w.Combine(x, MinusOne, x, 0)
		}
	}
	return w.Opaque(symbolic.TagTruth, 0, []T{x})
}

// MinusOne is the word that is -1.
const MinusOne = 1<<32 - 1

// inverse returns the multiplicative inverse of an odd number.
func inverse(a uint32) uint32 {
	x := a // correct in 3 bits; each step doubles them
	for range 4 {
		x *= 2 - a*x
	}
	return x
}

// constant returns a condition that always or never holds.
func (w *Words[T]) constant(c bool) T {
	if c {
		return w.Always()
	}
	return w.Domain.Not(w.Always())
}

// maskOf returns the word that is all ones where c holds, and 0 elsewhere, like comparisons of AMD IL. The
// mask of not c is the complement, -1 - mask(c).
func (w *Words[T]) maskOf(c T) T {
	if holds, known := w.Truth(c); known {
		if holds {
			return w.Literal(MinusOne)
		}
		return w.Literal(0)
	}
	if k, ok := w.conditionOf(c); ok {
		table := slices.Clone(w.Threads.tables[k])
		for t := range table {
			table[t] = -table[t]
		}
		return w.function(table)
	}
	if f := w.Recipe(c); f != nil && f.Tag == symbolic.TagNot {
		m := w.maskOf(f.Cond)
		return w.fromPolynomial(MinusOne, []Summand[T]{{m, w.ID(m), MinusOne}})
	}
	x := w.Opaque(symbolic.TagMask, 0, []T{c})
	w.recordRecipe(x, &Recipe[T]{Tag: symbolic.TagMask, Cond: c})
	return x
}

// masked reads x as the mask of a condition.
func (w *Words[T]) masked(x T) (c T, ok bool) {
	if bits, ok := w.Bits(x); ok {
		return w.constant(bits != 0), bits == 0 || bits == MinusOne
	}
	if k, ok := w.functionOf(x); ok {
		table := w.Threads.tables[k]
		return w.nonzero(x), !slices.ContainsFunc(table, func(x uint32) bool { return x != 0 && x != MinusOne })
	}
	f := w.Recipe(x)
	switch {
	case f == nil:
	case f.Tag == symbolic.TagMask:
		return f.Cond, true
	case f.Tag == symbolic.TagSum && f.k == MinusOne && len(f.Parts) == 1 && f.Parts[0].By == MinusOne:
		if m := w.made[f.Parts[0].id]; m != nil && m.Tag == symbolic.TagMask {
			return w.Not(m.Cond), true
		}
	}
	return c, false
}

// recordRecipe records the recipe of x, unless x has one.
func (w *Words[T]) recordRecipe(x T, f *Recipe[T]) {
	if id := w.ID(x); w.made[id] == nil {
		w.made[id] = f
	}
}

// Not implements symbolic.Domain.
func (w *Words[T]) Not(c T) T {
	if k, ok := w.conditionOf(c); ok {
		return w.holdsFor(inverted(w.Threads.tables[k]))
	}
	if f := w.Recipe(c); f != nil && f.Tag == symbolic.TagNot {
		return f.Cond
	}
	n := w.Domain.Not(c)
	if _, known := w.Truth(c); !known {
		w.recordRecipe(n, &Recipe[T]{Tag: symbolic.TagNot, Cond: c})
	}
	return n
}

// And returns the conjunction of a set of conditions: order and repetition do not matter, and c with not c
// never holds. It builds the value from the sorted parts, so equal sets are equal values.
func (w *Words[T]) And(a, b T) T {
	for _, c := range [...]T{a, b} {
		if _, known := w.Truth(c); known {
			return w.Domain.And(a, b)
		}
	}
	parts := merged(w.Split(symbolic.TagAnd, a, 0), w.Split(symbolic.TagAnd, b, 1), 0)
	if w.Threads != nil {
		if parts = w.oneCondition(parts); len(parts) == 0 {
			return w.constant(false)
		}
	}
	if len(parts) > maxConjunct {
		return w.Domain.And(a, b)
	}
	for _, p := range parts {
		if f := w.made[p.id]; f != nil && f.Tag == symbolic.TagNot {
			for _, q := range parts {
				if q.id == w.ID(f.Cond) {
					return w.constant(false)
				}
			}
		}
	}
	c := parts[0].X
	for _, p := range parts[1:] {
		c = w.Domain.And(c, p.X)
	}
	if len(parts) > 1 {
		w.recordRecipe(c, &Recipe[T]{Tag: symbolic.TagAnd, Parts: parts})
	}
	return c
}

// disjunction returns a disjunction by De Morgan's law.
func (w *Words[T]) disjunction(a, b T) T { return w.Not(w.And(w.Not(a), w.Not(b))) }

// either returns the condition a where c holds, else b.
func (w *Words[T]) either(c, a, b T) T {
	holdsA, knownA := w.Truth(a)
	holdsB, knownB := w.Truth(b)
	switch {
	case knownA && knownB && holdsA == holdsB, w.Same(a, b):
		return a
	case knownA && holdsA:
		return w.disjunction(c, b)
	case knownA:
		return w.And(w.Not(c), b)
	case knownB && holdsB:
		return w.disjunction(w.Not(c), a)
	case knownB:
		return w.And(c, a)
	}
	return w.Domain.Choose(c, a, b)
}

// Choose implements symbolic.Domain. It removes negations of conditions and drops choices by the same
// condition within either side. It merges nested choices that share a value into one by a conjunction. It
// reads choices between masks as masks, and a choice by a < b between a and b as a minimum.
func (w *Words[T]) Choose(c, a, b T) T {
	if holds, known := w.Truth(c); known {
		if holds {
			return a
		}
		return b
	}
	if w.Threads != nil {
		if x, ok := w.chosen(&c, &a, &b); ok {
			return x
		}
	}
	id := w.ID(c)
	if f := w.made[id]; f != nil && f.Tag == symbolic.TagNot {
		c, a, b = f.Cond, b, a
		id = w.ID(c)
	}
	if f := w.Recipe(a); f != nil && f.Tag == symbolic.TagChoose && w.ID(f.Cond) == id {
		a = f.A
	}
	if f := w.Recipe(b); f != nil && f.Tag == symbolic.TagChoose && w.ID(f.Cond) == id {
		b = f.B
	}
	if w.Same(a, b) {
		return a
	}
	if p, ok := w.masked(a); ok {
		if q, ok := w.masked(b); ok {
			return w.maskOf(w.either(c, p, q))
		}
	}
	if f := w.Recipe(a); f != nil && f.Tag == symbolic.TagChoose { // a nested choice by the same condition
		switch {
		case w.Same(f.B, b):
			return w.Choose(w.And(c, f.Cond), f.A, b)
		case w.Same(f.A, b):
			return w.Choose(w.And(c, w.Not(f.Cond)), f.B, b)
		}
	}
	if f := w.Recipe(b); f != nil && f.Tag == symbolic.TagChoose {
		switch {
		case w.Same(f.A, a):
			return w.Choose(w.disjunction(c, f.Cond), a, f.B)
		case w.Same(f.B, a):
			return w.Choose(w.disjunction(c, w.Not(f.Cond)), a, f.A)
		}
	}
	if x, ok := w.extreme(c, a, b); ok {
		return x
	}
	x := w.Domain.Choose(c, a, b)
	if !w.Same(x, a) && !w.Same(x, b) { // a choice between the same values
		w.recordRecipe(x, &Recipe[T]{Tag: symbolic.TagChoose, Cond: c, A: a, B: b})
	}
	return x
}

// Class implements symbolic.Blurred.
func (w *Words[T]) Class(x T) uint64 { return symbolic.Class(w.Domain, x) }

// Blur implements symbolic.Blurred.
func (w *Words[T]) Blur(x T) T {
	if b, ok := w.Domain.(symbolic.Blurred[T]); ok {
		return b.Blur(x)
	}
	return x
}

// Weight implements symbolic.Weigher.
func (w *Words[T]) Weight() int {
	n := 256*len(w.made) + 128*len(w.stores)
	if d, ok := w.Domain.(symbolic.Weigher); ok {
		n += d.Weight()
	}
	return n
}

// Worked implements symbolic.Laborer.
func (w *Words[T]) Worked() int {
	if d, ok := w.Domain.(symbolic.Laborer); ok {
		return d.Worked()
	}
	return 0
}

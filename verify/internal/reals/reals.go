package reals

import (
	"math"

	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// Reals is the domain of real numbers: the field, extended by laws of order and of the elementary functions
// (the identities of verify/law_table_test.go). It decides by normal forms. A value is a polynomial in generators, each
// of which satisfies a quadratic equation:
//
//   - A comparison x < t, for a quantity x and a literal t, with c*c = c. All comparisons of the same x,
//     up to sign, literal factors and summands, belong to one family. Within it, (x < s)(x < t) is the
//     comparison with the smaller literal.
//   - A reciprocal square root, with s*s = 1/|x|. A sine, with s*s = 1 - cos(x)^2.
//
// With these equations every polynomial has exactly one form that is linear in each generator, without
// products of two generators of a family. Coefficients are elements of the field, so sums, products and
// quotients of ordinary values cost the same as in the field; a reciprocal is the inverse. The image of a
// form is its value for pseudo-random values of the generators. Two functions with equal images are equal,
// unless the point is a zero of their difference. This holds because the equations are valid for the real
// numbers, for either sign of a root, and no other properties are used.
//
// A form that would grow too large becomes opaque, which loses equations and proves less.
type Reals struct {
	*Field
	Effort
	unpaid int  // unpaid steps of coefficients and inverses
	missed bool // splitting would have applied a function case by case
	// Forms: monomials, their numbers and weights, and cached products of two.
	monomials   [][]int32 // by number; generators in order
	monomialIDs map[string]int32
	weights     []Image // of monomials
	products    map[[2]int32][]summandOf
	gens        []generator
	families    []family
	familyIDs   map[Image]int
	circuits    map[[2]int32]circuit // by two of their families
	depth       int                  // of products within products
	cases       int                  // remaining cases
	nested      int                  // factors of factors
	literals    map[Image]float32
	squares     map[Image]float32    // magnitudes of literals, by their square
	finite      map[Image]bool       // polynomials in values without poles
	signs       map[Image]bool       // nonnegative values
	halfSigns   [2]map[Image]Element // of forms, see halfSign
	expansions  map[[2]Image]Element // products of forms, see Mul
	inverted    map[Image]Image      // results of inverse
	made        functions
	inverses    []float64 // weights of inverted values
	spare       []traits  // unused traits
}

// traits holds the properties of an element besides its image. They are shared and immutable.
type traits struct {
	terms []summandOf // of a form with generators, in order; else nil
	// constant is a literal summand; the rest is arbitrary.
	constant float32
	// depends is the set of inverses in the element.
	depends uint64
	// A sign holds wherever the value is defined.
	nonNegative, positive bool
	poles                 bool // may be infinite for finite inputs
	whole                 whole
}

// summandOf is a coefficient and the monomial that it multiplies.
type summandOf struct {
	of int32 // a monomial
	by Element
}

// Limits of normal forms: terms of a form, cases of a split function, products of terms in one product and
// in total. Limits of caches: the number of values, and of those that are compared with a new value one by
// one, such as arguments of a function.
const (
	maxTerms    = 64
	maxCases    = 48
	maxFetches  = 16 // of a fetch
	maxPairs    = 1 << 10
	maxProducts = 1 << 15
	maxValues   = 1 << 14
	maxSearched = 1 << 7
	maxDepth    = 16
)

// Efforts lists efforts in the order in which they are tried. A higher effort finds more equations in
// larger forms, which are then given up more often.
var Efforts = []Effort{{}, {splitting: true}, {splitting: true, factoring: true}}

// Effort selects optional laws.
type Effort struct {
	splitting bool // functions are applied case by case
	factoring bool // signs are those of factors
}

// New returns the domain of real numbers on top of f.
func New(f *Field, e Effort) *Reals {
	r := &Reals{Field: f, Effort: e, monomialIDs: map[string]int32{}, products: map[[2]int32][]summandOf{},
		familyIDs: map[Image]int{}, circuits: map[[2]int32]circuit{},
		literals: map[Image]float32{}, squares: map[Image]float32{}, finite: map[Image]bool{}, signs: map[Image]bool{},
		halfSigns: [2]map[Image]Element{{}, {}}, expansions: map[[2]Image]Element{}, inverted: map[Image]Image{}}
	r.made.init()
	r.monomial(nil)
	for _, x := range [...]float32{0.125, 0.25, 0.5, 1, 2, 3, 4, 5, 6, 7, 8, 16, 32} {
		r.number(x)
	}
	return r
}

// Weight implements symbolic.Weigher.
func (r *Reals) Weight() int {
	return r.Field.Weight() + 256*(len(r.monomials)+len(r.products)+len(r.gens)+len(r.families)) +
		64*(len(r.finite)+len(r.signs)+len(r.literals)+len(r.halfSigns[0])+len(r.halfSigns[1])+2*len(r.expansions)+
			len(r.inverted)) + 160*(len(r.made.rank)+len(r.made.inverted))
}

// Again clears results that were derived before all quantities were met, so that later results do not
// depend on the order. It reports whether that can matter.
func (r *Reals) Again() bool {
	r.products = map[[2]int32][]summandOf{}
	r.halfSigns = [2]map[Image]Element{{}, {}}
	r.expansions = map[[2]Image]Element{}
	r.work = 0
	n := len(r.families) + len(r.made.roots) + len(r.made.exps) + len(r.made.logs)
	r.resolve()
	return n > 0
}

// about returns the traits of x, including those of literals, which are not stored.
func (r *Reals) about(x Element) traits {
	switch {
	case x.more != nil:
		return *x.more
	case x.isBits && x.v == r.one():
		return traits{constant: 1, nonNegative: true, positive: true, whole: literally(1)}
	case x.isBits && x.v != Image{}:
		v := math.Float32frombits(x.lit)
		if r.opaqueLiteral(x) {
			return traits{}
		}
		return traits{constant: v, nonNegative: v > 0, positive: v > 0, whole: literally(v)}
	case x.v == Image{}:
		return traits{nonNegative: true, whole: literally(0)}
	}
	return traits{}
}

// opaqueLiteral reports whether the image of a literal is not that of its value.
func (r *Reals) opaqueLiteral(x Element) bool {
	v := math.Float32frombits(x.lit)
	return x.isBits && (v != v || math.IsInf(float64(v), 0) || r.typeless && !ordinary(x.lit))
}

// isConstant reports whether x equals a literal, and returns it.
func (r *Reals) isConstant(x Element) (float32, bool) {
	if r.opaqueLiteral(x) {
		return 0, false
	}
	if x.v == (Image{}) {
		return 0, true
	}
	if c, ok := r.literals[x.v]; ok && !hasTerms(x) {
		return c, true
	}
	c := r.about(x).constant
	return c, x.v == r.imageOf(c)
}

func (r *Reals) imageOf(x float32) Image {
	return Image{r.mod[0].image(x), r.mod[1].image(x)}
}

// number returns a literal.
func (r *Reals) number(x float32) Element { return r.Literal(math.Float32bits(x)) }

// Literal implements symbolic.Domain.
func (r *Reals) Literal(bits uint32) Element {
	x := r.literal(bits)
	if _, ok := r.literals[x.v]; !ok && !r.opaqueLiteral(x) {
		r.Field.literals++
		v := math.Float32frombits(bits)
		r.literals[x.v] = v
		r.squares[r.Field.Mul(x, x).v] = float32(math.Abs(float64(v)))
	}
	return x
}

// Const implements ir.Algebra.
func (r *Reals) Const(x float32) Element { return r.number(x) }

// exactly returns x if it is a float32, else 0.
func exactly(x float64) float32 {
	if symbolic.IsFloat(x) && math.Abs(x) <= math.MaxFloat32 {
		return float32(x)
	}
	return 0
}

// coefficient returns a value without generators with traits f, and records its sign and the absence of
// poles.
func (r *Reals) coefficient(x Element, f traits) Element {
	f.terms = nil
	r.values++
	r.unpaid++
	if c, ok := r.literals[x.v]; ok {
		f.constant, f.nonNegative, f.positive, f.whole = c, c >= 0, c > 0, literally(c)
	}
	f.nonNegative = f.nonNegative || f.positive
	if f.nonNegative && len(r.signs) < maxValues {
		r.signs[x.v] = true
	}
	if !f.poles && len(r.finite) < maxValues {
		r.finite[x.v] = true
	}
	if len(r.spare) == 0 {
		r.spare = make([]traits, 32)
	}
	x.isBits, x.lit, x.more = false, 0, &r.spare[0]
	r.spare[0], r.spare = f, r.spare[1:]
	return x
}

// plus and times return sums and products of values without generators.
func (r *Reals) plus(a, b Element) Element {
	p, q := r.about(a), r.about(b)
	if len(r.made.rank) < maxValues {
		r.order(a)
		r.order(b)
	}
	return r.coefficient(r.Field.Add(a, b), traits{
		constant:    exactly(float64(p.constant) + float64(q.constant)),
		whole:       p.whole.plus(q.whole),
		depends:     p.depends | q.depends,
		nonNegative: (p.nonNegative || r.signs[a.v]) && (q.nonNegative || r.signs[b.v]),
		positive:    p.positive && (q.nonNegative || r.signs[b.v]) || q.positive && (p.nonNegative || r.signs[a.v]),
		poles:       p.poles || q.poles,
	})
}

func (r *Reals) times(a, b Element) Element {
	p, q := r.about(a), r.about(b)
	x := r.coefficient(r.Field.Mul(a, b), traits{
		constant:    exactly(float64(p.constant) * float64(q.constant)),
		whole:       p.whole.times(q.whole),
		depends:     p.depends | q.depends,
		nonNegative: p.nonNegative && q.nonNegative || a.v == b.v,
		positive:    p.positive && q.positive,
		poles:       p.poles || q.poles,
	})
	r.multiplied(x, a, b)
	return x
}

func (r *Reals) minus(a Element) Element {
	f := r.about(a)
	x := a.withImage(r.neg(a.v))
	return r.coefficient(x, traits{constant: -f.constant, depends: f.depends, poles: f.poles, whole: f.whole.neg()})
}

// Neg implements ir.Algebra.
func (r *Reals) Neg(a Element) Element {
	if a.isBits {
		return r.Field.Neg(a)
	}
	terms := r.terms(a)
	out := make([]summandOf, len(terms))
	for i, t := range terms {
		out[i] = summandOf{t.of, r.minus(t.by)}
	}
	return r.normalForm(out)
}

// newValue returns x as a new value of the field without known properties except f.
func (r *Reals) newValue(x Element, f traits) Element {
	x.deg, x.height = 1, 0
	return r.coefficient(x, f)
}

// Apply implements symbolic.Domain.
func (r *Reals) Apply(in *ir.Instr, lane int, src *symbolic.Sources[Element]) Element {
	r.src = src
	x, ok := r.constant(in, lane, src)
	if !ok {
		if x = r.evalLane(r, in.Op, lane, r.read); in.Mods&ir.Sat != 0 {
			x = r.Saturate(x)
		}
	}
	return x
}

// Modify implements symbolic.Domain.
func (r *Reals) Modify(x Element, m ir.LaneMod) Element {
	if m&ir.Abs != 0 {
		x = r.chosen(r.abs(x), x)
	}
	if m&ir.Neg != 0 {
		x = r.Neg(x)
	}
	if m&ir.Not != 0 {
		x = r.Not(x)
	}
	return x
}

// Interpolate implements symbolic.Domain.
func (r *Reals) Interpolate(k symbolic.Interpolation, v []Element) Element {
	return interpolate(r.Field, r, k, v)
}

// Opaque applies a function without a formula. For a fetch that does not depend on neighbours, a choice of
// coordinates equals the choice of texels. The condition of a kill is a conjunction.
func (r *Reals) Opaque(tg symbolic.Tag, aux uint64, args []Element) Element {
	opaque := func(args []Element) Element { return r.Field.Opaque(tg, aux, args) }
	switch tg {
	case symbolic.TagKill:
		if aux == 0 {
			return r.And(args[0], r.below(args[1]))
		}
	case symbolic.TagFetch:
		if op := ir.Op(aux & 0xff); (op == ir.OpFetchLod || op == ir.OpFetchGrad) && r.splits(args) {
			return r.splitAtMost(maxFetches, args, opaque)
		}
	case symbolic.TagLane:
		if r.splits(args) {
			return r.splitAtMost(maxFetches, args, opaque)
		}
	case symbolic.TagTruth:
		return r.Boolean(opaque(args))
	case symbolic.TagPrim:
		switch ir.Prim(aux) {
		case ir.PrimFEq:
			return r.Compare(ir.CondEQ, args[0], args[1])
		case ir.PrimFLt:
			return r.Compare(ir.CondLT, args[0], args[1])
		case ir.PrimFGe:
			return r.Compare(ir.CondGE, args[0], args[1])
		}
	}
	return opaque(args)
}

// inverseSteps is the cost of an inverse in the field: two powers of 61 bits.
const inverseSteps = 8

// maxUnpaid bounds the coefficients of one instruction. The walk checks its budget only between
// instructions.
const maxUnpaid = 1 << 14

// tired reports whether values become opaque, because the products of one version or the coefficients of an
// instruction are exhausted.
func (r *Reals) tired() bool { return r.work > maxProducts || r.unpaid > maxUnpaid }

// Missed reports whether an effort with splitting can prove more.
func (r *Reals) Missed() bool { return r.missed }

// Worked implements symbolic.Laborer.
func (r *Reals) Worked() int {
	n := r.unpaid
	r.unpaid = 0
	return n
}

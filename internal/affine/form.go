package affine

import (
	"cmp"
	"math"
	"slices"

	"github.com/shaderlift/shaderlift/ir"
)

// Form is a sum of multiples of atoms, and of a number.
type Form struct {
	terms []term // in order of atoms; no multiple is 0
	Plus  float64
}

// term is a multiple of an atom.
type term struct {
	of    int32 // its index in Forms.atoms
	times float64
}

// Limits of forms. Positions have few terms. Whole numbers up to exact have no rounding as float64.
const (
	maxTerms = 6
	exact    = 1 << 53
)

// IsNumber reports whether a is a number alone.
func (a Form) IsNumber() bool { return len(a.terms) == 0 }

// plusScaled returns a + times*b, or ok = false if that is too long or not a number. Terms that cancel are
// dropped, so (x+1) - x is 1.
func (a Form) plusScaled(b Form, times float64) (sum Form, ok bool) {
	sum.Plus = a.Plus + times*b.Plus
	if len(b.terms) == 0 {
		sum.terms = a.terms
		return sum, isFinite(sum.Plus)
	}
	sum.terms = make([]term, 0, len(a.terms)+len(b.terms))
	for i, j := 0, 0; i < len(a.terms) || j < len(b.terms); {
		var t term
		switch {
		case j == len(b.terms) || i < len(a.terms) && a.terms[i].of < b.terms[j].of:
			t = a.terms[i]
			i++
		case i == len(a.terms) || b.terms[j].of < a.terms[i].of:
			t = term{b.terms[j].of, times * b.terms[j].times}
			j++
		default:
			t = term{a.terms[i].of, a.terms[i].times + times*b.terms[j].times}
			i, j = i+1, j+1
		}
		if !isFinite(t.times) {
			return sum, false
		}
		if t.times != 0 {
			sum.terms = append(sum.terms, t)
		}
	}
	return sum, isFinite(sum.Plus) && len(sum.terms) <= maxTerms
}

func isFinite(x float64) bool { return x-x == 0 }

// wrapped returns a form of an integer with multiples that are signed words, modulo 2^32.
func (a Form) wrapped() (b Form, ok bool) {
	word := func(x float64) float64 {
		ok = ok && math.Abs(x) < exact && x == math.Trunc(x)
		return float64(int32(int64(x)))
	}
	ok = true
	if b.Plus = word(a.Plus); !ok {
		return a, false
	}
	for _, t := range a.terms {
		if t.times = word(t.times); t.times != 0 {
			b.terms = append(b.terms, t)
		}
	}
	return b, ok
}

// Base identifies the terms of a form. Values with forms of one base differ by a number.
type Base int32

// noTerms is the base of numbers.
const noTerms Base = 0

// word holds the forms of a value that is read as a float, and as an integer.
type word struct{ Float, Integer Form }

// Forms computes the forms of the values of a function. It keeps them, so the walk over dependences is linear. A
// change of the function outdates them.
type Forms struct {
	f     *ir.Func
	words map[*ir.Value]word
	ids   map[atom]int32
	atoms []atom
	bases map[[maxTerms]term]Base
	loops map[*ir.Value]carried // by parameter and by result; nil until one is met
	// values excludes atoms that are not values.
	values bool
}

// atom is a part of a form that is not a sum.
type atom struct {
	of      ir.Lane   // a value with modifiers
	integer bool      // it is read as an integer
	pixel   bool      // it is the centre of a pixel, less a half
	a, b    factor    // a product of two forms
	loop    *ir.Instr // the number of trips that a loop has made
	end     bool      // when the loop ends, not in a trip
}

// factor is a form in a product.
type factor struct {
	base Base
	plus float64
}

// NewForms returns the forms of f.
func NewForms(f *ir.Func) *Forms {
	return &Forms{f: f, words: map[*ir.Value]word{}, ids: map[atom]int32{},
		bases: map[[maxTerms]term]Base{{}: noTerms}}
}

// OfValues returns forms of f for integers that are computed again from values: the values that loops carry are atoms.
func OfValues(f *ir.Func) *Forms {
	fs := NewForms(f)
	fs.values = true
	return fs
}

// Term is a multiple of a value, modulo 2^32.
type Term struct {
	Of    *ir.Value
	Times uint32
}

// Terms lists the terms of the form of an integer. ok is false if an atom is not a value.
func (fs *Forms) Terms(a Form) (list []Term, ok bool) {
	for _, t := range a.terms {
		x := fs.atoms[t.of-1]
		if !x.integer || x.of.Mod != 0 {
			return nil, false
		}
		list = append(list, Term{x.of.V, uint32(int64(t.times))})
	}
	return list, true
}

// Distance returns b - a for integers, if the forms differ by a number only.
func (fs *Forms) Distance(a, b Form) (d uint32, ok bool) {
	return uint32(int64(b.Plus - a.Plus)), fs.Base(a) == fs.Base(b)
}

// Alignment returns the remainder of an integer modulo the largest power of two that divides all multiples. The
// modulus is 0 for a number, which stands for 2^32.
func (a Form) Alignment() (remainder, modulus uint32) {
	for _, t := range a.terms {
		modulus |= uint32(int64(t.times))
	}
	remainder, modulus = uint32(int64(a.Plus)), modulus&-modulus
	if modulus != 0 {
		remainder &= modulus - 1
	}
	return remainder, modulus
}

// Base returns the identity of the terms of a.
func (fs *Forms) Base(a Form) Base {
	var key [maxTerms]term
	copy(key[:], a.terms)
	id, ok := fs.bases[key]
	if !ok {
		id = Base(len(fs.bases))
		fs.bases[key] = id
	}
	return id
}

// atom returns the form of an atom.
func (fs *Forms) atom(x atom) Form {
	id, ok := fs.ids[x]
	if !ok {
		fs.atoms = append(fs.atoms, x)
		id = int32(len(fs.atoms))
		fs.ids[x] = id
	}
	return Form{terms: []term{{id, 1}}}
}

// single returns the forms of an operand that is not a sum.
func (fs *Forms) single(l ir.Lane) word {
	return word{fs.atom(atom{of: l}), fs.atom(atom{of: l, integer: true})}
}

// Of returns the form of an operand, read as an integer or as a float.
func (fs *Forms) Of(l ir.Lane, integer bool) Form {
	w := fs.operand(l)
	if integer {
		return w.Integer
	}
	return w.Float
}

// wordOf returns the forms of v.
func (fs *Forms) wordOf(v *ir.Value) word {
	if w, known := fs.words[v]; known {
		return w
	}
	w := fs.single(ir.Lane{V: v})
	switch in := v.Def; {
	case v.Kind == ir.Literal:
		if x := float64(math.Float32frombits(v.Bits)); isFinite(x) {
			w.Float = Form{Plus: x}
		}
		w.Integer = Form{Plus: float64(int32(v.Bits))}
	case fs.isPixel(v):
		w.Float = fs.atom(atom{of: ir.Lane{V: v}, pixel: true})
		w.Float.Plus = 0.5
	case v.Kind == ir.Param || in != nil && in.Op == ir.OpLoop:
		if fs.values {
			break
		}
		w = fs.carried(v, w)
	case in != nil && in.Op.HasFormula() && !in.IsPredicated() && in.Mods&ir.Sat == 0:
		x := ir.Eval(algebra{fs}, in.Op, int(v.Lane), func(src, l int) value {
			return value{fs.operand(in.Src[src][l]), true, true}
		})
		if x.float {
			w.Float = x.Float
		}
		if x.integer {
			w.Integer = x.Integer
		}
	}
	fs.words[v] = w
	return w
}

// operand returns the forms of an operand. A negated float is the negative. The sign bit of an integer has another
// meaning.
func (fs *Forms) operand(l ir.Lane) word {
	if l.Mod == 0 {
		return fs.wordOf(l.V)
	}
	w := fs.single(l)
	if l.Mod == ir.Neg {
		w.Float, _ = Form{}.plusScaled(fs.wordOf(l.V).Float, -1)
	}
	return w
}

// carried returns the forms of a value that a loop carries, or of its result. A trip may add a literal. The value
// is then its first one, plus the literal times the number of the trip.
func (fs *Forms) carried(v *ir.Value, otherwise word) word {
	if fs.loops == nil {
		fs.loops = map[*ir.Value]carried{}
		fs.f.Walk(func(in *ir.Instr) { recordCarried(fs.loops, in) })
	}
	c, ok := fs.loops[v]
	if !ok {
		return otherwise
	}
	step, float, integer, ok := c.step()
	if !ok {
		return otherwise
	}
	first, trips := fs.wordOf(c.in.Args[c.at]), fs.atom(atom{loop: c.in, end: v.Kind == ir.Result})
	w := otherwise
	if sum, ok := first.Float.plusScaled(trips, step); ok && float {
		w.Float = sum
	}
	if sum, ok := first.Integer.plusScaled(trips, step); ok && integer {
		w.Integer = sum
	}
	return w
}

// value is a word with the readings that have forms.
type value struct {
	word
	float, integer bool
}

func ofFloat(a Form, ok bool) value { return value{word{Float: a}, ok, false} }

func ofInteger(a Form, ok bool) value {
	if ok {
		a, ok = a.wrapped()
	}
	return value{word{Integer: a}, false, ok}
}

// algebra computes sums of sums, and products. The functions that it does not know have no form.
type algebra struct{ *Forms }

func (algebra) Const(x float32) value { return ofFloat(Form{Plus: float64(x)}, isFinite(float64(x))) }

func (algebra) Neg(a value) value {
	sum, ok := Form{}.plusScaled(a.Float, -1)
	return ofFloat(sum, ok && a.float)
}

func (algebra) Add(a, b value) value {
	sum, ok := a.Float.plusScaled(b.Float, 1)
	return ofFloat(sum, ok && a.float && b.float)
}

func (g algebra) Mul(a, b value) value {
	p, ok := g.product(a.Float, b.Float)
	return ofFloat(p, ok && a.float && b.float)
}

// product multiplies two forms. If neither is a number, the product is an atom.
func (g algebra) product(a, b Form) (p Form, ok bool) {
	if a.IsNumber() {
		a, b = b, a
	}
	if b.IsNumber() {
		return p.plusScaled(a, b.Plus)
	}
	if g.values {
		return p, false
	}
	x, y := factor{g.Base(a), a.Plus}, factor{g.Base(b), b.Plus}
	if c := cmp.Compare(x.base, y.base); c > 0 || c == 0 && x.plus > y.plus {
		x, y = y, x
	}
	return g.atom(atom{a: x, b: y}), true
}

// Call implements [ir.Algebra] for the functions of addresses.
func (g algebra) Call(p ir.Prim, args []value) value {
	a, last := args[0], args[len(args)-1]
	both := a.integer && last.integer
	switch p {
	case ir.PrimIToF, ir.PrimUToF:
		return ofFloat(a.Integer, a.integer)
	case ir.PrimFToI, ir.PrimFToU, ir.PrimTrunc, ir.PrimFloor:
		down := Form{terms: a.Float.terms, Plus: math.Floor(a.Float.Plus)}
		known := a.float && !g.values && g.isWhole(down) &&
			(p == ir.PrimFloor || down.Plus == a.Float.Plus || g.isPositive(down))
		if p == ir.PrimFloor || p == ir.PrimTrunc {
			return ofFloat(down, known)
		}
		return ofInteger(down, known)
	case ir.PrimIAdd:
		sum, ok := a.Integer.plusScaled(last.Integer, 1)
		return ofInteger(sum, ok && both)
	case ir.PrimISub:
		sum, ok := a.Integer.plusScaled(last.Integer, -1)
		return ofInteger(sum, ok && both)
	case ir.PrimINeg:
		sum, ok := Form{}.plusScaled(a.Integer, -1)
		return ofInteger(sum, ok && a.integer)
	case ir.PrimIMul:
		product, ok := g.product(a.Integer, last.Integer)
		return ofInteger(product, ok && both)
	case ir.PrimIMad:
		product, ok := g.product(a.Integer, args[1].Integer)
		if !ok || !args[1].integer {
			return value{}
		}
		sum, ok := product.plusScaled(last.Integer, 1)
		return ofInteger(sum, ok && both)
	case ir.PrimIShl:
		if n := last.Integer; n.IsNumber() && both {
			return ofInteger(Form{}.plusScaled(a.Integer, math.Exp2(float64(int64(n.Plus)&31))))
		}
	case ir.PrimIOr:
		if n := last.Integer; both && n.IsNumber() && n.Plus >= 0 && a.Integer.clears(uint32(n.Plus)) {
			return ofInteger(a.Integer.plusScaled(n, 1))
		}
	case ir.PrimIAnd:
		if n := last.Integer; both && n.IsNumber() {
			return a.Integer.masked(uint32(int64(n.Plus)))
		}
	}
	return value{}
}

// isPixel reports whether v is a coordinate of the centre of a pixel.
func (fs *Forms) isPixel(v *ir.Value) bool {
	launch := fs.f.Dialect.Launch()
	if v.Kind != ir.Input || launch == nil {
		return false
	}
	axis, half := launch.Coordinate(v.Home)
	return axis >= 0 && half
}

// isWhole reports whether a is a whole number: a sum of multiples of integers.
func (fs *Forms) isWhole(a Form) bool {
	return a.Plus == math.Trunc(a.Plus) && !slices.ContainsFunc(a.terms, func(t term) bool {
		x := fs.atoms[t.of-1]
		return t.times != math.Trunc(t.times) || !x.integer && !x.pixel && x.loop == nil
	})
}

// isPositive reports whether a is not negative: a sum of positive multiples of pixels and of numbers of trips.
func (fs *Forms) isPositive(a Form) bool {
	return a.Plus >= 0 && !slices.ContainsFunc(a.terms, func(t term) bool {
		x := fs.atoms[t.of-1]
		return t.times < 0 || !x.pixel && x.loop == nil
	})
}

// clears reports whether the bits of mask, which are below the terms, are 0 in a.
func (a Form) clears(mask uint32) bool {
	rest, modulus := a.Alignment()
	return mask&^(modulus-1) == 0 && rest&mask == 0
}

// masked returns the bits of a in mask, if the mask cuts between the bits of the terms and lower bits of the number.
//
//	(8*x + 5) & 3 is 1        (8*x + 5) & -4 is 8*x + 4
func (a Form) masked(mask uint32) value {
	_, modulus := a.Alignment()
	low := modulus - 1 // the bits that the terms do not reach
	plus := uint32(int64(a.Plus))
	switch {
	case mask&^low == 0:
		return ofInteger(Form{Plus: float64(plus & mask)}, true)
	case mask|low == math.MaxUint32:
		return ofInteger(Form{terms: a.terms, Plus: float64(int32(plus &^ (low &^ mask)))}, true)
	}
	return value{}
}

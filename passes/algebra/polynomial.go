package algebra

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/ir"
)

// atom is a factor that the normal form does not look into.
type atom struct {
	key string // identity
	// op is OpMov for an operand, else the operation that computes the atom from its operands.
	op  ir.Op
	src []ir.Operand
	// literal means that all lanes are literals. Literals are positive in their first lane.
	literal bool
	// uniform means that all lanes have the same value. Lane 0 of the operands is set, whichever lanes read it.
	uniform bool
	// pole means that a lane may be the largest number, where a client clamps the reciprocal of 0. scale means that
	// all lanes are constants, of which one may be larger than 1.
	pole, scale bool
	// parts is the value of a sum that is a factor (OpAdd). Products are not distributed over it, since that
	// loses precision where its terms cancel.
	parts sum
}

// factor is an atom to an integer power other than 0.
type factor struct {
	*atom
	n int
}

// term is a product of factors, sorted by key, no atom twice.
type term struct {
	negative bool
	factors  []factor
}

// sum is a polynomial in atoms: the sum of terms, which differ in more than their sign. An atom may have
// negative powers.
type sum []term

// maxTerms bounds the terms of a polynomial, since extraction takes exponential time (assumed).
const maxTerms = 8

func (t *term) key() string {
	var b strings.Builder
	for _, f := range t.factors {
		b.WriteString(f.key)
		b.WriteByte('^')
		b.WriteString(strconv.Itoa(f.n))
		b.WriteByte(' ')
	}
	return b.String()
}

// key identifies s, whose terms may be in any order, except for its sign.
func (s sum) key() string {
	keys := make([]string, len(s))
	for i := range s {
		keys[i] = s[i].key() + map[bool]string{true: "-"}[s[i].negative != s[0].negative]
	}
	slices.Sort(keys)
	return strings.Join(keys, "+")
}

// plus returns s + o. Equal terms of opposite sign cancel.
func (s sum) plus(o sum) sum {
	out := slices.Clone(s)
	for _, t := range o {
		key := t.key()
		i := slices.IndexFunc(out, func(p term) bool { return p.negative != t.negative && p.key() == key })
		if i < 0 {
			out = append(out, t)
		} else {
			out = slices.Delete(out, i, i+1)
		}
	}
	return out
}

// times returns s*t.
func (s sum) times(t term) sum {
	out := make(sum, len(s))
	for i := range s {
		out[i] = s[i].times(t)
	}
	return out
}

// minus is the term -1.
var minus = term{negative: true}

func (t term) times(o term) term {
	out := term{t.negative != o.negative, slices.Clone(t.factors)}
	for _, f := range o.factors {
		i, ok := slices.BinarySearchFunc(out.factors, f.key, func(f factor, key string) int {
			return strings.Compare(f.key, key)
		})
		switch {
		case !ok:
			out.factors = slices.Insert(out.factors, i, f)
		case out.factors[i].n+f.n == 0:
			out.factors = slices.Delete(out.factors, i, i+1)
		default:
			out.factors[i].n += f.n
		}
	}
	return out
}

// powerOf returns the term a^n.
func powerOf(a *atom, n int) term { return term{factors: []factor{{a, n}}} }

// ordered returns s with its terms ordered by key and the first one positive, and whether that changed all signs.
func (s sum) ordered() (_ sum, negative bool) {
	s = slices.Clone(s)
	slices.SortFunc(s, func(a, b term) int { return strings.Compare(a.key(), b.key()) })
	if negative = s[0].negative; negative {
		s = s.times(minus)
	}
	return s, negative
}

// product returns s as one term: the factors that its terms share, times the sum of the rest.
func (s sum) product() term {
	if len(s) == 1 {
		return s[0]
	}
	common := term{}
	for _, f := range s[0].factors {
		n := f.n
		for _, t := range s {
			n = min(n, t.exponentOf(f.atom))
		}
		if n > 0 {
			common.factors = append(common.factors, factor{f.atom, n})
			s = s.times(powerOf(f.atom, -n))
		}
	}
	s, negative := s.ordered()
	a := &atom{key: "(" + s.key() + ")", op: ir.OpAdd, parts: s, uniform: true}
	for _, t := range s {
		for _, f := range t.factors {
			a.uniform = a.uniform && f.uniform
		}
	}
	out := common.times(powerOf(a, 1))
	out.negative = negative
	return out
}

// exponentOf returns the exponent of a in t, or 0.
func (t *term) exponentOf(a *atom) int {
	for _, f := range t.factors {
		if f.key == a.key {
			return f.n
		}
	}
	return 0
}

// has reports whether a is a factor of t.
func (t *term) has(a *atom) bool {
	return slices.ContainsFunc(t.factors, func(f factor) bool { return f.key == a.key })
}

// operandAtom returns the atom that o is, without its sign.
func operandAtom(o ir.Operand) (a *atom, negative bool) {
	head := *first(&o)
	if negative = isNegative(head); negative {
		o, head.Mod = apply(o, ir.Neg), head.Mod^ir.Neg
	}
	a = &atom{op: ir.OpMov, key: laneKey(head), literal: true, uniform: true}
	var keys [4]string
	constant, small := true, true
	o.EachLane(func(i int, l *ir.Lane) {
		keys[i] = laneKey(*l)
		a.pole = a.pole || l.V.Def != nil && (l.V.Def.Op == ir.OpRcp || l.V.Def.Op == ir.OpRsq)
		constant = constant && (l.V.Kind == ir.Uniform || l.V.Kind == ir.Literal)
		small = small && l.V.Kind == ir.Literal && math.Abs(float64(math.Float32frombits(l.V.Bits))) <= 1
		a.literal = a.literal && l.V.Kind == ir.Literal
		a.uniform = a.uniform && keys[i] == a.key
	})
	a.scale = constant && !small
	if a.uniform {
		o = ir.Splat(head)
	} else {
		a.key = strings.Join(keys[:], ",")
	}
	a.src = []ir.Operand{o}
	return a, negative
}

// isNegative reports whether l is read negated, or is a negative literal.
func isNegative(l ir.Lane) bool {
	if l.V.Kind == ir.Literal {
		return l.Mod.Apply(l.V.Bits)>>31 != 0
	}
	return l.Mod&ir.Neg != 0
}

// laneKey identifies the value that l reads. Equal literals are equal wherever they are kept.
func laneKey(l ir.Lane) string {
	if l.V.Kind == ir.Literal {
		return "#" + strconv.FormatUint(uint64(l.Mod.Apply(l.V.Bits)), 16)
	}
	return strconv.Itoa(int(l.V.ID)<<8 | int(l.Mod))
}

// computed returns the atom op(src...).
func computed(op ir.Op, uniform bool, src ...ir.Operand) *atom {
	keys := make([]string, len(src))
	for i, o := range src {
		a, negative := operandAtom(o)
		keys[i] = fmt.Sprint(a.key, negative)
	}
	if op != ir.OpLog && op != ir.OpRcp {
		slices.Sort(keys) // dot products commute
	}
	return &atom{key: op.String() + strings.Join(keys, ";"), op: op, src: src, uniform: uniform}
}

// unit is the number 1, the empty product.
var unit = atom{key: "1", op: ir.OpMov, literal: true, uniform: true}

// isOne reports whether a is the number 1 in all lanes.
func (a *atom) isOne() bool {
	one := a.literal
	a.src[0].EachLane(func(_ int, l *ir.Lane) {
		one = one && l.V.Kind == ir.Literal && math.Float32frombits(l.Mod.Apply(l.V.Bits)) == 1
	})
	return one
}

package mutate

import (
	"math"
	"math/big"
	"slices"
	"strings"
)

// law applies what holds of an operation whatever some of its operands are: idempotence, neutral and
// absorbing elements of integers, signs of literals. Floats have no neutral elements here: x + 0
// changes -0, and x * 0 is not 0 for infinities.
func (t *terms) law(op string, args []int) (n int, ok bool) {
	name, rest, _ := strings.Cut(op, "|")
	if len(args) == 2 {
		switch op {
		case "iand", "ior", "imin", "imax", "umin", "umax":
			if args[0] == args[1] {
				return args[0], true
			}
		}
		switch zero := t.wordOf(0); op {
		case "iand", "imul", "umul", "imul_high", "umul_high", "umin":
			if args[0] == zero || args[1] == zero {
				return zero, true
			}
		}
	}
	if other := unsignedLike[op]; other != "" && !slices.ContainsFunc(args, func(a int) bool { return t.signedSpan(a).from < 0 }) {
		return t.cons(other, args...), true
	}
	switch zero := t.wordOf(0); {
	case (op == "imad" || op == "umad") && len(args) == 3 && (args[0] == zero || args[1] == zero):
		return args[2], true
	case op == "iadd" && len(args) == 2 && args[0] == zero:
		return args[1], true
	case op == "iadd" && len(args) == 2 && args[1] == zero:
		return args[0], true
	case name == "sgn" && len(args) > 0:
		return t.sign(args[0])
	case op == "frc" && len(args) == 1 && t.whole(args[0]):
		return t.wordOf(0), true
	case t.reals && name == "rsq" && rest == "" && t.key[args[0]] == "rcp":
		return t.apply("rcp", []int{t.apply("rsq", t.args[args[0]])}), true
	}
	return t.choice(op, args)
}

// unsignedLike are the operations that do the same to integers which are not negative.
var unsignedLike = map[string]string{
	"itof": "utof", "ishr": "ushr", "imin": "umin", "imax": "umax", "imul_high": "umul_high", "ilt": "ult", "ige": "uge",
}

// sign is sgn of a literal. A denormal has no sign that can be told: machines that flush it say 0.
func (t *terms) sign(n int) (int, bool) {
	v, ok := t.literal(n)
	x := float64(math.Float32frombits(v))
	switch {
	case !ok || math.IsNaN(x):
		return 0, false
	case x >= 0x1p-126:
		return t.wordOf(math.Float32bits(1)), true
	case x <= -0x1p-126:
		return t.wordOf(math.Float32bits(-1)), true
	}
	return t.wordOf(0), x == 0
}

// whole reports whether a float is the 0 or 1 that slt and sge of Direct3D give, or the negation of
// it: the fraction of such is 0.
func (t *terms) whole(n int) bool {
	switch op, _, _ := strings.Cut(t.key[n], "|"); op {
	case "neg", "abs":
		return t.whole(t.args[n][0])
	case "slt", "sge":
		return true
	}
	return false
}

// choice moves an operation into a conditional with literals: op(ite(c, 1, 2)) is ite(c, op(1), op(2)).
// It does so only where both fold, so that terms do not grow.
func (t *terms) choice(op string, args []int) (n int, ok bool) {
	for i, a := range args {
		if t.key[a] != "ite" {
			continue
		}
		var of [2]int
		for k := range of {
			with := append([]int{}, args...)
			with[i] = t.args[a][1+k]
			if of[k], ok = t.fold(op, with); !ok {
				return 0, false
			}
		}
		return t.either(t.args[a][0], false, of[0], of[1]), true
	}
	return 0, false
}

// isItself reports whether ite(x == v, v, x) is x for a literal v. Of integers always; of floats only
// if v is normal or infinite, since 0 == -0 though their bits differ and denormals may compare as
// zero. A NaN is equal to nothing, so that the other side is taken, which is x.
func (t *terms) isItself(cond, yes, no int) bool {
	if t.key[cond] != "is eq" && t.key[cond] != "is ieq" {
		return false
	}
	v, ok := t.literal(yes)
	args := t.args[cond]
	return ok && (v&^(1<<31) >= 0x00800000 || t.key[cond] == "is ieq") && (args[0] == yes && args[1] == no || args[0] == no && args[1] == yes)
}

// decides compares what is known of the range of words, and over the reals rational numbers.
func (t *terms) decides(rel string, a, b int) (yes, ok bool) {
	switch rel {
	case "ilt":
		p, q := t.signedSpan(a), t.signedSpan(b)
		return p.to < q.from, p.to < q.from || p.from >= q.to
	case "ult":
		p, q := t.span(a), t.span(b)
		return p.to < q.from, p.to < q.from || p.from >= q.to
	// A comparison is all bits or none, and equals no other word.
	case "ieq":
		for _, w := range [2][2]int{{a, b}, {b, a}} {
			if v, ok := t.literal(w[1]); ok && comparisons[t.key[w[0]]] && v != 0 && v != ^uint32(0) {
				return false, true
			}
		}
	case "lt", "ge", "eq":
		if a == b && strings.HasPrefix(t.key[a], "@vWinCoord") { // a number, always
			return rel != "lt", true
		}
		if !t.reals {
			return false, false
		}
		if a == b && !t.singular([]int{a}) {
			return rel != "lt", true
		}
		x, okX := t.rational(a)
		y, okY := t.rational(b)
		if !okX || !okY {
			return false, false
		}
		c := x.Cmp(y)
		return rel == "lt" && c < 0 || rel == "ge" && c >= 0 || rel == "eq" && c == 0, true
	}
	return false, false
}

// rational is the rational number that a term is, over the reals: a polynomial that is a constant.
func (t *terms) rational(n int) (*big.Rat, bool) {
	p, ok := t.polynomial(n)
	switch {
	case !ok:
	case len(p) == 0:
		return new(big.Rat), true
	case len(p) == 1 && len(p[0].of) == 0:
		return p[0].by, true
	}
	return nil, false
}

// comparisons are the comparisons: each gives all bits or none.
var comparisons = map[string]bool{
	"ieq": true, "ige": true, "uge": true, "ine": true, "ilt": true, "ult": true, "eq": true, "ge": true, "ne": true, "lt": true,
}

// span is an interval that a word is known to lie in, both ends included.
type span struct{ from, to int64 }

// span is the interval of a word as an unsigned integer.
func (t *terms) span(n int) span {
	if v, ok := t.literal(n); ok {
		return span{int64(v), int64(v)}
	}
	return span{0, int64(t.bits(n))}
}

// signedSpan is the interval of a word as a signed integer: a word whose sign bit cannot be set is not
// negative, and counters of loops have the range that inRange found.
func (t *terms) signedSpan(n int) span {
	if v, ok := t.literal(n); ok {
		return span{int64(int32(v)), int64(int32(v))}
	}
	if most := t.bits(n); most < 1<<31 {
		return span{0, int64(most)}
	}
	if s, ok := t.counts[n]; ok {
		return s
	}
	return span{math.MinInt32, math.MaxInt32}
}

// agrees reports whether two results are the same. Over the reals the results of Direct3D programs
// are numbers, and 0 and -0 are one number; the words of AMD IL keep their bits.
func (w *walk) agrees(a, b int) bool {
	if a == b || !w.reals || !w.f[0].ends {
		return a == b
	}
	x, okX := w.literal(a)
	y, okY := w.literal(b)
	return okX && okY && x<<1 == 0 && y<<1 == 0
}

// unsigned replaces the literal -0 by 0 in operands of operations to which the sign of a zero does not
// matter over the reals.
func unsigned(t *terms, op string, args []int) []int {
	switch op {
	case "cmp", "min", "max", "slt", "sge", "frc":
	default:
		return args
	}
	out := append([]int{}, args...)
	for i, a := range out {
		if v, ok := t.literal(a); ok && v == 1<<31 {
			out[i] = t.wordOf(0)
		}
	}
	return out
}

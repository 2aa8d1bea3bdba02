package mutate

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// literal is the word that a term is, if it is a literal. Literals are the keys "=" and eight
// hexadecimal digits; other keys that begin with "=", such as "=kept", are none.
func (t *terms) literal(n int) (uint32, bool) {
	w, ok := strings.CutPrefix(t.key[n], "=")
	if !ok || len(w) != 8 {
		return 0, false
	}
	v, err := strconv.ParseUint(w, 16, 32)
	return uint32(v), err == nil
}

// wordOf is the term of a literal.
func (t *terms) wordOf(v uint32) int { return t.cons("=" + hex(v)) }

// hex spells a word with eight digits, as literals and places need it.
func hex(v uint32) string {
	s := strconv.FormatUint(uint64(v), 16)
	return "00000000"[len(s):] + s
}

// allBits is what a comparison of AMD IL gives: all bits set, or none.
func allBits(yes bool) string {
	if yes {
		return "ffffffff"
	}
	return "00000000"
}

// value is the outcome of a condition, where it is a literal, was decided on this path, or follows
// from an equality that was: after n == 5 was decided, n == 3 is false, and n != 0 holds.
func (t *terms) value(cond int) (yes, known bool) {
	if v, ok := t.literal(cond); ok {
		return v != 0, true
	}
	if yes, known = t.known[cond]; known {
		return yes, true
	}
	switch args := t.args[cond]; t.key[cond] {
	case "nz":
		if w, ok := t.equal(args[0]); ok {
			return w != 0, true
		}
	case "is ieq":
		for k, a := range args {
			if v, ok := t.literal(a); ok {
				w, ok := t.equal(args[1-k])
				return v == w, ok
			}
		}
	}
	return false, false
}

// equal is the word that a term was decided to be on this path, if it was: by a comparison with a
// literal that held, or by being zero. It looks at every decision, which are as few as the branches
// on the path.
func (t *terms) equal(n int) (uint32, bool) {
	for cond, holds := range t.known {
		args := t.args[cond]
		switch key := t.key[cond]; {
		case key == "nz" && args[0] == n && !holds:
			return 0, true
		case key == "is ieq" && holds && slices.Contains(args, n):
			for _, a := range args {
				if v, ok := t.literal(a); ok {
					return v, true
				}
			}
		}
	}
	return 0, false
}

// truth is whether a word has a bit that is set, as a condition and whether to negate it. The word
// that a comparison gives is the comparison itself; any other word is the condition "nz".
func (t *terms) truth(n int) (cond int, not bool) {
	key := t.key[n]
	if rel, ok := strings.CutPrefix(key, "setp"); ok && len(t.args[n]) == 2 {
		return t.relation(rel, t.args[n][0], t.args[n][1])
	}
	switch key {
	case "ilt", "ige", "ult", "uge", "ieq", "ine", "lt", "ge", "eq", "ne":
		if len(t.args[n]) == 2 {
			return t.relation(key, t.args[n][0], t.args[n][1])
		}
	}
	if _, ok := t.literal(n); ok {
		return n, false
	}
	return t.cons("nz", n), false
}

// relation is a comparison as a condition, and whether to negate it, in a normal form. Of floats
// only lt, ge and eq are left: a > b is b < a and a <= b is b >= a, but a >= b is not the negation
// of a < b, because neither holds of a NaN. Integers have no such third case, and ilt, ult and ieq
// suffice. A comparison that literals or ranges decide is a literal.
func (t *terms) relation(rel string, a, b int) (cond int, not bool) {
	switch rel {
	case "gt":
		return t.relation("lt", b, a)
	case "le":
		return t.relation("ge", b, a)
	case "ne":
		cond, not = t.relation("eq", a, b)
		return cond, !not
	case "ine":
		cond, not = t.relation("ieq", a, b)
		return cond, !not
	case "ige":
		cond, not = t.relation("ilt", a, b)
		return cond, !not
	case "uge":
		cond, not = t.relation("ult", a, b)
		return cond, !not
	}
	// Signed and unsigned order agree where no operand is negative.
	if rel == "ilt" && t.signedSpan(a).from >= 0 && t.signedSpan(b).from >= 0 {
		rel = "ult"
	}
	a, b = t.compared(rel, a, b)
	x, okX := t.literal(a)
	y, okY := t.literal(b)
	if okX && okY {
		if yes, ok := compare(rel, x, y); ok {
			return t.cons("=" + allBits(yes)), false
		}
	}
	if yes, ok := t.decides(rel, a, b); ok {
		return t.cons("=" + allBits(yes)), false
	}
	if a == b {
		switch rel {
		case "lt", "ilt", "ult":
			return t.cons("=" + allBits(false)), false
		case "ieq":
			return t.cons("=" + allBits(true)), false
		}
	}
	switch {
	// A literal goes to the right. Equality with a word that has bits which the term cannot
	// have is false; equality with zero is the negation of nz.
	case rel == "ieq" && okX && !okY:
		return t.relation(rel, b, a)
	case rel == "ieq" && okY && y&^t.bits(a) != 0:
		return t.cons("=" + allBits(false)), false
	case rel == "ieq" && okY && y == 0:
		cond, not = t.truth(a)
		return cond, !not
	case (rel == "eq" || rel == "ieq") && a > b:
		a, b = b, a
	}
	return t.cons("is "+rel, a, b), false
}

// bits is a mask of the bits that may be set in a word, as masks and logical shifts by literals tell;
// it is an upper bound of the word, too.
func (t *terms) bits(n int) uint32 {
	if v, ok := t.literal(n); ok {
		return v
	}
	switch args := t.args[n]; t.key[n] {
	case "iand":
		return t.bits(args[0]) & t.bits(args[1])
	case "ior", "ixor":
		return t.bits(args[0]) | t.bits(args[1])
	case "ushr":
		if by, ok := t.literal(args[1]); ok {
			return t.bits(args[0]) >> (by & 31)
		}
	}
	return ^uint32(0)
}

// maximum reports whether test is (x >= 0) or (x > 0) of signed integers. Since that is all bits or
// none, x and test is then the larger of x and zero.
func (t *terms) maximum(x, test int) bool {
	args := t.args[test]
	if len(args) != 2 {
		return false
	}
	zero := t.wordOf(0)
	return t.key[test] == "ige" && args[0] == x && args[1] == zero || t.key[test] == "ilt" && args[0] == zero && args[1] == x
}

// compare decides a comparison of literal words; Go's comparisons of floats are those of IEEE 754,
// false for NaNs.
func compare(rel string, x, y uint32) (yes, ok bool) {
	f, g := math.Float32frombits(x), math.Float32frombits(y)
	switch rel {
	case "lt":
		return f < g, true
	case "ge":
		return f >= g, true
	case "eq":
		return f == g, true
	case "ilt":
		return int32(x) < int32(y), true
	case "ult":
		return x < y, true
	case "ieq":
		return x == y, true
	}
	return false, false
}

// fold computes an operation on one or two literals: of integers always, of floats only where the
// result is exact and normal, so that neither the rounding nor the treatment of denormals nor
// multiply-add fusion matters. Conversions to integers saturate, and NaN gives zero.
func (t *terms) fold(op string, args []int) (int, bool) {
	if len(args) == 0 || len(args) > 2 {
		return 0, false
	}
	var w [2]uint32
	for i, a := range args {
		v, ok := t.literal(a)
		if !ok {
			return 0, false
		}
		w[i] = v
	}
	if len(args) == 1 {
		return t.foldUnary(op, w[0])
	}
	switch op {
	case "ilt", "ige", "ieq", "ine", "ult", "uge", "lt", "ge", "eq", "ne":
		cond, not := t.relation(op, args[0], args[1])
		if v, ok := t.literal(cond); ok {
			return t.cons("=" + allBits((v != 0) != not)), true
		}
		return 0, false
	case "add", "mul":
		return t.foldFloat(op, w[0], w[1])
	}
	return t.foldInteger(op, w[0], w[1])
}

// foldUnary is fold of one literal.
func (t *terms) foldUnary(op string, x uint32) (int, bool) {
	switch op {
	case "inot":
		return t.wordOf(^x), true
	case "inegate":
		return t.wordOf(-x), true
	case "itof":
		if f := float32(int32(x)); int64(f) == int64(int32(x)) {
			return t.wordOf(math.Float32bits(f)), true
		}
	case "ftoi", "ftou": // towards zero, to the nearest there is
		least, most := float64(math.MinInt32), float64(math.MaxInt32)
		if op == "ftou" {
			least, most = 0, math.MaxUint32
		}
		f := math.Trunc(float64(math.Float32frombits(x)))
		if math.IsNaN(f) {
			f = 0
		}
		return t.wordOf(uint32(int64(max(least, min(f, most))))), true
	case "utof":
		if f := float32(x); uint64(f) == uint64(x) {
			return t.wordOf(math.Float32bits(f)), true
		}
	}
	return 0, false
}

// foldInteger is fold of two literals with an operation of integers.
func (t *terms) foldInteger(op string, x, y uint32) (int, bool) {
	switch op {
	case "iadd":
		return t.wordOf(x + y), true
	case "imul", "umul":
		return t.wordOf(x * y), true
	case "iand":
		return t.wordOf(x & y), true
	case "ior":
		return t.wordOf(x | y), true
	case "ixor":
		return t.wordOf(x ^ y), true
	case "ishl":
		return t.wordOf(x << (y & 31)), true
	case "ushr":
		return t.wordOf(x >> (y & 31)), true
	case "ishr":
		return t.wordOf(uint32(int32(x) >> (y & 31))), true
	case "imin":
		return t.wordOf(uint32(min(int32(x), int32(y)))), true
	case "imax":
		return t.wordOf(uint32(max(int32(x), int32(y)))), true
	case "umin":
		return t.wordOf(min(x, y)), true
	case "umax":
		return t.wordOf(max(x, y)), true
	}
	return 0, false
}

// foldFloat is fold of a sum or product of floats.
func (t *terms) foldFloat(op string, x, y uint32) (int, bool) {
	f, g := float64(math.Float32frombits(x)), float64(math.Float32frombits(y))
	v := f + g
	if op == "mul" {
		v = f * g
	}
	r := float32(v)
	switch {
	case v == 0 && f != 0 && g != 0 && op == "add":
		return t.wordOf(0), true
	// A product of float32s is exact in float64. A sum may round there, but by so little
	// that r is still the float32 nearest to it. The bounds keep clear of what some machines
	// flush or let overflow.
	case v != 0 && float64(r) == v && math.Abs(v) >= 0x1p-100 && math.Abs(v) < 0x1p100:
		return t.wordOf(math.Float32bits(r)), true
	}
	return 0, false
}

// modified is what a modifier of a source makes of a literal, where nothing rounds.
func modified(mod string, bits uint32) (uint32, bool) {
	x := float64(math.Float32frombits(bits))
	var v float64
	switch mod {
	case "invert":
		v = 1 - x
	case "bias":
		v = x - 0.5
	case "x2":
		v = 2 * x
	default:
		return 0, false
	}
	r := float32(v)
	normal := func(x float64) bool { return x == 0 || math.Abs(x) >= 0x1p-126 && math.Abs(x) <= math.MaxFloat32 }
	return math.Float32bits(r), float64(r) == v && normal(x) && normal(v)
}

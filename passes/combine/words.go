package combine

import (
	"slices"

	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/internal/rules"
)

// neutral operands change nothing, or determine the result. All rows of this file are identities of words
// modulo 2^32; a test has the verifier prove each.
var neutral = keepBits([]rules.Rule{
	{From: "iadd(x, 0)", To: "mov(x)"}, {From: "isub(x, 0)", To: "mov(x)"},
	{From: "imul(x, 1)", To: "mov(x)"}, {From: "udiv(x, 1)", To: "mov(x)"},
	{From: "iand(x, -1)", To: "mov(x)"}, {From: "ior(x, 0)", To: "mov(x)"}, {From: "ixor(x, 0)", To: "mov(x)"},
	{From: "ishl(x, 0)", To: "mov(x)"}, {From: "ishr(x, 0)", To: "mov(x)"}, {From: "ushr(x, 0)", To: "mov(x)"},
	{From: "imul(x, 0)", To: "mov(0)"}, {From: "iand(x, 0)", To: "mov(0)"}, {From: "umod(x, 1)", To: "mov(0)"},
	{From: "ior(x, -1)", To: "mov(-1)"},
	{From: "isub(x, x)", To: "mov(0)"}, {From: "ixor(x, x)", To: "mov(0)"},
	{From: "iand(x, x)", To: "mov(x)"}, {From: "ior(x, x)", To: "mov(x)"},
	{From: "ixor(shared(ixor(x, y)), y)", To: "mov(x)"}, // the exchange of two words without a third one
})

// scales by powers of two are shifts and masks. A multiplication takes the one transcendental slot; so does a
// shift, but only on the first family. Divisions take about twenty operations.
var scales = keepBits([]rules.Rule{
	{From: "imul(x, -1)", To: "ineg(x)"},
	{From: "imul(x, K)", To: "ishl(x, log2(K))", Where: "pow2(K)"},
	{From: "imad(x, y, 0)", To: "imul(x, y)"},
	{From: "imad(x, 1, y)", To: "iadd(x, y)"},
	{From: "imad(x, -1, y)", To: "isub(y, x)"},
	{From: "umod(x, K)", To: "iand(x, K - 1)", Where: "pow2(K)"},
	{From: "udiv(x, K)", To: "ushr(x, log2(K))", Where: "pow2(K)"},
})

// offsets combine two sums with literals, and turn the sum of a negation into a difference.
var offsets = keepBits([]rules.Rule{
	{From: "iadd(iadd(x, K), L)", To: "plus(x, L + K)"},
	{From: "iadd(isub(x, K), L)", To: "plus(x, L - K)"},
	{From: "iadd(isub(K, x), L)", To: "minus(L + K, x)"},
	{From: "iadd(ineg(x), L)", To: "isub(L, x)"},
	{From: "isub(iadd(x, K), L)", To: "plus(x, K - L)"},
	{From: "isub(isub(x, K), L)", To: "plus(x, -K - L)"},
	{From: "isub(isub(K, x), L)", To: "minus(K - L, x)"},
	{From: "isub(ineg(x), L)", To: "isub(-L, x)"},
	{From: "isub(L, iadd(x, K))", To: "minus(L - K, x)"},
	{From: "isub(L, isub(x, K))", To: "minus(L + K, x)"},
	{From: "isub(L, isub(K, x))", To: "plus(x, L - K)"},
	{From: "isub(L, ineg(x))", To: "plus(x, L)"},
	{From: "ineg(iadd(x, K))", To: "isub(-K, x)"},
	{From: "ineg(isub(x, K))", To: "isub(K, x)"},
	{From: "ineg(isub(K, x))", To: "plus(x, -K)"},
	{From: "ineg(ineg(x))", To: "mov(x)"},
	{From: "iadd(x, ineg(y))", To: "isub(x, y)"},
	{From: "isub(x, ineg(y))", To: "iadd(x, y)"},
})

// regroupings combine two operations with literals. Shift counts are modulo 32.
var regroupings = keepBits([]rules.Rule{
	{From: "imul(imul(x, K), L)", To: "imul(x, K*L)"},
	{From: "imul(ishl(x, K), L)", To: "imul(x, L << (K%32))"},
	{From: "ishl(imul(x, K), L)", To: "imul(x, K << (L%32))"},
	{From: "ishl(ishl(x, K), L)", To: "ishl(x, K%32 + L%32)", Where: "K%32 + L%32 < 32"},
	{From: "ushr(ushr(x, K), L)", To: "ushr(x, K%32 + L%32)", Where: "K%32 + L%32 < 32"},
	{From: "ishr(ishr(x, K), L)", To: "ishr(x, min(K%32 + L%32, 31))"},
	{From: "ishl(ushr(x, K), L)", To: "iand(x, -1 << (K%32))", Where: "K%32 == L%32"},
	{From: "ushr(ishl(x, K), L)", To: "iand(x, 0xffffffff >> (K%32))", Where: "K%32 == L%32"},
	{From: "iand(iand(x, K), L)", To: "iand(x, K&L)"},
	{From: "ixor(ixor(x, K), L)", To: "ixor(x, K^L)"},
	// Masks that clear only zero bits.
	{From: "iand(ushr(x, K), L)", To: "ushr(x, K%32)", Where: "L | ^(0xffffffff >> (K%32)) == 0xffffffff"},
	{From: "iand(ishl(x, K), L)", To: "ishl(x, K%32)", Where: "L | ^(0xffffffff << (K%32)) == 0xffffffff"},
	{From: "udiv(udiv(x, K), L)", To: "udiv(x, K*L)", Where: "K*L > 0 && K*L <= 0xffffffff"},
	{From: "ushr(udiv(x, K), L)", To: "udiv(x, K << (L%32))", Where: "K > 0 && K << (L%32) <= 0xffffffff"},
	{From: "udiv(ushr(x, K), L)", To: "udiv(x, L << (K%32))", Where: "L > 0 && L << (K%32) <= 0xffffffff"},
})

// complementary lists comparisons with their complement. Floats have one for equality only: nothing is
// ordered with a NaN, so the opposite of a < b is not a >= b.
var complementary = [][]string{{"ieq", "ine"}, {"ine", "ieq"}, {"feq", "fne"}, {"fne", "feq"}, {"ilt", "ige"},
	{"ige", "ilt"}, {"ult", "uge"}, {"uge", "ult"}}

// complements replace a complemented or zero-tested comparison by one comparison.
var complements = keepBits(slices.Concat(
	rules.RuleFamily([]string{"IS", "NOT"}, complementary, rules.Rule{From: "inot(IS(x, y))", To: "NOT(x, y)"}),
	rules.RuleFamily([]string{"IS", "NOT"}, complementary, rules.Rule{From: "ieq(IS(x, y), 0)", To: "NOT(x, y)"}),
))

// decisions are selections on a zero test, which the word decides directly, and selections by the order of
// their operands. mask(x) holds if x is all ones or zero; inot is then the logical complement.
var decisions = keepBits(slices.Concat(
	[]rules.Rule{
		{From: "sel(x, y, y)", To: "mov(y)"},
		{From: "sel(ieq(x, 0), y, z)", To: "sel(x, z, y)"},
		{From: "sel(ine(x, 0), y, z)", To: "sel(x, y, z)"},
		{From: "sel(inot(x), y, z)", To: "sel(x, z, y)", Where: "mask(x)"},
	},
	rules.RuleFamily([]string{"IS", "THEN", "ELSE"}, extremes, rules.Rule{From: "sel(IS(x, y), x, y)", To: "THEN(x, y)"}),
	rules.RuleFamily([]string{"IS", "THEN", "ELSE"}, extremes, rules.Rule{From: "sel(IS(x, y), y, x)", To: "ELSE(x, y)"}),
))

var extremes = [][]string{{"ilt", "imin", "imax"}, {"ige", "imax", "imin"}, {"ult", "umin", "umax"},
	{"uge", "umax", "umin"}}

// fields are extracted, aligned and merged by one operation.
var fields = keepBits([]rules.Rule{
	{From: "iand(ushr(x, K), L)", To: "ubitextract(ones(L), K%32, x)",
		Where: "L&(L + 1) == 0 && L != 0 && L != 0xffffffff"},
	{From: "ior(ishl(x, K), ushr(y, L))", To: "bitalign(x, y, L)", Where: "K > 0 && K < 32 && K + L == 32"},
	{From: "ior(iand(K, x), iand(L, y))", To: "bfi(K, x, y)", Where: "K^L == 0xffffffff"},
	{From: "ior(iand(x, y), iand(shared(inot(x)), z))", To: "bfi(x, y, z)"},
})

// strides replace products with powers of two and sums by shifts and sums.
var strides = keepBits([]rules.Rule{
	{From: "imad(x, K, y)", To: "iadd(ishl(x, log2(K)), y)", Where: "pow2(K)"},
	{From: "imad(ineg(x), y, z)", To: "isub(z, imul(x, y))"},
})

// keepBits marks rules as keeping bits, as all rules about words do.
func keepBits(list []rules.Rule) []rules.Rule {
	for i := range list {
		list[i].Class = passes.Bits
	}
	return list
}

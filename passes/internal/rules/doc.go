// Package rules rewrites instructions by rules that are data: a pattern, its replacement, the class that it
// keeps, and a condition.
//
//	{From: "mad(add(x, K), L, M)", To: "mad(x, L, K*L + M)", Class: passes.Real}
//
// Both sides are Go expressions. A call is an operation, by its name in the op table, with the suffix _sat if
// it saturates. Its operands are
//
//	x        a lower-case letter: anything. A second occurrence must be the same operand.
//	K        an upper-case letter: literals, one per lane
//	1        the same literal in every lane; over the reals 0 is any zero
//	op(...)  the result of an operation without other readers, so that it dies
//	shared(op(...))  one that may have other readers
//	-x, s*x  a negated operand, or one read under a sign that the pattern binds where it reads
//	         an operation; otherwise operations are read without modifiers, and variables
//	         with any modifiers
//
// Operands of commuting operations, as in the op table, are matched in every order. Over the reals the
// operands of min and max commute too. An operation also matches its IEEE 754 form, and the replacement then
// uses IEEE 754 forms where they exist.
//
// The replacement is built from the bound operands. It can also contain
//
//	K*L + M      expressions of literals and signs, of words modulo 2^32. One of numbers has
//	             to be exact, or the rule does not apply.
//	a.x          one component, in all lanes
//	mag(x)       the absolute value, as a modifier
//	pick(K == 0, x, y)  lane by lane
//	f(...) || g(...)    the first that can be written
//	f(g(...))    several instructions, where that saves slots
//
// Conditions are expressions of literals for each lane, the number of lanes written, whether the reals are
// enough, and facts of the pass about variables, by name. The table functions lists the functions of
// literals.
//
// A rule does not mention precision, lanes, legality or readers. Partial precision stays if the whole pattern
// has it, swizzles are composed, and code that cannot be written is not matched.
//
// Patterns are trees over dataflow, matched top down from a root instruction, with back references for
// variables named twice. All orders of commuting operands are expanded when a rule is compiled, so that
// matching never backtracks. Expressions of literals are computed exactly (go/constant) and rejected if the
// result is not a float32, so a rule of class Real never rounds. The approach follows the rewrite rules in
// Go's compiler (cmd/compile/internal/ssa/_gen) and Alive (Lopes et al., PLDI 2015). Tests of package
// combine prove the rules with this project's verifier.
package rules

// Package rules rewrites instructions by rules that are data: a pattern, what it becomes,
// what that keeps, and under which condition.
//
//	{From: "mad(add(x, K), L, M)", To: "mad(x, L, K*L + M)", Class: passes.Real}
//
// Both sides are Go expressions. A call is an operation, by its name in the op table, with
// the suffix _sat where it saturates. Its operands are
//
//	x        a small letter: anything. Named again it has to be the same thing.
//	K        a capital letter: literals, a lane each
//	1        the same literal in every lane; over the reals 0 is any zero
//	op(...)  what an operation computes that nobody else reads, so that it is saved
//	shared(op(...))  that others may read
//	-x, s*x  something negated, or read under a sign that the pattern binds where it reads
//	         an operation; otherwise operations are read without modifiers, and variables
//	         with whatever they have
//
// Operands of operations that commute, as the op table has it, are matched in every order.
// Over the reals those of min and max commute, too. An operation stands for the one of
// IEEE 754 as well, and what it becomes then is one of those where there is such.
//
// What the pattern becomes is built of what it has bound. Besides the above that has
//
//	K*L + M      expressions of literals and signs, of words modulo 2^32. One of numbers has
//	             to be exact, or the rule does not apply.
//	a.x          one component, in all lanes
//	mag(x)       the absolute value, as a modifier
//	pick(K == 0, x, y)  lane by lane
//	f(...) || g(...)    the first that can be written
//	f(g(...))    several instructions, where that saves slots
//
// Conditions are expressions of literals, for each lane, of the number of lanes written, of
// whether the reals are enough, and of what the pass knows of variables, by name. The
// functions of literals are in the table of that name.
//
// A rule says nothing of precision, lanes, legality or readers: what is partially
// precise all the way stays so, swizzles are composed, and what cannot be written is
// not matched.
//
// Patterns are trees over dataflow, matched top down from a root instruction, with back
// references for variables named twice. All orders of commuting operands are expanded
// when a rule is compiled, so that matching itself never backtracks. Expressions of
// literals are computed exactly (go/constant) and refused where they are no float32: so
// a rule of class real never rounds. The approach is that of rewrite rules in Go's
// compiler (cmd/compile/internal/ssa/_gen) and of Alive (Lopes et al., PLDI 2015),
// whose proofs package rulestest does by the verifier of this project.
package rules

// Package algebra simplifies arithmetic: [Fold] computes with known values, [Factor] takes out common factors, and
// [Reassociate] computes polynomials in fewer instructions.
//
// # Folding
//
// Fold evaluates values that are known at compile time: arithmetic on literals, operations with a
// neutral operand, branches with a known condition, loops that never run.
//
//	add r0, c0, c1            mov r0, c2                      all literals: c2 = c0 + c1 in float32
//	mul r1, r2, c3            mov r1, r2                      c3 is 1
//	if b0 .. else .. endif    one side                        b0 is defined
//
// Folding is constant propagation over structured code, without lattices: a value is known if all its
// operands are, and loop parameters are unknown. Wegman and Zadeck ("Constant Propagation with Conditional
// Branches", TOPLAS 13(2), 1991) find more if a loop carries its initial value; copyprop does that.
// Arithmetic follows the op table in float32, in the steps of the formulas. The pass declines wherever
// hardware differs: infinities, NaN, subnormal numbers, products that may be fused with a sum, and functions
// of partial precision.
//
// # Factoring
//
// Factor takes factors out of products and dot products, where several of them share a factor or can
// be multiplied by their factors together.
//
//	mul r0, v0, c0.x;  mul r0, r0, c1        mul r9, c0.x, c1
//	mul r1, v1, c0.x;  mul r1, r1, c1        mul r0, v0, r9;  mul r1, v1, r9
//
//	nrm r0.xyz, v0                           dp3 r0.x, v0, v0;  rsq r0.x, r0.x
//	dp3 r1.x, r0, c0                         dp3 r1.x, v0, c0;  mul r1.x, r1.x, r0.x
//
// Both are the associative law: (x*u)*k = x*(u*k), and (s*v).w = s*(v.w). It holds over the reals, so the
// pass is of class Real; products may be off by an ulp more or less. The second rewrite saves slots if one
// mul scales several dot products of one register. As for common subexpressions of products in reassociation
// (Briggs and Cooper, "Effective Partial Redundancy Elimination", PLDI 1994), the result depends on the order
// of factors. Largest groups first is a heuristic, and the price decides.
//
// # Reassociation
//
// Reassociate writes a value as a polynomial in values that it does not look into: sums, products and dot
// products are expanded as far as only this value reads them. Then it searches the cheapest expression of the
// polynomial.
//
//	dp4 r0.x, t0, c1;  mul r0.x, r0.x, c0.x             mul r0, t1, c0.y
//	dp4 r1.x, t1, c1;  mad r0.x, r1.x, c0.y, r0.x       mad r0, t0, c0.x, r0;  dp4 r0.x, r0, c1
//
//	mul r1.x, c0.x, c0.y;  mad r0, t2, r1.x, r0         mad r0, t3, c0.y, t2
//	mul r1.x, r1.x, c0.y;  mad r0, t3, r1.x, r0         mul r1.x, c0.x, c0.y;  mad r0, r0, r1.x, ...
//
// The atoms of the polynomial are values, dot products of values, and logarithms of values, since log |x*2^y| is
// log |x| + y. The terms of a dot product may be dot products of its summands. Common factors may be uniform or
// vectors. The expression is chosen by the number of instructions, and the price of the whole program decides.
//
// A product is not distributed over a sum, except for the factors that all its terms share: a*(1 - b) may be
// exact where b is close to 1, and a - a*b is not. The search is that of Breuer, "Generation of Optimal Code for
// Expressions via Factorization", CACM 12(6), 1969. It is exponential, so polynomials have at most eight terms.
package algebra

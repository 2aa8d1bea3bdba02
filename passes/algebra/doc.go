// Package algebra simplifies arithmetic: [Fold] computes with known values, and [Factor] takes out common factors.
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
package algebra

// Package factor takes factors out of products and dot products, where several of them share a factor or can
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
package factor

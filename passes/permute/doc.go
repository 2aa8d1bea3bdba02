// Package permute moves results to other components, so that the few swizzles which
// some models have can read them.
//
//	dp3 r0.x, t0, c0                   dp3 r0.y, t0, c0
//	dp3 r0.y, t0, c1                   dp3 r0.x, t0, c1
//	mul r1.xy, r0.yxzw, c2             mul r1.xy, r0, c2
//
// Below ps_2_x a source is read with the identity, a replicate, .yzxw, .zxyw or .wzyx
// ("ps_2_0 source register swizzling"); anything else takes a mov. Permuting a
// lane-wise instruction permutes its lanes and sources alike, so every value keeps its
// term. Finding the best components for all is a constraint satisfaction problem over
// permutations; the pass is local search: mend one operand that cannot be read, let
// neighbours follow, and take it back unless fewer are left.
package permute

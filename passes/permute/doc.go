// Package permute moves results to other components, where the limited swizzles of some models can read them.
//
//	dp3 r0.x, t0, c0                   dp3 r0.y, t0, c0
//	dp3 r0.y, t0, c1                   dp3 r0.x, t0, c1
//	mul r1.xy, r0.yxzw, c2             mul r1.xy, r0, c2
//
// Below ps_2_x a source is read with the identity, a replicate, .yzxw, .zxyw or .wzyx ("ps_2_0 source
// register swizzling"); any other swizzle takes a mov. Permuting a lane-wise instruction permutes its lanes
// and sources alike, so every value keeps its term. The best components for all values are a constraint
// satisfaction problem over permutations. The pass uses local search: it mends one operand that cannot be
// read, lets neighbours follow, and undoes the change unless fewer unreadable operands are left.
package permute

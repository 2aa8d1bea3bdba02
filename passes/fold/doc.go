// Package fold evaluates values that are known at compile time: arithmetic on literals, operations with a
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
package fold

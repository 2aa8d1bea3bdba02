// Package flatten computes both sides of a branch and selects between their results (if-conversion; Allen,
// Kennedy, Porterfield and Warren, "Conversion of Control Dependence to Data Dependence", POPL 1983). It does
// the same to predicated writes. Models without flow control have no other way to express a branch.
//
//	if_gt r0.x, c0.x        add r9.x, c0.x, -r0.x         (negative where r0.x > c0.x)
//	  mul r1, r1, c1        mul r8, r1, c1
//	else                    add r7, r1, c1
//	  add r1, r1, c1        cmp r1, r9.x, r7, r8
//	endif
//
// The sides must have no effects that the other path must not see. The pass declines stores, breaks and
// address registers; texkill gets operands that kill nothing. Arithmetic does not trap in these models. cmp
// decides by the sign of a difference: a > b if a - b > 0. Infinities (inf - inf) and overflow may decide
// differently from the comparison, hence class Real.
package flatten

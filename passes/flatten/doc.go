// Package flatten is the pass that computes both sides of a branch and chooses between
// what they result in (if-conversion; Allen, Kennedy, Porterfield and Warren,
// "Conversion of Control Dependence to Data Dependence", POPL 1983), and does the same
// to predicated writes. Models without flow control can say nothing else.
//
//	if_gt r0.x, c0.x        add r9.x, c0.x, -r0.x         (negative where r0.x > c0.x)
//	  mul r1, r1, c1        mul r8, r1, c1
//	else                    add r7, r1, c1
//	  add r1, r1, c1        cmp r1, r9.x, r7, r8
//	endif
//
// What is inside has to be free of effects that the other path must not see: stores,
// breaks and address registers decline; texkill is given operands that kill nothing.
// Arithmetic does not trap in these models. cmp decides by the sign of a difference: a
// > b where a - b > 0, which infinities (inf - inf) and overflow may decide otherwise,
// hence class real.
package flatten

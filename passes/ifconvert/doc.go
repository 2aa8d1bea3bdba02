// Package ifconvert replaces branches by selections: [Flatten] in Direct3D 9 programs, and [Pass] in kernels.
//
// # Kernels
//
// Pass replaces branches by both sides and a selection between the results: if-conversion
// (Allen, Kennedy, Porterfield and Warren, POPL 1983).
//
//	if_logicalnz r0.x          add r8, r1, r2
//	  add r1, r1, r2           mul r9, r1, r2
//	else                       cmov_logical r1, r0.x, r8, r9
//	  mul r1, r1, r2
//	endif
//
// cmov_logical chooses by bits for any contents, so each result is exactly the word that the branch would
// have left: class Terms. The sides must have no effect. They must not depend on which invocations run them
// (derivatives, fetches that choose a level by them). Loads and fetches only read, and may be executed
// unnecessarily. The pass pays on VLIW machines, where a branch ends a clause and splits the groups around
// it; the cost model decides.
//
// # Direct3D 9
//
// Flatten computes both sides of a branch and selects between their results (if-conversion; Allen,
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
package ifconvert

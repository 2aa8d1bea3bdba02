// Package ifconvert replaces branches by what both sides compute and a selection
// between the results: if-conversion (Allen, Kennedy, Porterfield and Warren, POPL
// 1983).
//
//	if_logicalnz r0.x          add r8, r1, r2
//	  add r1, r1, r2           mul r9, r1, r2
//	else                       cmov_logical r1, r0.x, r8, r9
//	  mul r1, r1, r2
//	endif
//
// cmov_logical chooses by bits, whatever they are, so each result is the very word that
// the branch would have left: class terms. What is inside must have no effect and must
// not depend on which invocations come to it (derivatives, fetches that choose a level
// by them); loads and fetches are reads only and may be done in vain. It pays on VLIW
// machines, where a branch ends a clause and empties the groups around it; whether it
// does is for the cost model.
package ifconvert

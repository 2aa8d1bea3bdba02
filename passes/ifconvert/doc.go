// Package ifconvert replaces branches by both sides and a selection between the results: if-conversion
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
package ifconvert

// Package affine gives values one form, whatever instructions compute them: a sum of multiples of atoms, plus a
// number. Addresses of memory and coordinates of fetches have such forms.
//
//	iadd r1, r0, 2         itof(r1) is 2 + itof(r0)
//	imad r2, r1, 4, 1      r2 is 9 + 4*r0
//	add r3.x, r3.x, 1      in a loop: r3.x is its first value plus the number of the trip
//
// An atom is a value, a product of two forms, or the number of a trip of a loop. Two values differ by a known number
// if their forms have the same atoms, with the same multiples. This is symbolic linear algebra as in the analysis of
// induction variables (Gerlek, Stoltz and Wolfe, "Beyond induction variables", TOPLAS 17(1), 1995).
//
// The forms of integers hold modulo 2^32. The forms of floats hold over the reals. They also hold for the computed
// floats if no operation rounds, and if no converted integer wraps around. Coordinates of texels are such floats, if
// a fetch is inside its resource. A user of forms either needs no more, as an order of fetches, or has the verifier
// prove the result.
package affine

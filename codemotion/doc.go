// Package codemotion moves work from the pixel program to the vertex program of a
// pair, after Ikeda, Ino and Hagihara, "A Code Motion Technique for Accelerating
// General-Purpose Computation on the GPU" (IPDPS 2006).
//
// The paper moves instructions that meet four conditions; here they are conditions
// on values:
//
//	C1 executability  the vertex model has the op, with its modifiers, or can spell it otherwise
//	C2 accessibility  it reads no sampler, and constants that the vertex program can read too:
//	                  those the program defines, and the host's if it mirrors them
//	C3 equivalence    it is affine in interpolated inputs with invariant coefficients, or
//	                  invariant, as inputs are that the vertex program makes of constants alone; the
//	                  rasterizer interpolates such a value as it would its inputs.
//	                  Colour registers are clamped and coarse, so neither read nor carry one,
//	                  but for 0 and 1, which come through that beside the colour
//	C4 dependence     everything it depends on meets the conditions
//
// In programs without flow control sums and products are regrouped first, where that lets more
// be moved: (x*u)*k is x*(u*k). The pass looks at the frontier: operands of instructions that must
// stay all of whose lanes may move. It chooses operands that save most pixel slots for the
// interpolator components they take, computes them after the vertex program's own
// code, hands them over in unused components, and makes the operands read those.
// Nothing that feeds the position changes.
//
// A placement is a selection of these operands, and what is packed by the rule: those that need
// certain components first, then the widest, each into the register in which it takes fewest.
// Host constants move in the first place; where no selection of what that frontier has pays,
// the frontier without them is looked at. Of a program that can be regrouped there are two
// forms, and the selection that leaves fewer pixel slots counts, for GPUs the cheaper one; of
// equal ones that of the program as it comes. Selections begin with all operands and give up the least valuable.
// Besides, a bound is computed for the slots that any selection could save: of instructions
// that nothing reads any more, and of moves that bring inputs into one register, less one for
// an output of 3.0 that is not computed any more. Moves that registers call for when code is
// written do not count. What registers have room for is relaxed to a price; the best choice at
// a price is a least cut. Where the bound is not reached and operands are few, all selections
// are written and priced, and the best is taken.
//
// Over the reals that is all. In floating point a value that is interpolated is off by a part
// of its largest value in the triangle, which may be more than what the pixel program's own
// rounding was. Where the pixel program amplifies that (coordinates of fetches, reciprocals,
// logarithms, what is compared), a motion that makes the bound of the error more than four
// times what it was, is not made; package verify/rounding has the bounds, and a remark says so.
// What does that when it moves alone is no candidate in a search of all selections either, which takes it
// that no other motion makes up for it.
//
// An example, below 3.0 with c4 defined by the pixel program:
//
//	ps: add r0.xy, t0, c4        vs: add r0.xy, v1, c4      (after its own code)
//	    texld r1, r0, s0             mov oT1.xy, r0
//	                             ps: texld r1, t1, s0
//
// Files: codemotion.go has the pass and its search, apply.go the three steps, candidates.go the frontier, regroup.go
// what makes it larger, savings.go what a selection saves, pack.go where it goes, hoist.go the code for
// vertices, bound.go and closure.go the bound, exhaust.go the search of all selections,
// errors.go the growth of errors, grant.go single motions, together.go pixel programs
// with several partners, varyings.go and overlap.go the outputs that are left over,
// explain.go the reasons for what stays.
//
// [Varyings] removes what the vertex program hands over and the pixel program does
// not read, or reads twice.
package codemotion

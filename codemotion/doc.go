// Package codemotion moves work from the pixel program to the vertex program of a pair. The source is Ikeda,
// Ino and Hagihara, "A Code Motion Technique for Accelerating General-Purpose Computation on the GPU" (IPDPS
// 2006).
//
// The paper moves instructions that meet four conditions; here they are conditions on values:
//
//	C1 executability  the vertex model has the op, with its modifiers, or an expansion of it
//	C2 accessibility  it reads no sampler, and only constants that the vertex program can read too:
//	                  those the program defines, and the host's if it mirrors them
//	C3 equivalence    it is affine in interpolated inputs with invariant coefficients, or
//	                  invariant. Inputs that the vertex program computes from constants alone are
//	                  invariant. The rasterizer interpolates such a value as it would its inputs.
//	                  Colour registers are clamped and coarse: they are neither read nor used,
//	                  except for 0 and 1, which survive next to the colour
//	C4 dependence     everything it depends on meets the conditions
//
// A branch that a uniform decides becomes a selection first, if its sides may move. In programs without flow
// control, sums and products are then regrouped where that lets more move: (x*u)*k is x*(u*k). The pass looks at
// the frontier: operands, of instructions that must stay, all of whose lanes may move. It chooses the operands
// that save most pixel slots for the interpolator components they take. It
// computes them after the vertex program's code, passes them in unused components, and makes the operands
// read those. It changes no code that feeds the position.
//
// A placement is a selection of these operands and their registers. Operands that need certain components
// are packed first, then the widest, each into the register from which instructions read it with the fewest
// moves, and there in the fewest components. If moves remain or registers are scarce, a denser packing is
// also priced. Host constants move in the first attempt; if no selection on that frontier pays, the
// frontier without them is tried. A program that can be regrouped has two forms. The form with fewer pixel
// slots counts, for GPUs the cheaper one; at equal cost the original form counts. Selections begin with all
// operands and drop the least valuable.
//
// With parts=true, the computed components of an operand may move while its other components stay. They
// take a move into the register of the others, so a part has to save two instructions. The levels for slots
// run this stage after instructions have been combined. If it ran before that, 14 of the 285 pairs of the
// training set got more expensive, since other passes save the same slots.
//
// The pass also bounds the slots that any selection could save. Savings are dead instructions and moves
// that bring inputs into one register, less one for an output of 3.0 that is no longer computed, and less
// the moves that a packing needs. The bound assumes a packing without moves. Other moves that register
// allocation needs when code is written do not count. The room in registers is relaxed to a price; the best
// choice at a price is a minimum cut. If the bound is not reached and operands are few, all selections are
// written and priced, and the best one is used.
//
// Over the reals this is complete. In floating point, an interpolated value is off by a fraction of its
// largest value in the triangle. This can exceed the rounding error of the pixel program. The pixel program
// may amplify the error (coordinates of fetches, reciprocals, logarithms, comparisons). A motion that raises
// the error bound more than four times is then rejected, and a remark reports it; package verify/rounding
// computes the bounds. An operand that is rejected alone is no candidate in a search of all selections
// either. The search assumes that no other motion compensates for it.
//
// An example, below 3.0 with c4 defined by the pixel program:
//
//	ps: add r0.xy, t0, c4        vs: add r0.xy, v1, c4      (after its own code)
//	    texld r1, r0, s0             mov oT1.xy, r0
//	                             ps: texld r1, t1, s0
//
// Files:
//
//   - codemotion.go: the pass and its search
//   - apply.go: the three steps
//   - candidates.go: the frontier
//   - regroup.go: regrouping and selections, which enlarge the frontier
//   - savings.go: the slots that a selection saves
//   - pack.go, readable.go: the registers of a selection
//   - hoist.go: the code for vertices
//   - bound.go, closure.go: the bound
//   - exhaust.go: the search of all selections
//   - errors.go: the growth of errors
//   - grant.go: single motions
//   - together.go: pixel programs with several partners
//   - varyings.go, compact.go, overlap.go: unused outputs
//   - components.go: interpolated components that a pair could omit
//   - explain.go: the reasons why statements stay
//
// [Varyings] removes vertex outputs that the pixel program does not read, or reads twice.
package codemotion

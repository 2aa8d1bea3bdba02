// Package rounding bounds the effect of roundings on Direct3D 9 programs. It bounds how far the outputs of
// a program, as hardware computes them, can be from real arithmetic on the same inputs. Two versions that
// are equal over the reals are at most the sum of both bounds apart.
//
// # The analysis
//
// [Analyzer] executes a lifted program once symbolically. Every value has a range of its exact value, a
// range of its computed value, and a bound of their distance. This is forward error analysis in the
// standard model of floating-point arithmetic,
//
//	fl(x op y) = (x op y)(1 + d), |d| <= u
//
// over intervals instead of numbers, as in FPTaylor and Daisy. See N. J. Higham, Accuracy and Stability of
// Numerical Algorithms, 2nd ed., SIAM 2002: section 2.2 has the model and chapter 3 the propagation of
// errors. Section 3.3 describes the analysis along with the values, section 4.2 sums in any order.
//
// Errors of operands propagate exactly through +, - and *, second-order terms included. Through functions
// they propagate by the largest slope in either range. The bound of an operation that rounds twice also
// holds for one that rounds once. The bound therefore covers a fused mad, and a mul and an add that the
// driver fuses. Sums of products of vectors may be added in any order.
//
// Near a pole or a step an operation amplifies errors without limit. Its range then bounds the error: a frc
// by 1, a comparison by the distance of the two alternatives, a component of a normalised vector by 2.
// Square roots and powers are bounded by their growth (|sqrt x - sqrt y| <= sqrt |x-y|). Without such a
// range the bound is infinite. The analysis follows both sides of a branch unless only one is possible. It
// executes loops of known count trip by trip, and others until the carried values stay in their ranges.
//
// # Assumptions
//
// The box: [Box] gives the ranges of inputs and constants. Other ranges come from the constant table (half
// to twice the default), then from the usual formats of vertex elements, else they are -1..1. The usual
// formats are: colours and weights 0..1, indices bytes, the fourth component of a position 1. The result
// lists the rules that were used.
//
// The hardware: [Arithmetic] has the unit roundoff of full precision (fp32, or fp24 in the pixel programs
// of R300-class hardware) and of instructions marked _pp (fp16). It also has the precision that the
// reference demands of rcp, rsq, exp, log, pow and sincos. The error of an interpolated component is
// relative to its largest value in the triangle.
//
// Textures: 2048 texels along an axis, values in 0..1 unless the box gives others, linear between texels,
// with weights of eight bits. A coordinate with an error of d texels changes a texel by at most d+1/256.
// The result includes the displacement of fetches. The level of detail is assumed to be equal.
//
// Bounds hold where every intermediate value is a number. They do not hold where infinities cancel or 0
// meets infinity.
//
// # Where no bound exists
//
// First-order errors at points of the box replace the bound. The same analysis runs over ranges of one
// number each, which is the running error analysis of Higham's section 3.3. The report gives the growth of
// these errors from one version to the other as the condition. The analysis at such points also detects
// fragile programs: see [Fragility].
package rounding

// Package proof compares two versions by rungs 1 and 3. [Terms] compares them as terms, and [Field] and [Reals] in
// a finite field. [Endings] compares termination, and [Unstable] the rounding errors of versions that are equal
// over the reals.
//
// # Stability
//
// Unstable compares how far roundings can move the values of two versions of a program that are equal over the
// real numbers. (x + 1e12) - 1e12 equals x over the reals, and in float32 it is 0 for every small x.
//
// A domain is a domain of package symbolic. It executes both versions in a field or in the reals, and records each sum,
// product and function in a graph of scalar operations. A node of the graph has the image of its value, so that values of
// both versions that are equal over the reals have one image. Unstable evaluates the graph at points. Each value
// has a running error bound next to it (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.3):
// what its operands are off by goes through the operation in first order, and the operation adds its own rounding.
// Literals are exact. Any other input is known to one unit in the last place, as the value of a texture, an interpolated
// attribute or a constant of the host is. Without that x*y + x*z would be unstable next to x*(y+z), where y is close to -z.
//
// # The rule
//
// A value of after that before computes too is unstable if its bound exceeds four times the largest bound of before for it,
// plus 4 units in the last place. It is unstable too if it overflows, or has no bound, where before has a value. The factor
// admits what rewrites do that keep the condition: sums in another order, products that become a mad, common factors.
//
// # Points
//
// Inputs are numbers between -1 and 1 at some points, between 0 and 1 at others, and have widely different exponents at
// others still. A value of an unknown function, such as a texture or an element of memory, is an input; equal functions of
// equal values are the same input for both versions.
//
// Some code runs for few inputs only. So the rule is asked of all values that both versions compute, in either arm of a
// branch, and not of outputs alone. A value that only decides a comparison is left out: rounding may move the boundary. Points
// have three modes:
//
//   - Natural: comparisons have the outcome that the values have.
//   - Forced: the sign of a difference that is compared is drawn at random, and is the same for both versions. Each arm
//     of a choice that only after makes is reached once, with the choices that lead to it.
//   - Cut: in addition, what both versions compute in the same way is an input of ordinary size. A factor that is nearly
//     always zero hides no error then.
//
// A forced outcome may contradict the values. Where both versions have different values for that reason, nothing is
// compared.
package proof

// Package proof compares two versions by terms and in a field. [Terms] compares them as terms, and [Field] and
// [Reals] in a finite field. [Endings] compares termination, and [Unstable] the rounding errors of versions that
// are equal over the reals.
//
// # Stability
//
// Unstable compares how far rounding can move the values of two versions of a program that are equal over the
// reals. For example, (x + 1e12) - 1e12 equals x over the reals, but in float32 it is 0 for every small x.
//
// A domain is a domain of package symbolic. It executes both versions in a field or in the reals, and records
// sums, products and functions as nodes of a graph. A node has the image of its value, so values that are equal
// over the reals have one image. Unstable evaluates the graph at points. Each value has a running error bound (N.
// J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.3): an operation propagates the
// errors of its operands to first order, and adds its own rounding. Literals are exact. Every other input, such as
// the value of a texture, an interpolated attribute or a host constant, is known to one unit in the last place.
// Otherwise x*y + x*z would be unstable compared with x*(y+z) if y is close to -z.
//
// # The rule
//
// A value that both versions compute is unstable if its bound in after exceeds four times its largest bound in
// before, plus 4 units in the last place. It is also unstable if it overflows or has no bound in after, but has a
// value in before. The factor admits rewrites that keep the condition: sums in another order, products that become
// a mad, common factors.
//
// # Points
//
// Inputs are numbers in -1..1 at some points, in 0..1 at others, and have widely different exponents at the rest.
// The value of an unknown function, such as a texture or an element of memory, is an input. Equal functions of
// equal values are the same input in both versions.
//
// Some code runs for few inputs only. So the rule is applied to all values that both versions compute, in both
// arms of branches, and not only to outputs. Values that only decide a comparison are omitted, because rounding
// may move the boundary. Points have three modes:
//
//   - Natural: comparisons have the outcomes of the values.
//   - Forced: the sign of a compared difference is random, and the same in both versions. Each arm of a choice
//     that only after makes is reached once, with the signs that lead to it.
//   - Cut: in addition, every value that both versions compute in the same way becomes an input of ordinary size.
//     Then a factor that is nearly always zero hides no error.
//
// A forced outcome may contradict the values. If the versions have different values for that reason, nothing is
// compared.
package proof

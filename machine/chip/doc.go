// Package chip has the chips of the R600, R700 and Evergreen families as numbers.
//
// [ByName] gives a [Target]. All its numbers are rows of one table, [Parameters], that
// names the source of each and says which are assumed; [Target.Set] changes them. How many
// wavefronts of a program a SIMD holds, [Target.Resident] tells by one of the rules that
// have been published, each a [Budget] with a name. What the hardware gives a thread that
// starts are [Builtin] values in registers, its preloads.
package chip

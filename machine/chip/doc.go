// Package chip describes the chips of the R600, R700 and Evergreen families as numbers.
//
// [ByName] returns a [Target]. All its numbers are rows of one table, [Parameters], that names the
// source of each and marks assumptions. The method [Target.Set] changes them. The method
// [Target.Resident] computes the wavefronts that a SIMD holds, by one of the published rules, each
// a named [Budget]. The [Builtin] values are those that the hardware preloads into registers when a
// thread starts.
package chip

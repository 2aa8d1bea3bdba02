// Package choice provides the decisions of generators, from a seed or from a test of pgregory.net/rapid.
// Rapid can then undo decisions one by one until a failing program is small.
//
// To shrink well, a generator should make the simplest alternative 0 ([Source.IntN]), or the last one where
// that reads better ([Source.Last]). It should make optional parts depend on [Source.Chance], and repeated
// parts on [Source.Repeat], so that one can be removed without a change of the others.
package choice

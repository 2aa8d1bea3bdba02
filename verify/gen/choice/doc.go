// Package choice is where generators take their decisions from: a seed, or a test of
// pgregory.net/rapid, which can then take back decisions one by one until a failing
// program is small.
//
// A generator that wants its programs to shrink well asks for what is simplest as 0
// ([Source.IntN]), or as the last alternative where that reads better ([Source.Last]),
// makes what is optional depend on [Source.Chance], and makes what comes in numbers by
// [Source.Repeat], so that one of them can go without the others changing.
package choice

// Package reduce minimizes lists and program texts that show a symptom, in the sense of Zeller and
// Hildebrandt, Simplifying and Isolating Failure-Inducing Input (IEEE Transactions on Software
// Engineering 28, 2002). A test function reports whether a version still shows it.
package reduce

import "slices"

// List removes elements of a list as long as the rest passes a test: halves, quarters and so on. This
// is ddmin without the tests of subsets alone, which fragments of programs do not pass.
func List[T any](list []T, test func([]T) bool) []T {
	for size := max(len(list)/2, 1); len(list) > 0; size = max(size/2, 1) {
		gone := false
		for at := 0; at < len(list); {
			rest := slices.Concat(list[:at], list[min(at+size, len(list)):])
			if test(rest) {
				list, gone = rest, true
			} else {
				at += size
			}
		}
		if size == 1 && !gone {
			break
		}
	}
	return list
}

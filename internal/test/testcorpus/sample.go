package testcorpus

import "os"

// Whole makes tests use all data. By default, tests use a representative part, so that all tests together take a
// minute or two. If SHADERLIFT_LONG is set, as by .ci/run long, Whole is true. The variable is read before tests
// start, so the cache of go test ignores it: also give -count=1.
var Whole = os.Getenv("SHADERLIFT_LONG") != ""

// EveryNth returns every nth element of a list, from the first, or all of it.
func EveryNth[T any](list []T, every int) (some []T) {
	if Whole {
		return list
	}
	for i := 0; i < len(list); i += every {
		some = append(some, list[i])
	}
	return some
}

// Count returns the number of generated samples: some, or all.
func Count[T ~int | ~uint64](some, all T) T {
	if Whole {
		return all
	}
	return some
}

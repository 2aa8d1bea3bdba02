// Package sample is how much tests take of what there is: a part that is as telling, so that
// all of them together are a matter of a minute or two, or everything where SHADERLIFT_LONG is
// set, as it is for continuous integration.
package sample

import "os"

// Whole tells that tests are to leave nothing out.
var Whole = os.Getenv("SHADERLIFT_LONG") != ""

// Of is one in so many of a list, the first included, or all of it.
func Of[T any](list []T, every int) (some []T) {
	if Whole {
		return list
	}
	for i := 0; i < len(list); i += every {
		some = append(some, list[i])
	}
	return some
}

// Count is how many of what is made up are made: some, or all.
func Count[T ~int | ~uint64](some, all T) T {
	if Whole {
		return all
	}
	return some
}

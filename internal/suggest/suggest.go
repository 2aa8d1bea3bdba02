// Package suggest finds what a word that is not known was meant to be.
package suggest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// most is how many edits a word may be away from what it was meant to be: two are a pair of
// letters in the wrong order.
const most = 2

// Word is the known word that is nearest to another one, of several the first by letters; empty
// if none is near, within half as many edits as either has letters.
func Word(word string, known []string) string {
	best, least := "", most+1
	for _, k := range slices.Sorted(slices.Values(known)) {
		if d := levenshtein.Distance(strings.ToLower(word), strings.ToLower(k), nil); d < least && 2*d <= min(len(k), len(word)) {
			best, least = k, d
		}
	}
	return best
}

// For is the end of a sentence that says that a word is not known: a question, or nothing.
func For(word string, known []string) string {
	if best := Word(word, known); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}

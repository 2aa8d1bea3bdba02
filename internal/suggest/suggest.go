// Package suggest finds what a word that is not known was meant to be.
package suggest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// most is how many edits a word may be away from what it was meant to be.
const most = 2

// Word is the known word that is nearest to another one, of several the first by letters: within
// half as many edits as either has letters, or else the only one that begins with it. It is empty if
// there is none.
func Word(word string, known []string) string {
	best, least := "", most+1
	var longer []string
	for _, k := range slices.Sorted(slices.Values(known)) {
		// An edit changes the length by one at most. Nothing is compared letter by letter with a file
		// that is one long word.
		if max(len(k)-len(word), len(word)-len(k)) <= most {
			if d := distance(strings.ToLower(word), strings.ToLower(k)); d < least && 2*d <= min(len(k), len(word)) {
				best, least = k, d
			}
		}
		if len(word) > most && strings.HasPrefix(k, word) {
			longer = append(longer, k)
		}
	}
	if best == "" && len(longer) == 1 {
		return longer[0]
	}
	return best
}

// distance counts edits; two letters in the wrong order are one.
func distance(a, b string) int {
	for i := range len(a) - 1 {
		if a[:i]+a[i+1:i+2]+a[i:i+1]+a[i+2:] == b {
			return 1
		}
	}
	return levenshtein.Distance(a, b, nil)
}

// For is the end of a sentence that says that a word is not known: a question, or nothing.
func For(word string, known []string) string {
	if best := Word(word, known); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}

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

// Word is the known word that is nearest to another one: within half as many edits as either has
// letters, or else the only one that begins with it. Of several it is the one that begins alike for
// longest, as the first letters of a word are rarely mistaken, and then the first by letters. It is
// empty if there is none.
func Word(word string, known []string) string {
	best, least, alike := "", most+1, 0
	var longer []string
	for _, k := range slices.Sorted(slices.Values(known)) {
		// An edit changes the length by one at most. Nothing is compared letter by letter with a file
		// that is one long word.
		if max(len(k)-len(word), len(word)-len(k)) <= most {
			a, b := strings.ToLower(word), strings.ToLower(k)
			d, same := distance(a, b), common(a, b)
			if 2*d <= min(len(k), len(word)) && (d < least || d == least && same > alike) {
				best, least, alike = k, d, same
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

// common is how many bytes two words begin with alike.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
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

package naming

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// most is the largest edit distance of a suggestion.
const most = 2

// NearestWord returns the known word nearest to word. The edit distance is at most half the length of the
// shorter word. Among equally near words it prefers the longest common prefix, as the first letters are
// rarely wrong, then alphabetical order. Otherwise it returns the only known word that begins with
// word, or "".
func NearestWord(word string, known []string) string {
	best, least, alike := "", most+1, 0
	var longer []string
	for _, k := range slices.Sorted(slices.Values(known)) {
		// An edit changes the length by at most one. The check avoids comparing letter by letter with a
		// file that is one long word.
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

// common returns the length of the common prefix of two words, in bytes.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// distance counts edits; a transposition of two adjacent letters is one edit.
func distance(a, b string) int {
	for i := range len(a) - 1 {
		if a[:i]+a[i+1:i+2]+a[i:i+1]+a[i+2:] == b {
			return 1
		}
	}
	return levenshtein.Distance(a, b, nil)
}

// Suggest returns the end of a message about an unknown word: a question, or nothing.
func Suggest(word string, known []string) string {
	if best := NearestWord(word, known); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}

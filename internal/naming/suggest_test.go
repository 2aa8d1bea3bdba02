package naming

import (
	"fmt"
	"strings"
	"testing"
)

func ExampleSuggest() {
	fmt.Println(`there is no pass "codemtion"` + Suggest("codemtion", []string{"combine", "codemotion"}))
	fmt.Println(`there is no pass "sing"` + Suggest("sing", []string{"combine", "codemotion"}))
	// Output:
	// there is no pass "codemtion"; did you mean "codemotion"?
	// there is no pass "sing"
}

func TestWord(t *testing.T) {
	known := []string{"rv770", "rv670", "gcn", "rdna", "rdna3", "cypress"}
	for word, want := range map[string]string{
		"rv77": "rv770", "RDNA": "rdna", "rnda": "rdna", "rv6700": "rv670",
		"gnc": "gcn", "cyp": "cypress", "rvs": "", "rad": "", "": "", "c": "", "x": "",
		strings.Repeat("rv770", 1<<20): "", // fast
	} {
		if got := NearestWord(word, known); got != want {
			t.Errorf("%.20q is taken for %q, want %q", word, got, want)
		}
	}
}

// Among equally near words, the one with the longest common prefix wins.
func TestWordBeginning(t *testing.T) {
	for word, want := range map[string]string{"madd": "mad", "aadd": "add", "mac": "mad"} {
		if got := NearestWord(word, []string{"add", "mad", "max"}); got != want {
			t.Errorf("%q is taken for %q, want %q", word, got, want)
		}
	}
}

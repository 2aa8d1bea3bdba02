package suggest

import (
	"fmt"
	"strings"
	"testing"
)

func ExampleFor() {
	fmt.Println(`there is no pass "codemtion"` + For("codemtion", []string{"combine", "codemotion"}))
	fmt.Println(`there is no pass "sing"` + For("sing", []string{"combine", "codemotion"}))
	// Output:
	// there is no pass "codemtion"; did you mean "codemotion"?
	// there is no pass "sing"
}

func TestWord(t *testing.T) {
	known := []string{"rv770", "rv670", "gcn", "rdna", "rdna3", "cypress"}
	for word, want := range map[string]string{
		"rv77": "rv770", "RDNA": "rdna", "rnda": "rdna", "rv6700": "rv670",
		"gnc": "gcn", "cyp": "cypress", "rvs": "", "rad": "", "": "", "c": "", "x": "",
		strings.Repeat("rv770", 1<<20): "", // in no time
	} {
		if got := Word(word, known); got != want {
			t.Errorf("%.20q is taken for %q, want %q", word, got, want)
		}
	}
}

// Of words as near as each other the one that begins alike was meant.
func TestWordBeginning(t *testing.T) {
	for word, want := range map[string]string{"madd": "mad", "aadd": "add", "mac": "mad"} {
		if got := Word(word, []string{"add", "mad", "max"}); got != want {
			t.Errorf("%q is taken for %q, want %q", word, got, want)
		}
	}
}

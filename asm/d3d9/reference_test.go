package d3d9

import (
	"encoding/json"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"os"
	"slices"
	"strconv"
	"testing"
)

// referenceExceptions maps cases of the reference assembler's tests with intended differences to
// the reason.
var referenceExceptions = map[string]string{}

// TestReferenceAssembler runs the tests of another assembler: texts with their tokens, and texts
// that must be refused.
func TestReferenceAssembler(t *testing.T) {
	data, err := os.ReadFile(testcorpus.Path(t, "corpus/d3d9/wine_asm_tests.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name, Source string
		Expected     []string
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	accepted, refused := 0, 0
	for _, c := range cases {
		if why := referenceExceptions[c.Name]; why != "" {
			t.Logf("%s left out: %s", c.Name, why)
			continue
		}
		p, err := Parse(c.Name, []byte(c.Source))
		if c.Expected == nil {
			if err == nil {
				t.Errorf("%s must be refused:\n%s", c.Name, c.Source)
				continue
			}
			refused++
			continue
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", c.Name, err, c.Source)
			continue
		}
		var want []uint32
		for _, w := range c.Expected {
			v, err := strconv.ParseUint(w, 0, 32)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, uint32(v))
		}
		code, err := Encode(p)
		if err != nil || !slices.Equal(words(code), want) {
			t.Errorf("%s: %08x, want %08x (%v)\n%s", c.Name, words(code), want, err, c.Source)
			continue
		}
		accepted++
	}
	t.Logf("of %d cases: %d give the tokens wanted, %d are refused as wanted, %d left out",
		len(cases), accepted, refused, len(referenceExceptions))
}

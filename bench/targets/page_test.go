package main

import (
	"os"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/bench/internal/root"
)

// TestPage checks that docs/targets.md has the text of page.txt and the constants of the targets. Only
// a run with counts can check its comparison with compilers.
func TestPage(t *testing.T) {
	if err := root.Enter(); err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("docs/targets.md")
	if err != nil {
		t.Fatal(err)
	}
	var constants strings.Builder
	writeConstants(&constants)
	text, _, _ := strings.Cut(strings.Replace(page, "{constants}\n", constants.String(), 1), "{comparison}\n")
	if !strings.HasPrefix(string(doc), text) {
		t.Error("docs/targets.md does not begin with bench/targets/page.txt and its constants: go run -C bench ./targets COUNTS > docs/targets.md")
	}
}

package shaderlift_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	linkTarget  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	codeBlock   = regexp.MustCompile("(?ms)^```.*?^```$")
	heading     = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notInAnchor = regexp.MustCompile(`[^\w\- ]`)
	namedPage   = regexp.MustCompile(`\bdocs/[\w.-]+\.(?:md|png|svg|json)\b`)
)

// TestLinks checks that each link of a document leads to a file, and to a heading if it has an anchor. It also
// checks that the pages that Go code and .ci/run name exist.
func TestLinks(t *testing.T) {
	pages := map[string]string{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case filepath.Ext(file) != ".md" && filepath.Ext(file) != ".go":
			return nil
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if filepath.Ext(file) == ".md" {
			pages[filepath.ToSlash(file)] = codeBlock.ReplaceAllString(string(data), "")
			return nil
		}
		checkNames(t, file, data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	steps, err := os.ReadFile(".ci/run")
	if err != nil {
		t.Fatal(err)
	}
	checkNames(t, ".ci/run", steps)
	for file, text := range pages {
		for _, m := range linkTarget.FindAllStringSubmatch(text, -1) {
			name, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(name, "://") {
				continue
			}
			to := file
			if name != "" {
				to = path.Join(path.Dir(file), name)
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: the link to %s leads to no file", file, m[1])
			} else if anchor != "" && !hasAnchor(pages[to], anchor) {
				t.Errorf("%s: the link to %s leads to no heading", file, m[1])
			}
		}
	}
}

// checkNames checks that the pages that a file names exist.
func checkNames(t *testing.T, file string, data []byte) {
	t.Helper()
	for _, name := range namedPage.FindAllString(string(data), -1) {
		if _, err := os.Stat(name); err != nil {
			t.Errorf("%s names %s, which does not exist", file, name)
		}
	}
}

// hasAnchor reports whether a heading of a page has an anchor, as GitHub makes them.
func hasAnchor(page, anchor string) bool {
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		if strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-") == anchor {
			return true
		}
	}
	return false
}

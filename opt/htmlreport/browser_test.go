package htmlreport_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/tools"
)

// The programs that check pages: axe-core for the accessibility rules of WCAG, html-validate for
// the rules of HTML.
var judges = []string{"axe-core@4.14.1", "html-validate@10.17.0"}

// installed returns a folder with the judges, installed by npm.
func installed(t *testing.T) string {
	t.Helper()
	npm := tools.NeedProgram(t, "npm")
	dir := t.TempDir()
	cmd := exec.Command(npm, append([]string{"install", "--no-audit", "--no-fund", "--prefix", dir}, judges...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("skipped: npm cannot install %s: %v: %s", strings.Join(judges, ", "), err, out)
	}
	return filepath.Join(dir, "node_modules")
}

// pages returns pages that together contain every part of a page.
func pages(t *testing.T) map[string]string {
	list := map[string]string{
		"a pair":   reported(t, conv1d),
		"a kernel": reported(t, []string{"../../testdata/il/pldi_v1.il"}),
		"a batch":  reported(t, conv1d, []string{"../../examples/programs/blur.vsh", "../../examples/programs/blur.psh"}),
	}
	list["a pair in the dark"] = dark(list["a pair"])
	return list
}

// dark returns a page as shown to users who prefer a dark colour scheme.
func dark(page string) string {
	return strings.NewReplacer("(prefers-color-scheme: dark)", "all", "color-scheme: light dark",
		"color-scheme: dark").Replace(page)
}

// TestPages checks that pages are valid and accessible.
func TestPages(t *testing.T) {
	browser := tools.NeedProgram(t, tools.Browsers...)
	modules := installed(t)
	axe, err := os.ReadFile(filepath.Join(modules, "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	for name, page := range pages(t) {
		t.Run(name, func(t *testing.T) {
			whole, boxes := unpacked(t, page)
			for _, text := range []string{page, whole} {
				file := filepath.Join(t.TempDir(), "page.html")
				if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
				if out, err := exec.Command(filepath.Join(modules, ".bin", "html-validate"), "--preset", "recommended",
					file).CombinedOutput(); err != nil {
					t.Errorf("%v\n%s", err, out)
				}
			}
			seen := look(t, browser, page, string(axe))
			if seen.Folded != 0 {
				t.Errorf("%d parts are folded in print", seen.Folded)
			}
			if want := strings.Count(whole, "<tr class="); seen.Packed != 0 || seen.Rows != want ||
				(boxes > 0) != (name == "a batch") {
				t.Errorf("of %d boxes %d stay packed, and there are %d rows, not %d", boxes, seen.Packed, seen.Rows, want)
			}
			if seen.Checked < 10 {
				t.Errorf("%d rules of axe hold", seen.Checked)
			}
			for _, v := range seen.Violations {
				t.Error(v)
			}
		})
	}
}

// TestKeyboard checks that sliders go from the input programs to the output, and that arrow keys
// move from line to line.
func TestKeyboard(t *testing.T) {
	seen := look(t, tools.NeedProgram(t, tools.Browsers...), reported(t, conv1d), "")
	if seen.Row != 1 || !seen.Lit {
		t.Errorf("the arrow goes to row %d, and its origin is marked: %v", seen.Row, seen.Lit)
	}
	if len(seen.First) != 2 || !strings.Contains(seen.First[1], "rcp r0.w, c3.x\n") ||
		!strings.Contains(seen.Last[0], "add r0.xy, c0, v1\n") || strings.Contains(seen.Last[1], "rcp") {
		t.Errorf("from\n%s\nto\n%s", strings.Join(seen.First, "\n"), strings.Join(seen.Last, "\n"))
	}
	if !strings.Contains(seen.Said, "; 7 pixel slots, 6 vertex slots") {
		t.Errorf("it says %q", seen.Said)
	}
}

// TestLargest checks that the page of the largest pair of the corpus is small enough to send, and
// opens. It logs the time.
func TestLargest(t *testing.T) {
	pair := "../../../shared/corpus/d3d9/pairs/Terrain_TerrainMaterialHolesPom__t0_p0/"
	if _, err := os.Stat(pair); err != nil {
		t.Skipf("skipped: %v", err)
	}
	page := reported(t, []string{pair + "vs.vso", pair + "ps.pso"})
	if len(page) > 2<<20 {
		t.Errorf("%d bytes", len(page))
	}
	if os.Getenv("SHADERLIFT_PLAYGROUND") == "" {
		return
	}
	seen := look(t, tools.NeedProgram(t, tools.Browsers...), page, "")
	t.Logf("%d bytes are drawn in %.0f ms", len(page), seen.Drawn)
}

// seen is the report of a browser about a page.
type seen struct {
	Failed          string
	Drawn           float64
	Row             int
	Lit             bool
	First, Last     []string
	Said            string
	Folded, Checked int
	Packed, Rows    int
	Violations      []string
}

// look opens a page in a browser, after running a script, and returns the browser's report.
func look(t *testing.T, browser, page, before string) (s seen) {
	t.Helper()
	script, err := os.ReadFile("testdata/browser.js")
	if err != nil {
		t.Fatal(err)
	}
	server := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s<script>%s</script><script>%s</script>", page, before, script)
	})
	data := tools.BrowserAnswer(t, browser, func() http.Handler { return server }, "/")
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	if s.Failed != "" {
		t.Fatal(s.Failed)
	}
	return s
}

package htmlreport_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/tools"
)

// pages returns pages that together contain every part of a page.
func pages(t *testing.T) map[string]string {
	return map[string]string{
		"a pair":    reported(t, conv1d),
		"a kernel":  reported(t, []string{"../../testdata/il/pldi_v1.il"}),
		"a batch":   reported(t, conv1d, []string{"../../examples/programs/blur.vsh", "../../examples/programs/blur.psh"}),
		"an effect": reported(t, []string{"../../examples/effects/arrays/Lit.fxb"}),
		"a search":  tuned(t),
	}
}

// TestPages checks that pages are valid and accessible, wide and narrow, light and dark.
func TestPages(t *testing.T) {
	judges := tools.NeedJudges(t)
	for name, page := range pages(t) {
		t.Run(name, func(t *testing.T) {
			whole, _ := unpacked(t, page)
			judges.Validate(t, page)
			judges.Validate(t, whole)
			judges.CheckViews(t, func() http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, page) })
			}, "/", "unpacked")
		})
	}
}

// TestOpen checks that a page unpacks all parts, and unfolds them for printers.
func TestOpen(t *testing.T) {
	browser := tools.NeedProgram(t, tools.Browsers...)
	for name, page := range pages(t) {
		whole, boxes := unpacked(t, page)
		seen := look(t, browser, page)
		if want := strings.Count(whole, "<tr class="); seen.Folded != 0 || seen.Packed != 0 || seen.Rows != want ||
			(boxes > 0) != (name == "a batch") {
			t.Errorf("%s: of %d boxes %d stay packed, %d parts are folded in print, and there are %d rows, not %d", name,
				boxes, seen.Packed, seen.Folded, seen.Rows, want)
		}
	}
}

// TestKeyboard checks that sliders go from the input programs to the output, and that arrow keys
// move from line to line.
func TestKeyboard(t *testing.T) {
	seen := look(t, tools.NeedProgram(t, tools.Browsers...), reported(t, conv1d))
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
	seen := look(t, tools.NeedProgram(t, tools.Browsers...), page)
	t.Logf("%d bytes are drawn in %.0f ms", len(page), seen.Drawn)
}

// seen is the report of a browser about a page.
type seen struct {
	Failed       string
	Drawn        float64
	Row          int
	Lit          bool
	First, Last  []string
	Said         string
	Folded       int
	Packed, Rows int
}

// look opens a page in a browser, and returns the browser's report.
func look(t *testing.T, browser, page string) (s seen) {
	t.Helper()
	script, err := os.ReadFile("testdata/browser.js")
	if err != nil {
		t.Fatal(err)
	}
	server := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s<script>%s</script>", page, script)
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

package htmlreport_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/tools"
)

// narrow is a page that shows the report in a frame 390 pixels wide, completely unfolded, and
// measures the width of the content.
const narrow = `<!DOCTYPE html><html lang="en"><title>narrow</title>
<iframe src="/page" width="390" height="900" style="border: 0"></iframe>
<script>addEventListener("load", () => {
  const page = document.querySelector("iframe").contentDocument;
  for (const d of page.querySelectorAll("details")) d.open = true;
  fetch("/seen", {method: "POST", body: JSON.stringify({Width: page.documentElement.scrollWidth, Tables: page.querySelectorAll("table").length})});
});</script>`

// TestNarrow checks that pages fit into a window 390 pixels wide.
func TestNarrow(t *testing.T) {
	browser := tools.NeedProgram(t, tools.Browsers...)
	for name, page := range pages(t) {
		t.Run(name, func(t *testing.T) {
			server := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/page" {
					fmt.Fprint(w, page)
					return
				}
				fmt.Fprint(w, narrow)
			})
			var seen struct{ Width, Tables int }
			if err := json.Unmarshal(tools.BrowserAnswer(t, browser, func() http.Handler { return server }, "/"),
				&seen); err != nil {
				t.Fatal(err)
			}
			if seen.Width > 390 || seen.Tables == 0 {
				t.Errorf("%d tables, %d pixels", seen.Tables, seen.Width)
			}
		})
	}
}

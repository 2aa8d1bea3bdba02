package tools

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Judges check pages: axe-core for the accessibility rules of WCAG, html-validate for the rules of HTML.
type Judges struct{ browser, axe, validator string }

// judges are the packages of npm with the judges.
var judges = []string{"axe-core@4.14.1", "html-validate@10.17.0"}

// NeedJudges installs the judges. It skips the test if that is impossible, or if there is no browser.
func NeedJudges(t *testing.T) *Judges {
	t.Helper()
	j := &Judges{browser: NeedProgram(t, Browsers...)}
	npm, dir := NeedProgram(t, "npm"), t.TempDir()
	cmd := exec.Command(npm, append([]string{"install", "--no-audit", "--no-fund", "--prefix", dir}, judges...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("skipped: npm cannot install %s: %v: %s", strings.Join(judges, ", "), err, out)
	}
	axe, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	j.axe, j.validator = string(axe), filepath.Join(dir, "node_modules", ".bin", "html-validate")
	return j
}

// Validate checks that a page is valid HTML.
func (j *Judges) Validate(t *testing.T, page string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(page), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(j.validator, "--preset", "recommended", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// views shows a page in frames of each width and colour scheme. It runs the setup there, waits for its promise,
// unfolds everything, and lets axe check the result. A frame has the colour scheme of its element.
const views = `<!DOCTYPE html><html lang="en"><title>views</title>
<script>
const beat = () => fetch("/at?views").catch(() => {});
setInterval(beat, 1000);
const look = async (width, dark) => {
  const frame = Object.assign(document.createElement("iframe"), {width, height: 900, src: PATH});
  frame.style = "border: 0; color-scheme: " + (dark ? "dark" : "light");
  await new Promise(loaded => { frame.onload = loaded; document.body.append(frame); });
  const w = frame.contentWindow, page = w.document;
  await w.eval(SETUP);
  for (const d of page.querySelectorAll("details")) d.open = true;
  page.head.append(Object.assign(page.createElement("style"), {textContent: "* { content-visibility: visible !important; transition: none !important }"}));
  w.eval(AXE);
  const found = await w.axe.run(page);
  const wide = [...page.body.querySelectorAll("*")].filter(e => e.getBoundingClientRect().right > width + 1).slice(0, 3);
  const view = {name: width + " pixels, " + (dark ? "dark" : "light"), checked: found.passes.length, width, scheme: w.matchMedia("(prefers-color-scheme: dark)").matches === dark,
    content: page.documentElement.scrollWidth, wide: wide.map(e => e.outerHTML.slice(0, 120)),
    violations: found.violations.map(v => v.id + ": " + v.help + ": " + v.nodes.length + " times, such as " + v.nodes[0].html.slice(0, 200) + ": " + v.nodes[0].failureSummary)};
  frame.remove();
  return view;
};
addEventListener("load", async () => {
  const answer = {views: []};
  try {
    for (const width of [390, 1280]) for (const dark of [false, true]) answer.views.push(await look(width, dark));
  } catch (e) {
    answer.failed = String(e.stack || e);
  }
  fetch("/seen", {method: "POST", body: JSON.stringify(answer)});
});
</script>
<body></body></html>`

// CheckViews opens the page at path in windows 390 and 1280 pixels wide, light and dark. It checks that axe finds no
// violation and that nothing overflows. setup is a script that may return a promise, which ends before the check.
func (j *Judges) CheckViews(t *testing.T, server func() http.Handler, path, setup string) {
	t.Helper()
	page := views
	for name, text := range map[string]string{"PATH": path, "SETUP": setup, "AXE": j.axe} {
		data, _ := json.Marshal(text) // < is escaped, so the text cannot end the script
		page = strings.Replace(page, name, string(data), 1)
	}
	data := BrowserAnswer(t, j.browser, func() http.Handler {
		s := server()
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/views" {
				fmt.Fprint(w, page)
				return
			}
			s.ServeHTTP(w, r)
		})
	}, "/views")
	var seen struct {
		Failed string
		Views  []struct {
			Name                    string
			Width, Content, Checked int
			Scheme                  bool
			Wide, Violations        []string
		}
	}
	if err := json.Unmarshal(data, &seen); err != nil {
		t.Fatal(err)
	}
	if seen.Failed != "" || len(seen.Views) != 4 {
		t.Fatalf("%d views: %s", len(seen.Views), seen.Failed)
	}
	for _, v := range seen.Views {
		if v.Content > v.Width {
			t.Errorf("%s: the content has %d pixels, such as %s", v.Name, v.Content, strings.Join(v.Wide, "\n"))
		}
		if v.Checked < 10 || !v.Scheme {
			t.Errorf("%s: %d rules of axe hold, and the colour scheme is used: %v", v.Name, v.Checked, v.Scheme)
		}
		for _, text := range v.Violations {
			t.Errorf("%s: %s", v.Name, text)
		}
	}
}

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/internal/test/tools"
	"github.com/shaderlift/shaderlift/passes/suite"
)

// site is the folder of the page, built once for all tests.
var site = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "playground-test"); err == nil {
		err = write(dir)
	}
	return dir, err
})

func TestMain(m *testing.M) {
	status := m.Run()
	if made {
		dir, _ := site()
		os.RemoveAll(dir)
	}
	os.Exit(status)
}

var made bool

// needs builds the page for a test with an external program, and skips the test if there is no such
// program.
func needs(t *testing.T, programs ...string) (program, dir string) {
	t.Helper()
	program = tools.NeedProgram(t, programs...)
	made = true
	dir, err := site()
	if err != nil {
		t.Fatal(err)
	}
	return program, dir
}

// want returns the results of all presets, as computed natively.
func want(t *testing.T) (list []*shaderlift.Result) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	all, err := presets(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		var o shaderlift.Options
		if p.Options["HostConstants"] == "mirrored" {
			o.Host.PixelConstants = shaderlift.Mirrored
		}
		o.Target, _ = p.Options["Target"].(shaderlift.Target)
		res, err := shaderlift.Optimize(t.Context(), shaderlift.Input{Files: p.Files}, o)
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		list = append(list, res)
	}
	return list
}

// TestPresets checks that every preset is improved.
func TestPresets(t *testing.T) {
	for _, res := range want(t) {
		if res.Status != shaderlift.Improved {
			t.Errorf("%s is %v", res.Name, res.Status)
		}
	}
}

// answer is the library's answer in a browser.
type answer struct {
	HTML, Status, Error string
	Files               []shaderlift.File
	Language            string
}

// same checks that files equal those of a native result.
func same(t *testing.T, files []shaderlift.File, res *shaderlift.Result) {
	t.Helper()
	if len(files) != len(res.Files) {
		t.Errorf("%s: %d files", res.Name, len(files))
		return
	}
	for i, f := range files {
		if f.Name != res.Files[i].Name || !bytes.Equal(f.Data, res.Files[i].Data) {
			t.Errorf("%s is another one as WebAssembly:\n%s", f.Name, f.Data)
		}
	}
}

// TestNode checks that the library produces the same bytes as WebAssembly in node.
func TestNode(t *testing.T) {
	node, dir := needs(t, "node", "nodejs")
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, node, "testdata/node.js", dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var answers []answer
	if err := json.Unmarshal(out, &answers); err != nil {
		t.Fatal(err)
	}
	results := want(t)
	if len(answers) != len(results)+2 {
		t.Fatalf("%d answers", len(answers))
	}
	for i, res := range results {
		if a := answers[i]; a.Error != "" || a.Status != res.Status.String() || !strings.Contains(a.HTML, "</html>") {
			t.Errorf("%s: %s %s", res.Name, a.Status, a.Error)
		}
		if language := answers[i].Language; (language == "kernels") != (res.Kind == shaderlift.KindKernel) {
			t.Errorf("%s is for %s", res.Name, language)
		}
		same(t, answers[i].Files, res)
	}
	if bad := answers[len(results)].Error; !strings.HasPrefix(bad, "bad.psh:2:1: ") {
		t.Errorf("the error is reported as %q", bad)
	}
	if none := answers[len(results)+1].Error; none == "" {
		t.Error("an empty input is accepted")
	}
}

// TestSize checks the sizes of the page's libraries: unpacked, compressed by gzip as in the folder, and by brotli as
// servers may send them. It also checks the size of the other files.
func TestSize(t *testing.T) {
	brotli, dir := needs(t, "brotli")
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	others := int64(0)
	for _, f := range files {
		if info, err := f.Info(); err != nil {
			t.Error(err)
		} else if libraries[f.Name()] == "" {
			others += info.Size()
		}
	}
	if t.Logf("other files: %d bytes", others); others > 55e3 {
		t.Error("the other files are too large")
	}
	for library := range libraries {
		packed, err := os.ReadFile(filepath.Join(dir, library))
		if err != nil {
			t.Fatal(err)
		}
		r, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		whole, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(brotli, "--quality=11", "--stdout")
		cmd.Stdin = bytes.NewReader(whole)
		sent, err := cmd.Output()
		if t.Logf("%s: %d bytes, packed %d, %d by brotli", library, len(whole), len(packed), len(sent)); err != nil ||
			len(whole) > 15.8e6 || len(packed) > 3.75e6 || len(sent) > 2.51e6 {
			t.Errorf("%s is too large: %v", library, err)
		}
	}
}

// boxes are the names and sizes of the boxes after each action of TestBrowser, the buttons that are enabled, the chosen
// example, and the number of questions whether to discard edits.
const boxes = `example conv1d.vsh:325 conv1d.psh:862 swap 0 0
clear conv1d.vsh:325 conv1d.psh:0 swap  0
remove conv1d.psh:0 add  0
add vertex.vsh:0 conv1d.psh:7 swap  0
swap conv1d.psh:19 vertex.vsh:36 swap  0
refused clear vertex.vsh:36 conv1d.psh:19 swap  1
refused vertex.vsh:36 conv1d.psh:19 swap  2
refused files vertex.vsh:36 conv1d.psh:19 swap  3
agreed blur.vsh:101 blur.psh:753 swap 1 4`

// TestPage checks that the page is valid and accessible, wide and narrow, light and dark, that nothing overflows, and
// that it has each level and target of the command and links to documents of the project.
func TestPage(t *testing.T) {
	_, dir := needs(t, tools.Browsers...)
	data, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	for n := range suite.MaxLevel + 1 {
		if want := fmt.Sprintf(">-O%d</option>", n); !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	for _, name := range shaderlift.Targets() {
		if want := "<option>" + name + "</option>"; !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	links := regexp.MustCompile(`href="https://github.com/shaderlift/shaderlift/blob/main/([^"]*)"`).FindAllStringSubmatch(page, -1)
	if len(links) == 0 {
		t.Error("the page has no documents")
	}
	for _, m := range links {
		if _, err := os.Stat(filepath.Join("../..", m[1])); err != nil {
			t.Error(err)
		}
	}
	judges := tools.NeedJudges(t)
	judges.Validate(t, page)
	judges.CheckViews(t, func() http.Handler { return http.FileServer(http.Dir(dir)) }, "/", "opened")
}

// TestBrowser tests the page in a browser with only the files of the folder. It tests a missing
// library, a page that cannot be kept for offline use, the speed-up of later runs, and every
// preset. It also tests a dropped file, a broken file and its line, each button, questions before
// edits are lost, a reason, a cancelled run, and a run whose worker dies. Further cases are a program that looks like a kernel and the one after it, the link, and
// the page offline in a narrow window.
func TestBrowser(t *testing.T) {
	browser, dir := needs(t, tools.Browsers...)
	script, err := os.ReadFile("testdata/browser.js")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	keeper, err := os.ReadFile(filepath.Join(dir, "sw.js"))
	if err != nil {
		t.Fatal(err)
	}
	data := tools.BrowserAnswer(t, browser, func() http.Handler {
		files := http.FileServer(http.Dir(dir))
		var offline atomic.Bool
		var requests, keepers atomic.Int32
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch path := r.URL.Path; {
			case path == "/offline":
				offline.Store(true)
			case path == "/test":
				fmt.Fprintf(w, "%s<script>%s</script>", page, script)
			case path == "/sw.js" && keepers.Add(1) == 1:
				w.Header().Set("Content-Type", "text/javascript")
				w.Write(bytes.Replace(keeper, []byte(`"./"`), []byte(`"./","missing"`), 1))
			case offline.Load(), path == "/d3d9.bin" && requests.Add(1) == 1:
				http.Error(w, "not now", http.StatusServiceUnavailable)
			default:
				files.ServeHTTP(w, r)
			}
		})
	}, "/test")
	var said struct {
		Failed  string
		Presets []struct {
			Status string
			Files  []shaderlift.File
			Report int
		}
		Timing                                   []float64
		Unloaded, Unkept, Ended                  string
		Dropped, Broken, Alert, Cancelled, Again string
		Other                                    string
		Offline                                  string
		Marked, Numbers, Swapped, Pair, Shown    string
		Boxes, Lines                             []string
		Link, Cooled                             bool
		Left, Tall                               int
		Length                                   int
	}
	if err := json.Unmarshal(data, &said); err != nil {
		t.Fatal(err)
	}
	if said.Failed != "" {
		t.Fatal(said.Failed)
	}
	results := want(t)
	if len(said.Presets) != len(results) {
		t.Fatalf("%d presets", len(said.Presets))
	}
	for i, p := range said.Presets {
		if !strings.HasPrefix(p.Status, results[i].Status.String()+": ") || p.Report < 1000 {
			t.Errorf("%s: %q, a report of %d bytes", results[i].Name, p.Status, p.Report)
		}
		same(t, p.Files, results[i])
	}
	if !strings.Contains(said.Unloaded, "503") || !strings.HasPrefix(said.Unkept, "TypeError: ") {
		t.Errorf("missing files are reported as %q and %q", said.Unloaded, said.Unkept)
	}
	if said.Dropped != "improved" || said.Other != "improved" || !strings.HasPrefix(said.Broken, "bad.psh:2:1: ") ||
		said.Alert != "error" || said.Cancelled != "cancelled" || said.Ended != "the end" || said.Again != "improved" ||
		said.Offline != "improved" || !said.Link {
		t.Errorf("%+v", said)
	}
	if said.Marked != "nonsense" || said.Numbers != "1\n2\n3" {
		t.Errorf("the diagnostic goes to %q; the numbers are %q", said.Marked, said.Numbers)
	}
	if got := strings.Join(said.Boxes, "\n"); got != boxes {
		t.Errorf("after each action the boxes are\n%s, want\n%s", got, boxes)
	}
	if !strings.Contains(said.Swapped, "a pair is VERTEX,PIXEL; swap") || said.Pair != "unchanged" {
		t.Errorf("swapped programs: %q; a pair: %q", said.Swapped, said.Pair)
	}
	if len(said.Lines) != 2 || said.Lines[0] != "unchanged: pixel 4 slots" || !strings.HasPrefix(said.Lines[1],
		"no option helps: of 4 pixel operations, 3 need textures, 1 discards fragments") ||
		!strings.HasPrefix(said.Shown, strings.Join(said.Lines, "\n")) {
		t.Errorf("the reason is %q, shown as %q", said.Lines, said.Shown)
	}
	if said.Tall < 70 {
		t.Errorf("in a narrow window the report has %d %% of the height", said.Tall)
	}
	if !said.Cooled || said.Left != 0 {
		t.Errorf("warm-up runs: ended by a run of the user: %t; %d are left", said.Cooled, said.Left)
	}
	t.Logf("milliseconds: %.0f; the link has %d characters", said.Timing, said.Length)
}

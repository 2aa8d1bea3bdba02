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
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/internal/test/tools"
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

// TestSize checks the sizes of the page's libraries that RATIONALE.md states: unpacked, compressed
// by gzip as in the folder, and by brotli as servers may send them.
func TestSize(t *testing.T) {
	brotli, dir := needs(t, "brotli")
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
			len(whole) > 15.8e6 || len(packed) > 3.75e6 || len(sent) > 2.5e6 {
			t.Errorf("%s is too large: %v", library, err)
		}
	}
}

// TestBrowser tests the page in a browser with only the files of the folder. It tests a missing
// library, a page that cannot be kept for offline use, the speed-up of later runs, and every
// preset. It also tests a dropped file, a broken file, a cancelled run, and a run whose worker
// dies. Further cases are a program that looks like a kernel and the one after it, the link, and
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
		if !strings.HasPrefix(p.Status, results[i].Status.String()+" in ") || p.Report < 1000 {
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
	if said.Tall < 70 {
		t.Errorf("in a narrow window the report has %d %% of the height", said.Tall)
	}
	if !said.Cooled || said.Left != 0 {
		t.Errorf("warm-up runs: ended by a run of the user: %t; %d are left", said.Cooled, said.Left)
	}
	t.Logf("milliseconds: %.0f; the link has %d characters", said.Timing, said.Length)
}

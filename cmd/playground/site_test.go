package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
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
	"github.com/shaderlift/shaderlift/internal/browsertest"
)

// site is the folder of the page, made once for all tests.
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

// needs makes the page for a program to look at it, and skips where there is no such program.
func needs(t *testing.T, programs ...string) (program, dir string) {
	t.Helper()
	program = browsertest.Needs(t, programs...)
	made = true
	dir, err := site()
	if err != nil {
		t.Fatal(err)
	}
	return program, dir
}

// want are the results of all presets as the library has them here.
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
			o.HostConstants = shaderlift.Mirrored
		}
		o.Target, _ = p.Options["Target"].(string)
		res, err := shaderlift.Optimize(t.Context(), shaderlift.Input{Files: p.Files}, o)
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		list = append(list, res)
	}
	return list
}

// Every preset has something to show.
func TestPresets(t *testing.T) {
	for _, res := range want(t) {
		if res.Status != shaderlift.Improved {
			t.Errorf("%s is %v", res.Name, res.Status)
		}
	}
}

// answer is what the library says in a browser.
type answer struct {
	HTML, Status, Error string
	Files               []shaderlift.File
}

// same holds files to those of a result here.
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

// As WebAssembly the library makes the same bytes, in node.
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
		same(t, answers[i].Files, res)
	}
	if bad := answers[len(results)].Error; !strings.HasPrefix(bad, "bad.psh:2:1: ") {
		t.Errorf("what is wrong is told as %q", bad)
	}
	if none := answers[len(results)+1].Error; none == "" {
		t.Error("nothing at all is optimized")
	}
	info, err := os.Stat(filepath.Join(dir, "shaderlift.wasm"))
	if err != nil || info.Size() > 30<<20 {
		t.Errorf("the library has %d bytes: %v", info.Size(), err)
	}
}

// In a browser, with nothing but the files of the folder: every preset, a dropped file, a broken
// one, a run that is cancelled and the one after it, and the link.
func TestBrowser(t *testing.T) {
	browser, dir := needs(t, browsertest.Browsers...)
	script, err := os.ReadFile("testdata/browser.js")
	if err != nil {
		t.Fatal(err)
	}
	var offline atomic.Bool
	files := http.FileServer(http.Dir(dir))
	data := browsertest.Answer(t, browser, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/offline":
			offline.Store(true)
		case "/test":
			page, _ := os.ReadFile(filepath.Join(dir, "index.html"))
			fmt.Fprintf(w, "%s<script>%s</script>", page, script)
		default:
			if offline.Load() {
				http.Error(w, "there is no network", http.StatusServiceUnavailable)
				return
			}
			files.ServeHTTP(w, r)
		}
	}), "/test")
	var page struct {
		Failed  string
		Presets []struct {
			Status string
			Files  []shaderlift.File
			Report int
		}
		Timing                                   []float64
		Dropped, Broken, Alert, Cancelled, Again string
		Offline                                  string
		Link                                     bool
		Length                                   int
	}
	if err := json.Unmarshal(data, &page); err != nil {
		t.Fatal(err)
	}
	if page.Failed != "" {
		t.Fatal(page.Failed)
	}
	results := want(t)
	if len(page.Presets) != len(results) {
		t.Fatalf("%d presets", len(page.Presets))
	}
	for i, p := range page.Presets {
		if !strings.HasPrefix(p.Status, results[i].Status.String()+" in ") || p.Report < 1000 {
			t.Errorf("%s: %q, a report of %d bytes", results[i].Name, p.Status, p.Report)
		}
		same(t, p.Files, results[i])
	}
	if page.Dropped != "improved" || !strings.HasPrefix(page.Broken, "bad.psh:2:1: ") || page.Alert != "error" || page.Cancelled != "cancelled" || page.Again != "improved" || page.Offline != "improved" || !page.Link {
		t.Errorf("%+v", page)
	}
	t.Logf("milliseconds: %.0f; the link has %d characters", page.Timing, page.Length)
}

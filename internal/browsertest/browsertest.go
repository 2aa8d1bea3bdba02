// Package browsertest has pages looked at by a browser, for tests. What it needs beside Go is there
// where SHADERLIFT_PLAYGROUND is set, and tests that cannot have it skip.
package browsertest

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Browsers are the programs that [Answer] runs.
var Browsers = []string{"chromium", "chromium-browser", "google-chrome"}

// Needs is the first of programs that is there. It skips where there is none, or nobody asked.
func Needs(t *testing.T, programs ...string) string {
	t.Helper()
	if os.Getenv("SHADERLIFT_PLAYGROUND") == "" {
		t.Skip("skipped: pages are tried in a browser, and the library in node, with SHADERLIFT_PLAYGROUND=1")
	}
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skipf("skipped: there is none of %s", strings.Join(programs, ", "))
	return ""
}

// Answer has a browser open a path of a server, and waits for what a script there posts to /seen.
// What it gets from /at tells how far it has come where that never happens.
func Answer(t *testing.T, browser string, server http.Handler, path string) []byte {
	t.Helper()
	seen := make(chan []byte, 1)
	var progress atomic.Value
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/seen":
			data, _ := io.ReadAll(r.Body)
			seen <- data
		case "/at":
			progress.Store(r.URL.RawQuery)
		default:
			server.ServeHTTP(w, r)
		}
	}))
	defer s.Close()
	ctx, stop := context.WithTimeout(t.Context(), 4*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--user-data-dir="+profile(t), s.URL+path)
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		t.Skipf("skipped: the browser does not start: %v", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case data := <-seen:
		stop()
		<-ended
		return data
	case err := <-ended:
		t.Fatalf("the browser ended before the page was done: %v, after %v", err, progress.Load())
	}
	return nil
}

// profile is a folder for what a browser keeps. Processes of a browser that was stopped go on writing
// there for a moment, so that it is not gone with the first attempt, as one of the test's has to be.
func profile(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "browser-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 50 {
			if err = os.RemoveAll(dir); err == nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Log(err)
	})
	return dir
}

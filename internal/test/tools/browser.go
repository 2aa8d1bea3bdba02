// Package tools runs other tools in tests: a browser ([BrowserAnswer]), judges of pages ([NeedJudges]) and the
// validator of JSON schemas ([ReadSchema]). Its own test runs the generator of assembly. Tests with a browser run only with
// SHADERLIFT_PLAYGROUND set, and skip if the programs that they need besides Go are missing.
package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Browsers are the browsers that [BrowserAnswer] can run.
var Browsers = []string{"chromium", "chromium-browser", "google-chrome"}

// browserFlags start browsers without a screen and without network access except to the test. Their own
// requests (updates, hints, proxies) can take minutes to fail without a network. Timers of hidden pages
// would be slowed down.
var browserFlags = []string{"--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
	"--no-default-browser-check",
	"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic", "--disable-default-apps", "--disable-extensions",
	"--disable-features=OptimizationHints,MediaRouter,Translate", "--no-proxy-server", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
	"--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding"}

const (
	// patience is the time limit for one step of a page; loaded machines are slow.
	patience = 4 * time.Minute
	// pulse is the longest silence of a live page, in any step.
	pulse = time.Minute
)

// NeedProgram returns the first installed program of a list. It skips the test if none is installed, or if
// SHADERLIFT_PLAYGROUND is not set.
func NeedProgram(t *testing.T, programs ...string) string {
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

// BrowserAnswer makes a browser open a path of a server, and returns the data that a script there posts to
// /seen. The script requests /at?STEP repeatedly; a step that takes too long is an error of the page. A
// browser that ends or falls silent has not answered: a new one, with its own server and profile, gets
// one more attempt. An answer is final, whatever its content.
func BrowserAnswer(t *testing.T, browser string, server func() http.Handler, path string) []byte {
	t.Helper()
	data, err := attempt(t, browser, server(), path)
	if errors.Is(err, errBrowser) {
		t.Logf("once more with another browser: %v", err)
		data, err = attempt(t, browser, server(), path)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// errBrowser means that the browser gave no answer.
var errBrowser = errors.New("the browser does not answer")

func attempt(t *testing.T, browser string, server http.Handler, path string) ([]byte, error) {
	t.Helper()
	seen, at := make(chan []byte, 1), make(chan string)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/seen":
			data, _ := io.ReadAll(r.Body)
			select {
			case seen <- data:
			default: // a second answer is dropped
			}
		case "/at":
			select {
			case at <- r.URL.RawQuery:
			case <-ctx.Done():
			}
		default:
			server.ServeHTTP(w, r)
		}
	}))
	defer s.Close()
	dir := profile(t)
	said, err := os.Create(filepath.Join(dir, "said"))
	if err != nil {
		return nil, err
	}
	defer said.Close()
	cmd := exec.CommandContext(ctx, browser, append(browserFlags[:len(browserFlags):len(browserFlags)], "--user-data-dir="+dir, s.URL+path)...)
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		t.Skipf("skipped: the browser does not start: %v", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	step, begun, heard := "start", time.Now(), time.Now()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case data := <-seen:
			stop()
			<-ended
			return data, nil
		case now := <-at:
			heard = time.Now()
			if now != step {
				step, begun = now, heard
			}
		case err := <-ended:
			return nil, fmt.Errorf("%w: it ended at %s: %v%s", errBrowser, step, err, tail(said.Name()))
		case <-tick.C:
			if time.Since(begun) < patience {
				continue
			}
			stop()
			<-ended
			if time.Since(heard) < pulse {
				return nil, fmt.Errorf("the page stays at %s", step)
			}
			return nil, fmt.Errorf("%w: nothing was heard from it since %s%s", errBrowser, step, tail(said.Name()))
		}
	}
}

// tail returns the end of a browser's output.
func tail(name string) string {
	data, _ := os.ReadFile(name)
	return "\n" + string(data[max(0, len(data)-2000):])
}

// profile creates a folder for a browser's profile. Processes of a stopped browser continue writing
// there for a moment, so a folder of the test, which must be removable, does not suffice.
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

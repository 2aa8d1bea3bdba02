package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
)

// TestConv1D runs the README's command: the report has the savings, then the text follows.
func TestConv1D(t *testing.T) {
	t.Chdir("../..")
	stdout, stderr := command(t, "opt", "--target", "d3d9", "testdata/conv1d/conv1d.vsh,testdata/conv1d/conv1d.psh")
	if !strings.HasPrefix(stderr, "conv1d: improved: pixel 16 -> 7 slots") || !strings.Contains(stderr, "; verified") {
		t.Errorf("report:\n%s", stderr)
	}
	vertex, pixel := strings.Index(stdout, "\nvs_1_1\n"), strings.Index(stdout, "\nps_2_0\n")
	if !strings.HasPrefix(stdout, "// testdata/conv1d/conv1d.vsh\n") || vertex < 0 || pixel < vertex ||
		strings.Count(stdout, "texld") != 3 {
		t.Errorf("text:\n%s", stdout)
	}
}

func TestStatusOf(t *testing.T) {
	for _, test := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("usage"), 1},
		{asm.Errorf(asm.Pos{}, "code", "message"), 1},
		{errors.Join(shaderlift.ErrFit, asm.Diags{}), 2},
		{errors.Join(shaderlift.ErrRefused), 3},
		{&shaderlift.Fault{Err: errors.New("oops")}, 4},
	} {
		if got := statusOf(test.err); got != test.want {
			t.Errorf("%v ends with %d, want %d", test.err, got, test.want)
		}
	}
}

// TestFaultIsNamed checks that a fault writes a reproducer next to the output, and its name to the
// report.
func TestFaultIsNamed(t *testing.T) {
	for _, test := range []struct {
		err    error
		status int
	}{
		{nil, statusFault}, // contained: the output is valid
		{shaderlift.ErrRefused, statusRefused},
	} {
		dir := t.TempDir()
		var stderr bytes.Buffer
		a := &app{err: &stream{Writer: &stderr}, status: statusOf(test.err)}
		res := &shaderlift.Result{Name: "some/water,glow", Faults: []*shaderlift.Fault{{Err: errors.New("oops"),
			Input: shaderlift.Input{Files: []shaderlift.File{{Name: "water.psh", Data: []byte("ps_2_0\n")}}}}}}
		a.faults(a.human(false, false), res, test.err, dir)
		found, _ := filepath.Glob(filepath.Join(dir, "shaderlift-fault-some_water_glow-*.txtar"))
		if len(found) != 1 || !strings.Contains(stderr.String(), found[0]) {
			t.Fatalf("found %v; printed %s", found, &stderr)
		}
		data, err := os.ReadFile(found[0])
		if err != nil || !bytes.Contains(data, []byte("-- water.psh --\nps_2_0\n")) {
			t.Errorf("reproducer:\n%s", data)
		}
		if a.status != test.status {
			t.Errorf("status %d, want %d", a.status, test.status)
		}
	}
}

// TestBatchIsFlat checks that a batch holds few inputs at a time, and returns them in order.
func TestBatchIsFlat(t *testing.T) {
	const inputs, workers = 500, 4
	args := make([]string, inputs)
	for i := range args {
		args[i] = "-"
	}
	var held, most atomic.Int64
	a := &app{ctx: context.Background(), in: stdin{r: strings.NewReader("")}}
	started := 0
	work := func(shaderlift.Input) (*shaderlift.Result, error) {
		if n := held.Add(1); n > most.Load() {
			most.Store(n)
		}
		return &shaderlift.Result{}, nil
	}
	jobs, err := a.listJobs(args)
	if err != nil {
		t.Fatal(err)
	}
	err = a.batch(jobs, workers, work, nil, func(*outcome) {
		if started++; started == 1 {
			time.Sleep(20 * time.Millisecond) // let the workers advance as far as they can
		}
		held.Add(-1)
	})
	if err != nil {
		t.Fatal(err)
	}
	if started != inputs {
		t.Fatalf("%d of %d inputs", started, inputs)
	}
	if limit := int64(4 * workers); most.Load() > limit {
		t.Errorf("%d results at a time, want at most %d", most.Load(), limit)
	}
}

// TestAtomicWrite checks that a failure leaves neither a partial nor a temporary file.
func TestAtomicWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := writeFile(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	var s stagedFiles
	if err := s.stageFile(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if err := s.stageFile(filepath.Join(path, "b"), nil); err == nil {
		t.Fatal("a file was made below a file")
	}
	s.discard()
	if data, err := os.ReadFile(path); err != nil || string(data) != "old" {
		t.Errorf("the old file holds %q, %v", data, err)
	}
	if names, _ := os.ReadDir(dir); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
	if err := writeFile(os.DevNull, []byte("gone")); err != nil {
		t.Errorf("a device: %v", err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Error("a device was replaced by a file")
	}
}

// TestBrief checks that a long list of diagnostics is cut, wrapped or not, and that a short one is
// printed completely.
func TestBrief(t *testing.T) {
	var ds asm.Diags
	for i := range 2 * maxDiags {
		ds = append(ds, asm.Errorf(asm.Pos{File: "a.psh", Line: i + 1, Col: 1}, "code", "message"))
	}
	noSources := sources(func(string) []byte { return nil })
	for _, err := range []error{ds, fmt.Errorf("%w: %w", shaderlift.ErrFit, ds)} {
		text := noSources.brief(err)
		if n := strings.Count(text, "[code]"); n != maxDiags ||
			!strings.HasSuffix(text, "a.psh:20:1: message [code]\nand 20 more") {
			t.Errorf("%d diagnostics:\n%s", n, text)
		}
	}
	if few := ds[:maxDiags]; noSources.brief(few) != few.Error() {
		t.Errorf("cut:\n%s", noSources.brief(few))
	}
}

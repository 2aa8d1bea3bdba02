package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shaderlift/shaderlift"
)

// full is a device without free space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// TestFullDevice checks that all commands that print to standard output fail if writing fails.
func TestFullDevice(t *testing.T) {
	t.Chdir("../..")
	const vertex, pixel = "testdata/conv1d/conv1d.vsh", "testdata/conv1d/conv1d.psh"
	for _, args := range []string{
		"opt " + pixel, "opt -n --report - " + pixel,
		"stats " + pixel, "stats --format json " + pixel, "stats --format csv " + pixel, "stats --listing " + pixel,
		"verify " + pixel + " " + pixel, "verify --format json " + pixel + " " + pixel,
		"run " + vertex + "," + pixel, "dis " + pixel, "passes", "passes dce", "version", "--help", "help opt",
	} {
		var stderr bytes.Buffer
		if status := run(context.Background(), strings.Fields(args), strings.NewReader(""), full{},
			&stderr); status != statusInput {
			t.Errorf("%s ends with %d:\n%s", args, status, &stderr)
		}
		if !strings.Contains(stderr.String(), "no space left on device") {
			t.Errorf("%s says:\n%s", args, &stderr)
		}
	}
	if status := run(context.Background(), []string{"opt", "-n", pixel}, strings.NewReader(""), io.Discard,
		full{}); status != statusInput {
		t.Errorf("a report that is lost ends with %d", status)
	}
}

// TestInterrupt checks that an interrupt ends a batch between inputs, with the written results and
// only those in the report.
func TestInterrupt(t *testing.T) {
	t.Chdir(t.TempDir())
	var list strings.Builder
	for i := range 40 {
		name := fmt.Sprintf("p%02d.psh", i)
		fmt.Fprintln(&list, name)
		if err := os.WriteFile(name, []byte("ps_2_0\ndcl t0\nmov r0, t0\nmov oC0, r0\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile("list", []byte(list.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var stderr bytes.Buffer
	status := run(ctx, []string{"opt", "-j", "2", "-o", "out", "--report", "report.json", "@list"},
		strings.NewReader(""), io.Discard, io.MultiWriter(&stderr, &trigger{lines: 5, f: cancel}))
	if status != statusInput {
		t.Errorf("an interrupt ends with %d", status)
	}
	data, err := os.ReadFile("report.json")
	if err != nil {
		t.Fatal(err)
	}
	var report shaderlift.Report
	if err := json.Unmarshal(data, &report); err != nil {
		t.Fatal(err)
	}
	written, _ := filepath.Glob("out/*")
	if n := len(report.Results); !strings.Contains(stderr.String(), fmt.Sprintf("\n%d of 40 inputs: ", n)) {
		t.Errorf("the total is not that of %d inputs:\n%s", n, &stderr)
	}
	if n := len(report.Results); n < 5 || n >= 40 || n != len(written) {
		t.Errorf("%d inputs in the report, %d files written", n, len(written))
	}
	if left, _ := filepath.Glob(".*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestInterruptOne checks that a command for one input ends immediately.
func TestInterruptOne(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	in, out := io.Pipe() // no data ever arrives
	defer out.Close()
	var stderr bytes.Buffer
	go cancel()
	if status := run(ctx, []string{"dis", "-"}, in, io.Discard, &stderr); status != statusInput ||
		!strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("ends with %d: %s", status, &stderr)
	}
}

// trigger calls f after the given number of lines.
type trigger struct {
	lines int
	f     func()
}

func (w *trigger) Write(b []byte) (int, error) {
	if w.lines -= bytes.Count(b, []byte("\n")); w.lines <= 0 {
		w.f()
	}
	return len(b), nil
}

// TestThere checks that equal files are only touched, and that a different, missing or special file
// causes both to be written.
func TestThere(t *testing.T) {
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "a.vsh"), filepath.Join(dir, "a.psh")}
	data := [][]byte{[]byte("vs_2_0\n"), []byte("ps_2_0\n")}
	for i, path := range paths {
		if there(paths, data, nil) {
			t.Fatalf("%d of two files are taken for both", i)
		}
		if err := os.WriteFile(path, data[i], 0o666); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-time.Hour)
	before, err := os.Stat(paths[0])
	if err != nil || os.Chtimes(paths[0], old, old) != nil {
		t.Fatal(err)
	}
	if !there(paths, data, nil) {
		t.Fatal("files that are there are not found")
	}
	after, err := os.Stat(paths[0])
	if err != nil || !os.SameFile(before, after) || time.Since(after.ModTime()) > time.Minute {
		t.Errorf("the file is another one, or as old as it was: %v, %v", after.ModTime(), err)
	}
	if there(paths, [][]byte{data[0], []byte("ps_2_x\n")}, nil) {
		t.Error("another file is taken for the one that is to be there")
	}

	// found stays valid until the file is written.
	found := unchangedFiles(paths, data)
	if found == nil || !there(paths, data, found) {
		t.Error("files are not where they were found")
	}
	if !there(paths, data, found) { // there has set its times
		t.Error("files that were touched are not looked at again")
	}
	found = unchangedFiles(paths, data)
	if err := os.WriteFile(paths[1], []byte("ps_2_x\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if there(paths, data, found) {
		t.Error("a file that was written to since is taken for what was found")
	}
}

// TestSymbolicLinks checks that output to a symbolic link goes to its target, through other links,
// existing or not. A cycle is an error, and two names of one file count as one.
func TestSymbolicLinks(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, d := range []string{"far", "near"} {
		if err := os.Mkdir(at(d), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"near/a": "../far/a", "near/b": "a", "near/new": "../far/new",
		"near/circle": "circle", "dir": "near", "dir2": "far"} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	if err := os.WriteFile(at("far/a"), []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	for link, file := range map[string]string{"near/b": "far/a", "near/new": "far/new", "dir/b": "far/a"} {
		text := []byte("through " + link)
		if err := writeFile(at(link), text); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(at(file)); err != nil || !bytes.Equal(data, text) {
			t.Errorf("%s holds %q, %v", file, data, err)
		}
		if info, err := os.Lstat(at(link)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more: %v", link, err)
		}
		if !there([]string{at(link)}, [][]byte{text}, nil) {
			t.Errorf("what is written to %s is not there", link)
		}
	}
	if err := writeFile(at("near/circle"), nil); err == nil {
		t.Error("a circle of links was written to")
	}
	os.Remove(at("far/new"))
	if a, b := place(at("near/new")), place(at("dir2/new")); a != b {
		t.Errorf("one file is %s and %s", a, b)
	}
	if names, _ := filepath.Glob(at("*/.*")); len(names) > 0 {
		t.Errorf("left behind: %v", names)
	}
}

// TestStrangeNames checks that names stay within their line and are escaped: the programs of a pair
// are printed below a comment with the name, and terminals interpret control characters.
func TestStrangeNames(t *testing.T) {
	const strange = "a\x1b[2J\nnop"
	dir := t.TempDir()
	vertex, pixel := filepath.Join(dir, strange+".vsh"), filepath.Join(dir, "a.psh")
	programs := map[string]string{vertex: "vs_2_0\ndcl_position v0\nmov oPos, v0\n",
		pixel: "ps_2_0\nmov r0, c0\nmov oC0, r0\n"}
	for path, text := range programs {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Skipf("this file system allows no control characters in names: %v", err)
		}
	}
	for _, args := range [][]string{{"opt", vertex + "," + pixel}, {"opt", "-v", vertex}, {"opt", dir},
		{"stats", vertex}, {"explain", vertex}} {
		var stdout, stderr bytes.Buffer
		if status := run(t.Context(), args, strings.NewReader(""), &stdout, &stderr); status != statusDone {
			t.Errorf("%q ends with %d", args, status)
		}
		for _, out := range []string{stdout.String(), stderr.String()} {
			if strings.Contains(out, "\x1b") || strings.Contains(out, "\nnop") {
				t.Errorf("%q prints %q", args, out)
			}
		}
	}
	if err := os.WriteFile(vertex, []byte("vs_2_0\nfoo\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"opt", "stats", "explain"} {
		var stdout, stderr bytes.Buffer
		if status := run(t.Context(), []string{command, vertex}, strings.NewReader(""), &stdout,
			&stderr); status != statusInput {
			t.Errorf("%s of no program ends with %d", command, status)
		}
		if out := stdout.String() + stderr.String(); strings.Contains(out, "\x1b") || strings.Contains(out, "\nnop") {
			t.Errorf("%s prints %q", command, out)
		}
	}
}

// TestClaim checks that a claim holds for each name of the file.
func TestClaim(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(os.MkdirAll("dir/sub", 0o777), os.WriteFile("dir/there", nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"near": "dir", "link": "dir/there", "later": "near/new", "again": "later"} {
		if err := os.Symlink(to, name); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	var p paths
	for _, path := range []string{"dir/there", "dir/new"} {
		if err := p.writes(path, path); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"dir/there": "dir/there", "near/there": "dir/there", "link": "dir/there", "dir/sub/../there": "dir/there", "link/": "dir/there",
		"dir/new": "dir/new", "near/./new": "dir/new", "later": "dir/new", "again": "dir/new",
		"new": "", "there": "", "dir/sub/new": "", "dir/other": "", "dir": "", ".": "", "none/there": "", stdinName: "",
	} {
		if got, taken := p.claim(path); got != want || taken != (want != "") {
			t.Errorf("%s: %q, %v, want %q", path, got, taken, want)
		}
	}
}

// TestReadOnly checks that a read-only file is not replaced, and that then no file of the result is written.
func TestReadOnly(t *testing.T) {
	t.Chdir("../..")
	out := t.TempDir()
	protected := filepath.Join(out, "conv1d.psh")
	if err := os.WriteFile(protected, []byte("kept"), 0o444); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	args := []string{"opt", "-o", out, "testdata/conv1d/conv1d.vsh,testdata/conv1d/conv1d.psh"}
	if status := run(context.Background(), args, strings.NewReader(""), io.Discard, &stderr); status != statusInput ||
		!strings.Contains(stderr.String(), "conv1d.psh: cannot be written: it is read-only") {
		t.Errorf("status %d:\n%s", status, &stderr)
	}
	if data, err := os.ReadFile(protected); err != nil || string(data) != "kept" {
		t.Errorf("the file has %q (%v)", data, err)
	}
	if list, err := os.ReadDir(out); err != nil || len(list) != 1 {
		t.Errorf("the directory has %v (%v)", list, err)
	}
}

package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/bench/internal/root"
)

var made = time.Date(2020, 2, 2, 20, 20, 20, 0, time.UTC)

// TestRelease builds a release for this system twice, and compares and uses it.
func TestRelease(t *testing.T) {
	if err := root.Enter(); err != nil {
		t.Fatal(err)
	}
	system := runtime.GOOS + "/" + runtime.GOARCH
	dirs := []string{t.TempDir(), t.TempDir()}
	for _, dir := range dirs {
		if err := release(dir, []string{system}, "0123456789ab", made); err != nil {
			t.Fatal(err)
		}
	}
	first, second := contents(t, dirs[0]), contents(t, dirs[1])
	for name := range first {
		if !bytes.Equal(first[name], second[name]) {
			t.Errorf("%s differs between two runs", name)
		}
	}
	if len(first) != 3 || len(second) != 3 {
		t.Errorf("there are %d and %d files, want an archive, its checksum and the materials", len(first), len(second))
	}
	for _, line := range strings.Split(strings.TrimSpace(string(first["SHA256SUMS"])), "\n") {
		sum, name, _ := strings.Cut(line, "  ")
		if sum != fmt.Sprintf("%x", sha256.Sum256(first[name])) {
			t.Errorf("the checksum of %q is wrong", name)
		}
	}
	name := fmt.Sprintf("shaderlift-%s-%s-%s", shaderlift.Version, runtime.GOOS, runtime.GOARCH)
	if runtime.GOOS == "windows" {
		return
	}
	dir := t.TempDir()
	members := untar(t, first[name+".tar.gz"])
	for _, f := range members {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, f.name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, f.name), f.data, f.mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"LICENSE", "THIRD-PARTY-LICENSES", "README.md", "CHANGELOG.md", "man/shaderlift-opt.1",
		"completions/shaderlift.zsh"} {
		if _, err := os.Stat(filepath.Join(dir, name, want)); err != nil {
			t.Error(err)
		}
	}
	out, err := exec.Command(filepath.Join(dir, name, "shaderlift"), "--version").CombinedOutput()
	if want := "shaderlift " + shaderlift.Version + " (commit 0123456789ab)\n"; err != nil || string(out) != want {
		t.Errorf("--version prints %q (%v), want %q", out, err, want)
	}
	checkBill(t, first[fmt.Sprintf("shaderlift-%s.spdx.json", shaderlift.Version)])
}

func contents(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, e := range entries {
		if all[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func untar(t *testing.T, data []byte) (files []file) {
	t.Helper()
	packed, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(packed); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files
		} else if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if !h.ModTime.Equal(made) || h.Uid != 0 || h.Uname != "" {
			t.Errorf("%s has the time %v and the owner %d %s", h.Name, h.ModTime, h.Uid, h.Uname)
		}
		files = append(files, file{h.Name, data, os.FileMode(h.Mode)})
	}
}

// checkBill checks the members that SPDX 2.3 demands (section 7 to 11), and all references.
func checkBill(t *testing.T, text []byte) {
	t.Helper()
	var d spdxDocument
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	known := []string{d.ID}
	var names []string
	for _, p := range d.Packages {
		known, names = append(known, p.ID), append(names, p.Name)
		if p.Name == "" || p.Location == "" || p.Declared == "" || strings.ContainsAny(p.ID, "/@_ ") {
			t.Errorf("a package is incomplete: %+v", p)
		}
	}
	for _, r := range d.Relations {
		if !slices.Contains(known, r.From) || !slices.Contains(known, r.To) {
			t.Errorf("%s %s %s: no such element", r.From, r.Type, r.To)
		}
	}
	if d.Version != "SPDX-2.3" || d.Licence != "CC0-1.0" || d.Creation.Created != "2020-02-02T20:20:20Z" ||
		len(d.Relations) != len(d.Packages) || !slices.Contains(names, "std") ||
		!slices.Contains(names, "github.com/spf13/cobra") {
		t.Errorf("the bill is incomplete: %s", text)
	}
}

// TestPackZip checks the archive for Windows.
func TestPackZip(t *testing.T) {
	files := []file{{"b/c.txt", []byte("two"), 0o644}, {"a.exe", []byte("one"), 0o755}}
	data, err := pack("folder", files, made, true)
	if err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range r.File {
		names = append(names, f.Name)
		if !f.Modified.Equal(made) {
			t.Errorf("%s has the time %v", f.Name, f.Modified)
		}
	}
	if !slices.Equal(names, []string{"folder/a.exe", "folder/b/c.txt"}) {
		t.Errorf("the members are %v", names)
	}
	again, err := pack("folder", []file{files[1], files[0]}, made, true)
	if err != nil || !bytes.Equal(again, data) {
		t.Errorf("the bytes depend on the order of the files (%v)", err)
	}
}

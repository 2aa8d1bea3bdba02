//go:build unix

package main

import (
	"bytes"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/shaderlift/shaderlift/passes"
)

// oddFiles create special files at path.
var oddFiles = map[string]func(path string) error{
	"pipe":           func(path string) error { return syscall.Mkfifo(path, 0o666) },
	"directory":      func(path string) error { return os.Mkdir(path, 0o777) },
	"link to device": func(path string) error { return os.Symlink("/dev/zero", path) },
	"link to pipe": func(path string) error {
		return errors.Join(syscall.Mkfifo(path+".pipe", 0o666), os.Symlink(filepath.Base(path)+".pipe", path))
	},
	"circle": func(path string) error { return os.Symlink(filepath.Base(path), path) },
	"socket": func(path string) error {
		short := filepath.Join(os.TempDir(), "shaderlift-test.sock") // socket names must be short
		os.Remove(short)
		l, err := net.Listen("unix", short)
		if err != nil {
			return err
		}
		l.(*net.UnixListener).SetUnlinkOnClose(false)
		return errors.Join(l.Close(), os.Rename(short, path))
	},
}

// TestCacheOddFiles checks that a special file in the cache counts as a damaged entry, and is
// replaced.
func TestCacheOddFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := writeFile("a.psh", []byte(movPixel)); err != nil {
		t.Fatal(err)
	}
	defer func(old []*passes.Pass) { injected = old }(injected)
	injected = nil // results of other passes are not cached
	opt := func(what string) {
		var stdout, stderr bytes.Buffer
		if status := run(t.Context(), []string{"opt", "--cache", "cache", "a.psh"}, strings.NewReader(""), &stdout,
			&stderr); status != statusDone {
			t.Errorf("%s: ends with %d:\n%s", what, status, &stderr)
		}
		if strings.Contains(stderr.String(), "cache") {
			t.Errorf("%s: says:\n%s", what, &stderr)
		}
	}
	opt("new")
	for what, odd := range oddFiles {
		files := filesBelow("cache")
		if len(files) != 2 {
			t.Fatalf("%s: %d files", what, len(files))
		}
		for _, f := range files {
			if err := errors.Join(os.Remove(f.path), odd(f.path)); err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			opt(what)
			if info, err := os.Lstat(f.path); err != nil || !info.Mode().IsRegular() {
				t.Errorf("%s: %v, %v is left", what, info, err)
			}
		}
	}
}

// TestOddFilesUnasked checks that special files are errors if no argument names them: journals in
// an output folder, data of cases.
func TestOddFilesUnasked(t *testing.T) {
	t.Chdir(t.TempDir())
	kernel := "il_ps_2_0\ndcl_output_generic o0\nmov o0, g[0]\nend\n"
	if err := errors.Join(writeFile("a.psh", []byte(movPixel)), writeFile("k.il", []byte(kernel)),
		writeFile("k.case", []byte("domain 1 1\nglobal 1 file words\n"))); err != nil {
		t.Fatal(err)
	}
	for what, odd := range oddFiles {
		for _, test := range []struct{ path, args string }{
			{filepath.Join(strings.ReplaceAll(what, " ", "-"), journalName),
				"opt -o " + strings.ReplaceAll(what, " ", "-") + "/a.psh a.psh"},
			{"words", "run --case k.case k.il"},
		} {
			os.RemoveAll(test.path)
			if err := errors.Join(os.MkdirAll(filepath.Dir(test.path), 0o777), odd(test.path)); err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			var stdout, stderr bytes.Buffer
			if status := run(t.Context(), strings.Fields(test.args), strings.NewReader(""), &stdout,
				&stderr); status != statusInput {
				t.Errorf("%s: %s ends with %d:\n%s", what, test.args, status, &stderr)
			}
			os.RemoveAll(test.path)
			os.RemoveAll(test.path + ".pipe")
		}
	}
}

// TestLinkedDirectories checks that links to directories are followed, and that each directory is
// visited once.
func TestLinkedDirectories(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"real/a.psh", "real/sub/b.psh", "other/deep/c.psh"} {
		if err := writeFile(name, []byte(movPixel)); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"link": "real", "real/self": ".", "real/up": "..", "real/sub/again": "../sub", "real/twice": "../other/deep", "other/back": "../real",
	} {
		if err := os.Symlink(to, link); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	for arg, want := range map[string]string{
		"link":  "a.psh sub/b.psh twice/c.psh",
		"real":  "a.psh sub/b.psh twice/c.psh",
		"other": "back/a.psh back/sub/b.psh deep/c.psh",
	} {
		os.RemoveAll("real/up") // it leads to all other folders
		var names []string
		a := &app{ctx: t.Context(), in: stdin{r: strings.NewReader("")}}
		a.expand([]string{arg}, func(j job) bool {
			rel, _ := filepath.Rel(arg, j.input)
			names = append(names, rel)
			return len(names) < 100
		})
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s has %s, want %s", arg, got, want)
		}
	}
	if err := os.Symlink("..", "real/up"); err != nil {
		t.Fatal(err)
	}
	n := 0
	(&app{ctx: t.Context(), in: stdin{r: strings.NewReader("")}}).expand([]string{"link"},
		func(job) bool { n++; return n < 100 })
	if n != 3 {
		t.Errorf("%d programs in three folders", n)
	}
	var stdout, stderr bytes.Buffer
	if status := run(t.Context(), []string{"opt", "-o", "out", "link"}, strings.NewReader(""), &stdout,
		&stderr); status != statusDone {
		t.Errorf("ends with %d:\n%s", status, &stderr)
	}
	if _, err := os.Stat("out/sub/b.psh"); err != nil {
		t.Error(err)
	}
}

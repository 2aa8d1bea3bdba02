//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shaderlift/shaderlift"
)

// inPlace runs opt -w over args as a process.
func inPlace(t *testing.T, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], append([]string{"opt", "-q", "-w", "--target", "d3d9"}, args...)...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// conv1d writes the pair of testdata/conv1d into dir.
func conv1d(t *testing.T, dir string) (paths [2]string, data [2][]byte) {
	t.Helper()
	for i, stage := range []string{"vsh", "psh"} {
		var err error
		if data[i], err = os.ReadFile("../../testdata/conv1d/conv1d." + stage); err != nil {
			t.Fatal(err)
		}
		if paths[i] = filepath.Join(dir, "conv1d."+stage); writeFile(paths[i], data[i]) != nil {
			t.Fatal("cannot write ", paths[i])
		}
	}
	return paths, data
}

// TestInPlaceFiles checks that -w keeps modes and links, and leaves read-only files and folders as they are.
func TestInPlaceFiles(t *testing.T) {
	dir := t.TempDir()
	paths, data := conv1d(t, filepath.Join(dir, "in"))
	link := filepath.Join(dir, "link.psh")
	if os.Symlink("in/conv1d.psh", link) != nil || os.Chmod(paths[0], 0o640) != nil || os.Chmod(paths[1], 0o751) != nil {
		t.Fatal("cannot prepare the files")
	}
	differs := func(want bool, why string) {
		t.Helper()
		if now, err := os.ReadFile(paths[1]); err != nil || bytes.Equal(now, data[1]) == want {
			t.Errorf("%s: the pixel program differs: %v, %v", why, !want, err)
		}
	}
	if err := inPlace(t, "--backup", paths[0]+","+link).Wait(); err != nil {
		t.Fatal(err)
	}
	differs(true, "a link")
	for path, want := range map[string]fs.FileMode{paths[0]: 0o640, paths[1]: 0o751, paths[1] + ".orig": 0o751,
		link: fs.ModeSymlink | 0o777} {
		if info, err := os.Lstat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: mode %v, not %v, %v", path, info.Mode(), want, err)
		}
	}
	if now, err := os.ReadFile(paths[1] + ".orig"); err != nil || !bytes.Equal(now, data[1]) {
		t.Errorf("the backup is another file: %v", err)
	}

	paths, data = conv1d(t, filepath.Join(dir, "readonly"))
	input := strings.Join(paths[:], ",")
	os.Chmod(paths[1], 0o444)
	if err := inPlace(t, input).Wait(); err == nil {
		t.Error("a read-only file is replaced")
	}
	differs(false, "a read-only file")
	os.Chmod(paths[1], 0o644)
	os.Symlink("conv1d.psh", paths[1]+".orig")
	if err := inPlace(t, "--backup", input).Wait(); err == nil {
		t.Error("a link to the file counts as its backup")
	}
	differs(false, "a link as a backup")
	os.Remove(paths[1] + ".orig")
	if os.Getuid() != 0 { // root may write everywhere
		os.Chmod(filepath.Dir(paths[1]), 0o555)
		err := inPlace(t, "--backup", input).Wait()
		os.Chmod(filepath.Dir(paths[1]), 0o755)
		if err == nil {
			t.Error("a file of a read-only folder is replaced")
		}
		differs(false, "a read-only folder")
	}
}

// TestInPlaceChanged checks that a file that changed since it was read stays, without a backup.
func TestInPlaceChanged(t *testing.T) {
	paths, data := conv1d(t, t.TempDir())
	read := []shaderlift.File{{Name: paths[0], Data: data[0]}, {Name: paths[1], Data: data[0]}}
	err := replaceFiles(paths[:], [][]byte{{1}, {2}}, read, true)
	if err == nil || !strings.Contains(err.Error(), paths[1]+": cannot be written: the file changed while it was optimized") {
		t.Errorf("the error is %v", err)
	}
	if err := replaceFiles(paths[:1], data[:1], read[1:], true); err != nil {
		t.Errorf("an equal file is not left: %v", err)
	}
	left, _ := os.ReadDir(filepath.Dir(paths[0]))
	for i, path := range paths {
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, data[i]) || len(left) != 2 {
			t.Errorf("%s changes, or %v are left: %v", path, left, err)
		}
	}
}

// TestCopyNew checks that a copy keeps the mode and replaces no file.
func TestCopyNew(t *testing.T) {
	paths, data := conv1d(t, t.TempDir())
	name := paths[0] + ".orig"
	if err := errors.Join(os.Chmod(paths[0], 0o640), copyNew(paths[0], name)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if now, e := os.ReadFile(name); e != nil || err != nil || !bytes.Equal(now, data[0]) || info.Mode() != 0o640 {
		t.Errorf("the copy is another file: %v, %v", err, e)
	}
	if err := copyNew(paths[1], name); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file is replaced: %v", err)
	}
}

// TestInPlaceFull checks that a full disk, here a limit on the size of files, changes nothing.
func TestInPlaceFull(t *testing.T) {
	dir := t.TempDir()
	paths, data := conv1d(t, dir)
	big := append(bytes.Repeat([]byte("// a comment\n"), 100), data[1]...)
	if err := writeFile(paths[1], big); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `ulimit -f 1; exec "$0" opt -q -w --backup --target d3d9 "$1"`, os.Args[0], strings.Join(paths[:], ","))
	cmd.Env = append(os.Environ(), asCommand+"=1")
	if err := cmd.Run(); err == nil {
		t.Error("the limit has no effect")
	}
	for i, want := range [][]byte{data[0], big} {
		if now, err := os.ReadFile(paths[i]); err != nil || !bytes.Equal(now, want) {
			t.Errorf("%s changes: %v", paths[i], err)
		}
	}
	if err := inPlace(t, strings.Join(paths[:], ",")).Wait(); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); locks && len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestInPlaceKilled kills runs at random moments. Each file must be an input or a result, and each backup the input.
// The next run must complete all.
func TestInPlaceKilled(t *testing.T) {
	dir := t.TempDir()
	var want [2][]byte
	var took time.Duration
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 8 {
		var list []string
		var data [2][]byte
		for k := range 6 {
			var paths [2]string
			paths, data = conv1d(t, filepath.Join(dir, fmt.Sprint(n), fmt.Sprint(k)))
			list = append(list, paths[:]...)
		}
		args := []string{"--backup", filepath.Join(dir, fmt.Sprint(n))}
		start := time.Now()
		run := inPlace(t, args...)
		if n > 0 {
			time.Sleep(time.Duration(r.Int64N(int64(took) + 1)))
			run.Process.Kill()
		}
		if err := run.Wait(); n == 0 {
			if took = time.Since(start); err != nil {
				t.Fatal(err)
			}
			for i := range want {
				want[i], _ = os.ReadFile(list[i])
			}
		}
		check := func(complete bool) {
			t.Helper()
			for i, path := range list {
				now, err := os.ReadFile(path)
				if fresh := bytes.Equal(now, want[i%2]); err != nil || !fresh && (complete || !bytes.Equal(now, data[i%2])) {
					t.Errorf("%s is neither the input nor the result: %v", path, err)
				}
				kept, err := os.ReadFile(path + ".orig")
				if changed := !bytes.Equal(now, data[i%2]); changed && (err != nil || !bytes.Equal(kept, data[i%2])) {
					t.Errorf("%s.orig is not the input: %v", path, err)
				}
			}
		}
		check(false)
		if err := inPlace(t, args...).Wait(); err != nil {
			t.Fatal(err)
		}
		check(true)
		if left, _ := filepath.Glob(filepath.Join(dir, fmt.Sprint(n), "*", ".*")); locks && len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

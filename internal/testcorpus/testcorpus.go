// Package testcorpus finds what tests read of others' programs: the folder shared, beside the
// repository. A test that needs it skips where there is none and says so; where it is there but
// lacks what a test asks for, the test fails.
package testcorpus

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
)

// Tests over a corpus go through much and keep little: collecting what they leave less often
// takes a fifth off their time, and a few hundred MB.
func init() { debug.SetGCPercent(400) }

// Glob lists what of the folder matches a pattern, such as corpus/il/*.il.
func Glob(t testing.TB, pattern string) []string {
	t.Helper()
	paths := Some(t, pattern)
	if paths == nil {
		t.Skipf("../shared, the programs of others, is not beside the repository: %s is needed", pattern)
	}
	return paths
}

// Path is a file or folder below the folder.
func Path(t testing.TB, name string) string {
	t.Helper()
	return Glob(t, name)[0]
}

// Some is Glob for a test that has something to do without the folder: it is none then.
func Some(t testing.TB, pattern string) []string {
	t.Helper()
	folder := filepath.Join(root(t), "..", "shared")
	if _, err := os.Stat(folder); os.IsNotExist(err) {
		t.Logf("../shared, the programs of others, is not beside the repository: without %s", pattern)
		return nil
	}
	paths, err := filepath.Glob(filepath.Join(folder, filepath.FromSlash(pattern)))
	if err != nil || len(paths) == 0 {
		t.Fatalf("../shared is beside the repository, and has no %s (%v)", pattern, err)
	}
	return paths
}

// root is the way up to the root of the repository.
func root(t testing.TB) string {
	t.Helper()
	for up, i := ".", 0; i < 10; i++ {
		if _, err := os.Stat(filepath.Join(up, "go.mod")); err == nil {
			return up
		}
		up = filepath.Join("..", up)
	}
	t.Fatal("no go.mod in the folders above")
	return ""
}

// Package testcorpus finds test data from other projects: the folder shared, next to the repository. A
// test that needs it skips with a message if the folder is missing. If the folder exists but lacks the
// data, the test fails. [EveryNth] and [Count] select the part of the data that a test uses.
package testcorpus

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
)

// Tests over a corpus allocate much and keep little. Less frequent garbage collection saves a fifth of
// their time and costs a few hundred MB.
func init() { debug.SetGCPercent(400) }

// Glob lists the files in the folder that match a pattern, such as corpus/il/*.il.
func Glob(t testing.TB, pattern string) []string {
	t.Helper()
	paths := GlobOptional(t, pattern)
	if paths == nil {
		t.Skipf("../shared, the programs of others, is not beside the repository: %s is needed", pattern)
	}
	return paths
}

// Path returns a file or folder below the folder.
func Path(t testing.TB, name string) string {
	t.Helper()
	return Glob(t, name)[0]
}

// GlobOptional works like Glob for a test that also runs without the folder; it then returns nil.
func GlobOptional(t testing.TB, pattern string) []string {
	t.Helper()
	folder := filepath.Join(repositoryRoot(t), "..", "shared")
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

// repositoryRoot returns the relative path to the root of the repository.
func repositoryRoot(t testing.TB) string {
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

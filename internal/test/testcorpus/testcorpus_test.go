package testcorpus

import (
	"os"
	"path/filepath"
	"testing"
)

// probe records a skip or a failure without affecting the running test.
type probe struct {
	testing.TB
	skipped, failed bool
}

func (p *probe) Helper()               {}
func (p *probe) Logf(string, ...any)   {}
func (p *probe) Skipf(string, ...any)  { p.skipped = true; panic(p) }
func (p *probe) Fatalf(string, ...any) { p.failed = true; panic(p) }

func try(pattern string) (paths []string, p *probe) {
	p = new(probe)
	defer func() { _ = recover() }()
	paths = Glob(p, pattern)
	return paths, p
}

// A test skips if the folder is missing, and fails if the folder lacks data.
func TestGlob(t *testing.T) {
	repository := filepath.Join(t.TempDir(), "repository")
	write := func(name string) {
		path := filepath.Join(repository, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod")
	write("a/b/c_test.go")
	t.Chdir(filepath.Join(repository, "a", "b"))
	if paths, p := try("corpus/*.il"); paths != nil || !p.skipped || p.failed {
		t.Errorf("without the folder: %v, %+v", paths, p)
	}
	write("../shared/corpus/x.il")
	if paths, p := try("corpus/*.il"); len(paths) != 1 ||
		paths[0] != filepath.Join("..", "..", "..", "shared", "corpus", "x.il") || p.skipped || p.failed {
		t.Errorf("with it: %v, %+v", paths, p)
	}
	if paths, p := try("corpus/*.asm"); paths != nil || p.skipped || !p.failed {
		t.Errorf("with a part of it: %v, %+v", paths, p)
	}
}

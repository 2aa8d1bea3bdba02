package vsps

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// corpus calls f with every bytecode program of the shared corpus.
func corpus(t testing.TB, f func(path string, p *d3d9.Program)) {
	t.Helper()
	paths, _ := filepath.Glob("../../shared/corpus/d3d9/pairs/*/*")
	if len(paths) == 0 {
		t.Skip("the shared shader corpus is not here")
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p, err := d3d9.Read(path, data)
		if err != nil {
			t.Fatal(err)
		}
		f(path, p)
	}
}

func TestLiftCorpus(t *testing.T) {
	n := 0
	corpus(t, func(path string, p *d3d9.Program) {
		f, err := Lift(p)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return
		}
		if err := f.Check(); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		n++
	})
	t.Logf("%d programs", n)
}

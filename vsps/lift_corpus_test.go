package vsps_test

import (
	"os"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/vsps"
)

// corpusPrograms calls f with every bytecode program of the shared corpus.
func corpusPrograms(t testing.TB, f func(path string, p *d3d9.Program)) {
	t.Helper()
	for _, path := range testcorpus.Glob(t, "corpus/d3d9/pairs/*/*") {
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
	corpusPrograms(t, func(path string, p *d3d9.Program) {
		f, err := vsps.Lift(p)
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

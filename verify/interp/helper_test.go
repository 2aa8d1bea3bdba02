package interp

import (
	"os"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
)

func mustParse(t testing.TB, src string) *d3d9.Program {
	t.Helper()
	p, err := d3d9.Parse("test", []byte(src))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return p
}

func mustCompile(t testing.TB, p *d3d9.Program) *Shader {
	t.Helper()
	s, err := Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const corpus = "../../../shared/corpus/d3d9"

// corpusPair reads a pair of the corpus, or skips the test if it is missing.
func corpusPair(t testing.TB, name string) (vp, pp *d3d9.Program) {
	t.Helper()
	read := func(file string) *d3d9.Program {
		path := testcorpus.Path(t, "corpus/d3d9/pairs/"+name+"/"+file)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p, err := d3d9.Read(path, data)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	return read("vs.vso"), read("ps.pso")
}

package draws_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/verify/draws"
)

const corpus = "../../../shared/corpus/d3d9"

// pair is a vertex and a pixel program on file.
type pair struct{ vs, ps string }

func read(t testing.TB, name string) *d3d9.Program {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus, name))
	if err != nil {
		t.Fatal(err)
	}
	p, err := d3d9.Read(name, data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func bytecodePairs(t testing.TB) []pair {
	t.Helper()
	var pairs []pair
	for _, d := range testcorpus.Glob(t, "corpus/d3d9/pairs/*") {
		d = filepath.Join("pairs", filepath.Base(d))
		pairs = append(pairs, pair{filepath.Join(d, "vs.vso"), filepath.Join(d, "ps.pso")})
	}
	return pairs
}

// textPairs returns the pairs of assembly text whose pixel program is ps_2_0 or later.
func textPairs(t testing.TB) []pair {
	t.Helper()
	table, err := os.ReadFile(testcorpus.Path(t, "corpus/d3d9/PAIRS.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var pairs []pair
	for i, line := range strings.Split(strings.TrimSpace(string(table)), "\n") {
		if f := strings.Split(line, "\t"); i > 0 && !strings.Contains(f[1], ".ps_1_") {
			pairs = append(pairs, pair{f[0], f[1]})
		}
	}
	return pairs
}

// TestCorpus checks that nearly every pair of the corpus has a meaningful draw. The other pairs, one in
// twenty, always have a single colour: programs that clear a target or write zero under a stencil.
func TestCorpus(t *testing.T) {
	for _, set := range []struct {
		name  string
		pairs func(testing.TB) []pair
	}{{"bytecode", bytecodePairs}, {"text", textPairs}} {
		t.Run(set.name, func(t *testing.T) {
			drawn, meaningful := 0, 0
			for i, p := range set.pairs(t) {
				if i%3 != 0 {
					continue
				}
				drawn++
				_, picture, err := draws.Random(read(t, p.vs), read(t, p.ps), 1)
				switch {
				case err != nil:
					t.Errorf("%s: %v", p.ps, err)
				case picture.Meaningful():
					meaningful++
				default:
					t.Logf("%s: %+v", p.ps, picture)
				}
			}
			if meaningful*10 < drawn*9 {
				t.Errorf("%d of %d draws are meaningful", meaningful, drawn)
			}
		})
	}
}

package rounding

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/vsps"
)

// corpus lists the folders of the pairs of the shared corpus.
func corpus(t testing.TB) []string {
	t.Helper()
	return testcorpus.Glob(t, "corpus/d3d9/pairs/*")
}

func load(t testing.TB, path string) *Program {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d3d9.Read(path, data)
	if err != nil {
		t.Fatal(err)
	}
	f, err := vsps.Lift(p)
	if err != nil {
		t.Fatal(err)
	}
	return &Program{Func: f, Source: p}
}

func loadPair(t testing.TB, dir string) *Pair {
	return &Pair{Vertex: load(t, dir+"/vs.vso"), Pixel: load(t, dir+"/ps.pso")}
}

// TestCorpusIsBounded checks that at least 60 % of the pairs have a bound. A bound is useful if it is less
// than the range of a colour.
func TestCorpusIsBounded(t *testing.T) {
	finite, useful, fragile := 0, 0, 0
	dirs := corpus(t)
	for _, dir := range dirs {
		p := loadPair(t, dir)
		b, err := New(ByName(""), nil).Compare(p, p)
		if err != nil {
			t.Fatal(err)
		}
		if b.Finite() {
			finite++
			if b.Before < 0.25 {
				useful++
			}
		}
		if b.Fragile != nil {
			fragile++
		}
		if b.Growth != 1 {
			t.Errorf("%s: errors grow %g times from a pair to itself", dir, b.Growth)
		}
		t.Logf("%s: off by up to %.3g, fetches by %.3g texels; %v; %v", filepath.Base(dir), b.Before, b.Texels[0], b.Rules,
			b.Fragile)
	}
	t.Logf("%d of %d have a bound, %d one below a quarter; %d are fragile", finite, len(dirs), useful, fragile)
	if 10*finite < 6*len(dirs) {
		t.Errorf("only %d of %d pairs have a bound", finite, len(dirs))
	}
}

// TestBoundsHoldInCorpus checks bounds on programs that a compiler wrote. Indices stay in their parameter,
// as the analysis assumes.
func TestBoundsHoldInCorpus(t *testing.T) {
	box := ranges(t, "blendindices=0..71")
	checked, finite := 0, 0
	for _, dir := range testcorpus.EveryNth(corpus(t), 8) {
		for _, name := range []string{"/vs.vso", "/ps.pso"} {
			for n, mode := range numerics {
				draw := func(point, key uint64) float64 {
					return float64(scramble(uint64(n)<<56^scramble(point<<48^key))>>40) / (1 << 24)
				}
				c, f := checkBounds(t, load(t, dir+name).Source, box, draw, mode)
				checked, finite = checked+c, finite+f
			}
		}
	}
	t.Logf("%d values, %d of them with a finite bound", checked, finite)
}

// BenchmarkCompare measures the analysis of a pair against itself.
func BenchmarkCompare(b *testing.B) {
	p := loadPair(b, corpus(b)[200])
	for b.Loop() {
		if _, err := New(ByName(""), nil).Compare(p, p); err != nil {
			b.Fatal(err)
		}
	}
}

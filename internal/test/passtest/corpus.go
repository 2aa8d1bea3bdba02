package passtest

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/vsps"
)

// sampleCorpus returns a sample of the corpus for tests, and all of it for benchmarks. Vertex and pixel programs
// alternate.
func sampleCorpus(t testing.TB, paths []string) []string {
	if _, test := t.(*testing.T); test {
		return testcorpus.EveryNth(paths, 5)
	}
	return paths
}

// Corpus calls visit for the programs of the shader corpus that can be lifted and written, text and bytecode,
// in a fixed order. A test visits one in five or all (see testcorpus.EveryNth). Without a corpus the test is
// skipped. All tests of a package share the programs, which no test modifies.
func Corpus(t testing.TB, visit func(s *Source)) {
	t.Helper()
	var paths []string
	for _, pattern := range []string{"pairs/*/*.?so", "text/*/*.asm", "gpgpu/*.asm"} {
		paths = append(paths, testcorpus.Glob(t, "corpus/d3d9/"+pattern)...)
	}
	for _, path := range sampleCorpus(t, paths) {
		s, err := source(path)
		if err != nil {
			t.Fatal(err)
		}
		if s != nil {
			visit(s)
		}
	}
}

// sources caches the programs by path; nil marks a program that cannot be lifted or written.
var sources sync.Map

// source reads the program in a file. It returns nil if it cannot be lifted or written: some files are not
// programs, or invalid, or of a model that is only read.
func source(path string) (*Source, error) {
	if s, known := sources.Load(path); known {
		return s.(*Source), nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s *Source
	if p, err := d3d9.Read(path, data); err == nil && d3d9.Validate(p).Err() == nil {
		s = &Source{Name: path, Pixel: p}
		if p.Model.Stage == d3d9.Vertex {
			s.Vertex, s.Pixel = p, nil
		}
		if _, err := s.Lift(); err != nil || !vsps.CanEmit(p.Model) {
			s = nil
		}
	}
	sources.Store(path, s)
	return s, nil
}

// Pairs calls visit for every liftable pair of the shader corpus, as Corpus does for programs.
func Pairs(t testing.TB, visit func(s *Source)) {
	t.Helper()
	for _, dir := range testcorpus.Glob(t, "corpus/d3d9/pairs/*") {
		s := &Source{Name: filepath.Base(dir)}
		for name, p := range map[string]**d3d9.Program{"vs.vso": &s.Vertex, "ps.pso": &s.Pixel} {
			path := filepath.Join(dir, name)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if *p, err = d3d9.Read(path, data); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Lift(); err == nil {
			visit(s)
		}
	}
}

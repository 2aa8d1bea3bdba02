package passtest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/sample"
	"github.com/shaderlift/shaderlift/internal/testcorpus"
)

// part is what tests take of the corpus, and benchmarks all: vertex and pixel programs take turns.
func part(t testing.TB, paths []string) []string {
	if _, test := t.(*testing.T); test {
		return sample.Of(paths, 3)
	}
	return paths
}

// Corpus calls visit for programs of the shader corpus that can be lifted, text and
// bytecode, in a fixed order: in a test for one in three or all (see package sample). Where
// there is no corpus the test is skipped.
func Corpus(t testing.TB, visit func(s *Source)) {
	t.Helper()
	var paths []string
	for _, pattern := range []string{"pairs/*/*.?so", "text/*/*.asm", "gpgpu/*.asm"} {
		paths = append(paths, testcorpus.Glob(t, "corpus/d3d9/"+pattern)...)
	}
	for _, path := range part(t, paths) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p, err := d3d9.Read(path, data)
		if err != nil || d3d9.Validate(p).Err() != nil {
			continue // some files are not programs, or wrong ones
		}
		s := &Source{Name: path, Pixel: p}
		if p.Model.Stage == d3d9.Vertex {
			s.Vertex, s.Pixel = p, nil
		}
		if _, err := s.Lift(); err == nil {
			visit(s)
		}
	}
}

// Pairs calls visit for every pair of the shader corpus that can be lifted, as Corpus
// does for programs.
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

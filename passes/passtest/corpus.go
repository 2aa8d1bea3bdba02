package passtest

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/sample"
	"github.com/shaderlift/shaderlift/internal/testcorpus"
)

// part is what tests take of the corpus, and benchmarks all: vertex and pixel programs take turns.
func part(t testing.TB, paths []string) []string {
	if _, test := t.(*testing.T); test {
		return sample.Of(paths, 5)
	}
	return paths
}

// Corpus calls visit for programs of the shader corpus that can be lifted, text and
// bytecode, in a fixed order: in a test for one in five or all (see package sample). Where
// there is no corpus the test is skipped. Programs are read once, for all tests of a package:
// nothing writes to them.
func Corpus(t testing.TB, visit func(s *Source)) {
	t.Helper()
	var paths []string
	for _, pattern := range []string{"pairs/*/*.?so", "text/*/*.asm", "gpgpu/*.asm"} {
		paths = append(paths, testcorpus.Glob(t, "corpus/d3d9/"+pattern)...)
	}
	for _, path := range part(t, paths) {
		s, err := source(path)
		if err != nil {
			t.Fatal(err)
		}
		if s != nil {
			visit(s)
		}
	}
}

// sources are the programs that were read, by path; nil is one that cannot be lifted.
var sources sync.Map

// source reads the program in a file. It is nil if it cannot be lifted: some files are not
// programs, or wrong ones.
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
		if _, err := s.Lift(); err != nil {
			s = nil
		}
	}
	sources.Store(path, s)
	return s, nil
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

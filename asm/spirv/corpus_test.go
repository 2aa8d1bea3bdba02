package spirv

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
)

// committed lists the modules in the repository.
func committed(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("../../testdata/spirv/*.spv")
	if err != nil || len(files) == 0 {
		t.Fatalf("no modules: %v", err)
	}
	return files
}

// corpus lists the committed modules, and those of the corpus if it is present.
func corpus(t testing.TB) []string {
	t.Helper()
	files := committed(t)
	for _, dir := range testcorpus.GlobOptional(t, "corpus/spirv") {
		files = append(files, filesBelow(t, dir, ".spv")...)
	}
	return files
}

// filesBelow lists the files in a folder and its subfolders whose names have an ending.
func filesBelow(t testing.TB, dir, ending string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ending) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestRoundTrip decodes and encodes each module of the corpus.
func TestRoundTrip(t *testing.T) {
	for _, path := range corpus(t) {
		data := read(t, path)
		m, err := Decode(path, data)
		if err != nil {
			t.Error(err)
			continue
		}
		if !bytes.Equal(m.Encode(), data) {
			t.Errorf("%s: the encoded module differs", path)
		}
	}
}

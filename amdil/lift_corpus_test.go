package amdil_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
)

// Every well-formed kernel of the corpus is understood, and lifts to a sound function.
func TestLiftCorpus(t *testing.T) {
	lifted := 0
	for _, file := range testcorpus.Glob(t, "corpus/il/*.il") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		k, err := il.Parse(file, data)
		if err != nil {
			continue
		}
		f, err := amdil.Lift(k)
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(file), err)
			continue
		}
		if err := f.Check(); err != nil {
			t.Errorf("%s: %v\n%s", filepath.Base(file), err, clip(f.String()))
			continue
		}
		lifted++
	}
	t.Logf("%d kernels lifted", lifted)
	if lifted == 0 {
		t.Error("nothing was lifted")
	}
}

func clip(s string) string {
	if lines := strings.SplitAfter(s, "\n"); len(lines) > 60 {
		return strings.Join(lines[:60], "")
	}
	return s
}

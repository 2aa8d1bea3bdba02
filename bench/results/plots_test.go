package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlot checks that a plot is deterministic and linked, and that published curves are dashed.
func TestPlot(t *testing.T) {
	var files [2][]byte
	for i := range files {
		var text strings.Builder
		d := &document{w: &text, plots: filepath.Join(t.TempDir(), "results")}
		if err := d.plot("few", "Few", "size", "times", []string{"1", "2"}, curve{"ours", []float64{1, 2}, false},
			curve{"", []float64{1, 3}, true}); err != nil {
			t.Fatal(err)
		}
		if text.String() != "![Few](results/few.svg)\n\n" {
			t.Errorf("%q", text.String())
		}
		var err error
		if files[i], err = os.ReadFile(filepath.Join(d.plots, "few.svg")); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("bytes differ from time to time")
	}
	if n := bytes.Count(files[0], []byte("stroke-dasharray")); n == 0 ||
		!bytes.Contains(files[0], []byte("dashed: published")) {
		t.Errorf("%d dashes:\n%s", n, files[0])
	}
}

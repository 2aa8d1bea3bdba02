package verify

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
)

// TestLeast judges the cases of testdata/trust as an optimizer does that requires a verdict about all inputs.
// The work that Options.Least omits must not change whether a version is accepted.
func TestLeast(t *testing.T) {
	paths, err := filepath.Glob("../testdata/trust/*/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("testdata/trust has no case (%v)", err)
	}
	accepted, refused := 0, 0
	for _, path := range testcorpus.EveryNth(paths, 6) {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		judge := func(o Options) Report {
			var pairs [2]Pair
			var kernels [2]*il.Kernel
			for _, f := range archive.Files {
				side := 0
				if strings.HasPrefix(f.Name, "after") {
					side = 1
				}
				if bytes.HasPrefix(f.Data, []byte("il_")) {
					if kernels[side], err = il.Parse(f.Name, f.Data); err != nil {
						t.Fatalf("%s: %v", path, err)
					}
					continue
				}
				p, err := d3d9.Parse(f.Name, f.Data)
				if err != nil {
					t.Fatalf("%s: %v", path, err)
				}
				if p.Model.Stage == d3d9.Vertex {
					pairs[side].Vertex = p
				} else {
					pairs[side].Pixel = p
				}
			}
			if kernels[0] != nil {
				return CheckKernel(kernels[0], kernels[1], o)
			}
			return Check(pairs[0], pairs[1], o)
		}
		o := Options{Numerics: Real, Brief: !testcorpus.Whole}
		full := judge(o)
		o.Brief, o.Least = true, Bounded
		least := judge(o)
		switch {
		case full.Verdict >= Bounded && least.Verdict == full.Verdict:
			accepted++
		case full.Verdict < Bounded && least.Verdict < Bounded:
			refused++
		default:
			t.Errorf("%s: %s, and %s where the least verdict is %s", path, full.Verdict, least.Verdict, Bounded)
		}
	}
	if accepted == 0 || refused == 0 {
		t.Errorf("%d cases are accepted and %d refused", accepted, refused)
	}
}

package spvs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/passes/combine"
	"github.com/shaderlift/shaderlift/passes/ifconvert"
	"github.com/shaderlift/shaderlift/spvs"
)

// TestEmitRewritten runs passes that keep all results on programs, and emits them. The outputs stay the same.
func TestEmitRewritten(t *testing.T) {
	files, err := filepath.Glob("../testdata/spirv/*.spv")
	if err != nil || len(files) == 0 {
		t.Fatal("no modules", err)
	}
	files = append(files, testcorpus.EveryNth(testcorpus.GlobOptional(t, "corpus/spirv/*/*.spv"), 15)...)
	pipeline := passes.Pipeline{{Pass: cleanup.GVN}, {Pass: cleanup.Copyprop}, {Pass: cleanup.Leaves}, {Pass: combine.Pass},
		{Pass: ifconvert.Pass}, {Pass: cleanup.DCE}}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, err := spirv.Decode(path, data)
		if err != nil {
			t.Fatal(err)
		}
		p, err := spvs.Lift(m, "", spvs.Options{})
		if err != nil {
			continue
		}
		u := &passes.Unit{Name: path}
		f := &u.Pixel
		if p.IsVertex() {
			f = &u.Vertex
		}
		*f = p.Func.Clone()
		if _, err := passes.Run(u, pipeline, passes.Config{Numerics: passes.Terms}); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out, err := spvs.Emit(p.With(*f))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if err := out.Check(); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if bad := difference(t, m, out); bad != "" {
			t.Errorf("%s: %s", path, bad)
		}
	}
}

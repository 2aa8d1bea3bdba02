package shaderlift_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/verify"
	"golang.org/x/tools/txtar"
)

// TestFitCorpus checks that these pairs of the corpus fit ps_2_0. Their pixel programs of 3.0 take 65
// to 110 arithmetic slots and have neither gradients nor branches.
func TestFitCorpus(t *testing.T) {
	pairs := testcorpus.Path(t, "corpus/d3d9/pairs")
	for _, name := range []string{"PostProcessing_Blur__t5_p0", "PostProcessing_Blur__t8_p0", "PostProcessing_Blur__t9_p0",
		"PostProcessing_EdgeFilter__t0_p1", "Sky_GradientSky__t0_p1", "Sky_GradientTextureSky__t0_p3", "Terrain_TerrainRoadLayer__t0_p0",
		"Decals_GBufferAlphaTestNormal__t0_p0"} { // the last one without rewrites that several plans cannot verify
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var in shaderlift.Input
			for _, file := range []string{"vs.vso", "ps.pso"} {
				data, err := os.ReadFile(filepath.Join(pairs, name, file))
				if err != nil {
					t.Fatal(err)
				}
				in.Files = append(in.Files, shaderlift.File{Name: file, Data: data})
			}
			res, err := shaderlift.Optimize(t.Context(), in,
				shaderlift.Options{Fit: "ps_2_0", Require: verify.ProvedReal, Host: shaderlift.HostOptions{
					PixelConstants: shaderlift.Mirrored, Assume: []shaderlift.Assumption{shaderlift.OneLevel}}})
			if err != nil {
				t.Fatal(err)
			}
			after := res.Stages[1].After
			t.Logf("%v, %d arithmetic slots and %d texture reads", res.Verdict(), after.Arithmetic, after.Texture)
		})
	}
}

// TestFitPrograms checks that typical programs of 45 to 95 slots fit ps_2_0 with their vertex programs.
// For the others, the error names the exceeded limit and the excess.
func TestFitPrograms(t *testing.T) {
	misfits := map[string]string{
		"parallax": "[texture-dependency]", // nine dependent reads, which algebra cannot reduce to four
	}
	paths, err := filepath.Glob("testdata/fit/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no programs: ", err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			in := pairInput(string(a.Files[0].Data), string(a.Files[1].Data))
			res, err := shaderlift.Optimize(t.Context(), in,
				shaderlift.Options{Fit: "ps_2_0", Host: shaderlift.HostOptions{PixelConstants: shaderlift.Mirrored},
					Require: verify.ProvedReal})
			if limit := misfits[name]; limit != "" {
				if !errors.Is(err, shaderlift.ErrFit) || !strings.Contains(err.Error(), limit) {
					t.Errorf("%v, not %s", err, limit)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			p, err := d3d9.Read("result", res.Files[1].Data)
			if err != nil {
				t.Fatal(err)
			}
			if diags := d3d9.Validate(p); p.Model != d3d9.PS20 || len(diags) > 0 {
				t.Errorf("a program of %v: %v", p.Model, diags)
			}
			t.Logf("%d -> %d slots", res.Stages[1].Before.Slots, res.Stages[1].After.Slots)
		})
	}
}

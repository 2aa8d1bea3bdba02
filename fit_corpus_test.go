package shaderlift_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/verify"
)

// Of the pairs of the corpus whose pixel programs of 3.0 take 65 to 110 arithmetic slots, and
// have neither gradients nor branches, these fit ps_2_0.
func TestFitCorpus(t *testing.T) {
	const pairs = "../shared/corpus/d3d9/pairs"
	if _, err := os.Stat(pairs); err != nil {
		t.Skip("the shared corpus is not there")
	}
	for _, name := range []string{"PostProcessing_Blur__t5_p0", "PostProcessing_Blur__t8_p0", "PostProcessing_Blur__t9_p0",
		"PostProcessing_EdgeFilter__t0_p1", "Sky_GradientSky__t0_p1", "Sky_GradientTextureSky__t0_p3", "Terrain_TerrainRoadLayer__t0_p0"} {
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
			res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{Fit: "ps_2_0", HostConstants: shaderlift.Mirrored,
				Assume: []shaderlift.Assumption{shaderlift.OneLevel}, Require: verify.ProvedReal})
			if err != nil {
				t.Fatal(err)
			}
			after := res.Stages[1].After
			t.Logf("%v, %d arithmetic slots and %d texture reads", res.Verdict(), after.Arithmetic, after.Texture)
		})
	}
}

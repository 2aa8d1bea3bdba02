package shaderlift_test

import (
	"os"
	"testing"

	"github.com/shaderlift/shaderlift"
)

// TestTargetList has d3d9 in a list of GPUs. It checks that a version is worse neither in slots nor in
// time, and that slots alone may be the gain.
func TestTargetList(t *testing.T) {
	in := shaderlift.Input{}
	for _, name := range []string{"testdata/conv1d/conv1d.vsh", "testdata/conv1d/conv1d.psh"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		in.Files = append(in.Files, shaderlift.File{Name: name, Data: data})
	}
	slots := map[shaderlift.Target]int{}
	for _, target := range []shaderlift.Target{"d3d9", "nvidia", "nvidia,d3d9", "d3d9,nvidia"} {
		res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{Target: target})
		if err != nil {
			t.Fatal(err)
		}
		slots[target] = res.Stages[1].CurrentCost().Slots
		for _, d := range res.Draws {
			if d.CurrentCost().Time > d.Before.Time {
				t.Errorf("%s: a pixel takes %g on %s, not %g", target, d.CurrentCost().Time, d.Target, d.Before.Time)
			}
		}
	}
	if slots["nvidia,d3d9"] != slots["d3d9"] || slots["d3d9,nvidia"] != slots["d3d9"] || slots["nvidia"] <= slots["d3d9"] {
		t.Errorf("pixel slots by target: %v", slots)
	}
}

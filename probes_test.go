package shaderlift_test

import (
	"path/filepath"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
)

// TestProbes checks that small programs, each of which a person can make cheaper, keep their best known
// costs: slots, interpolators and dependent texture read phases of the pixel program, with separate and
// with mirrored constants.
func TestProbes(t *testing.T) {
	folder := testcorpus.Path(t, "corpus/d3d9/probes")
	type most struct{ slots, interpolators, runs int }
	for _, c := range []struct {
		name               string
		pair               bool
		separate, mirrored most
	}{
		{"aliased-cmp", false, most{5, 2, 0}, most{5, 2, 0}},
		{"batched-reads", false, most{9, 4, 1}, most{9, 4, 1}},
		{"box12", true, most{38, 1, 12}, most{29, 8, 5}},
		{"constant-copy", true, most{3, 1, 1}, most{3, 1, 1}},
		{"copied-coordinate", true, most{5, 1, 1}, most{5, 1, 1}},
		{"grid3", false, most{9, 1, 1}, most{9, 1, 1}},
		{"lights3", false, most{19, 4, 0}, most{19, 4, 0}},
		{"literal-moves", false, most{13, 1, 1}, most{13, 1, 1}},
		{"saturate", false, most{6, 1, 1}, most{6, 1, 1}},
		{"shared-factor", false, most{12, 1, 0}, most{12, 1, 0}},
	} {
		in := shaderlift.Input{Name: c.name, Files: []shaderlift.File{readFile(t, filepath.Join(folder, c.name+".psh"))}}
		if c.pair {
			in.Files = append([]shaderlift.File{readFile(t, filepath.Join(folder, c.name+".vsh"))}, in.Files...)
		}
		for constants, most := range map[shaderlift.HostConstants]most{shaderlift.Separate: c.separate,
			shaderlift.Mirrored: c.mirrored} {
			r := optimizeOne(t, in, shaderlift.Options{Target: shaderlift.SlotTarget,
				Host: shaderlift.HostOptions{PixelConstants: constants}})
			for _, s := range r.Stages {
				if now := s.After; s.Stage == d3d9.Pixel && now != nil &&
					(now.Slots > most.slots || now.Interpolators > most.interpolators || now.TextureRuns > most.runs) {
					t.Errorf("%s, %v: %d slots, %d interpolators, %d texture read phases, want no more than %v", c.name, constants,
						now.Slots, now.Interpolators, now.TextureRuns, most)
				}
			}
		}
	}
}

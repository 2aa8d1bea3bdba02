package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// jacobi is a pair that the default target improves by a slot, and mirrored constants by ten.
const jacobi = "../../testdata/ikeda/pass.vsh,../../testdata/ikeda/fluid_jacobi.psh"

// TestReasons checks that an unchanged input shows why, and what helps.
func TestReasons(t *testing.T) {
	t.Chdir("../../examples/programs")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"kill.psh":  "ps_2_0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nadd r0, r0, -c0\ntexkill r0\nmov oC0, r0\n",
		"old.psh":   "ps_1_1\ntex t0\nmul r0, t0, v0\n",
		"pass.vsh":  "vs_2_0\ndcl_position v0\nmov oPos, v0\n",
		"shift.psh": "ps_3_0\ndcl_texcoord v0.xy\ndcl_2d s0\nadd r0.xy, v0, c0\ntexld oC0, r0, s0\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for args, want := range map[string]string{
		"blur.vsh,blur.psh":                    "    the application sets ps c0 for the pixel program only; with --target d3d9 --host-constants mirrored: pixel 28 -> 15 slots",
		"blur.psh":                             "    nothing found saves time on a GPU; with --target d3d9: pixel 28 -> ",
		dir + "/shift.psh":                     "    nothing can move to a vertex program, because none is given; VERTEX,PIXEL with --target d3d9 --host-constants mirrored may lead to pixel 2 -> 1 slots",
		dir + "/old.psh":                       "    shaderlift does not change programs of ps_1_1; compile",
		dir + "/pass.vsh":                      "    a vertex program alone keeps all outputs; give VERTEX,PIXEL",
		jacobi:                                 "    the application sets ps c0, ps c1 for the pixel program only; with --target d3d9 --host-constants mirrored: pixel 21 -> 11 slots",
		dir + "/kill.psh":                      "    no option helps: of 4 pixel operations, 3 need textures, 1 discards fragments; see shaderlift explain",
		"--target nvidia " + dir + "/kill.psh": "\n    of 4 pixel operations, 3 need textures, 1 discards fragments; see",
	} {
		if _, stderr := command(t, append([]string{"opt", "-n"}, strings.Fields(args)...)...); !strings.Contains(stderr, want) {
			t.Errorf("%s: %s, want %s", args, stderr, want)
		}
	}
}

// TestHints checks that only a single unchanged input or improved pair shows the options that help.
func TestHints(t *testing.T) {
	t.Chdir("../../examples/programs")
	const hint = "; with --target d3d9"
	for _, test := range []struct {
		args string
		want int
	}{
		{"blur.vsh,blur.psh", 2},
		{"blur.psh", 1},
		{"basic_fog.psh", 0}, // improved
		{jacobi, 2},
		{"--host-constants mirrored " + jacobi, 0},
		{"-q blur.psh", 0},
		{"blur.psh blur_wrong.psh", 0},
		{"-p dce blur.psh", 0},
		{"--target nvidia blur.psh", 0},
		{"--time-limit 1h blur.psh", 0},
	} {
		_, stderr := command(t, strings.Fields("opt -n "+test.args)...)
		if got := strings.Count(stderr, hint); got != test.want {
			t.Errorf("%s: %d hints, want %d:\n%s", test.args, got, test.want, stderr)
		}
	}
}

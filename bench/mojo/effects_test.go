package mojo_test

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/bench/internal/clients"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
)

//go:embed client/client.c
var clientSource []byte

const (
	shared        = "../../../shared"
	corpusEffects = 93
	// wantedEffects is the number of effects of the corpus that must be drawn completely. The others have
	// passes that write 0 to mark covered pixels, have no pixel programs, or fail an assertion.
	wantedEffects = 79
)

// asserting lists the effects of the corpus whose preshaders set booleans. Debian builds MojoShader with
// assertions, and the original effects fail one. The test fails if another effect does.
var asserting = []string{
	"PostProcessing_ColorEncoder.efb", "Terrain_TerrainGBufferHolesPom.efb", "Terrain_TerrainGBufferPom.efb",
	"Terrain_TerrainMaterialHolesPom.efb", "Terrain_TerrainMaterialPom.efb",
}

// TestMojoShaderEffects loads effects before and after optimization through the effect interface of
// MojoShader, as FNA does. It uses the MojoShader of Debian's package libmojoshader-dev. An application
// must see the same in both, and every pass must draw the same on Mesa's llvmpipe with the same parameters.
// SHADERLIFT_MOJOSHADER enables the test. It draws generated effects, effects of the corpus ("all": every
// one), and the files that the pattern SHADERLIFT_EFFECTS names; each is a subtest. Passes without a vertex
// program use one that writes every input of a pixel program.
func TestMojoShaderEffects(t *testing.T) {
	mode := os.Getenv("SHADERLIFT_MOJOSHADER")
	if mode == "" {
		t.Skip("set SHADERLIFT_MOJOSHADER=1 to draw effects with the MojoShader that is installed")
	}
	client, every := buildClient(t), 6
	if mode == "all" {
		every = 1
	}
	if ended := new(exec.ExitError); errors.As(exec.Command(client).Run(), &ended) && ended.ExitCode() == noDevice {
		t.Skip("there is no OpenGL without a window")
	}
	var all tally
	for _, e := range clients.Synthetic() {
		t.Run(e.Name, func(t *testing.T) {
			lines := all.check(t, client, e)
			if pictures := shown(lines); len(pictures) == 0 || len(slices.Compact(pictures)) < 2 {
				t.Error("the draws do not depend on parameters, or show nothing")
			}
		})
	}
	t.Logf("made here: %v", all)
	for _, files := range []string{filepath.Join(shared, "corpus/d3d9/effects/*.efb"), os.Getenv("SHADERLIFT_EFFECTS")} {
		paths, err := filepath.Glob(files)
		if err != nil {
			t.Fatal(err)
		}
		var of tally
		for _, path := range testcorpus.EveryNth(paths, every) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			t.Run(filepath.Base(path), func(t *testing.T) {
				of.check(t, client,
					clients.Effect{Name: filepath.Base(path), Data: data})
			})
		}
		if of.effects == 0 {
			continue
		}
		t.Logf("%s: %v", files, of)
		if of.effects == corpusEffects && (of.Whole < wantedEffects || of.fed[0] == 0 || of.fed[1] == 0) {
			t.Errorf("of the corpus too little is drawn, or no preshader runs")
		}
	}
}

// framework is the vertex program for passes without one.
const framework = `vs_2_0
dcl_position v0
dcl_color v1
dcl_color1 v2
dcl_texcoord v3
dcl_texcoord1 v4
dcl_texcoord2 v5
dcl_texcoord3 v6
dcl_texcoord4 v7
dcl_texcoord5 v8
dcl_texcoord6 v9
dcl_texcoord7 v10
mov oPos, v0
mov oD0, v1
mov oD1, v2
mov oT0, v3
mov oT1, v4
mov oT2, v5
mov oT3, v6
mov oT4, v7
mov oT5, v8
mov oT6, v9
mov oT7, v10
`

// tally counts the drawn passes of some effects.
type tally struct {
	effects, draws int
	clients.Seen
	fed       [2]int // programs, before and after, whose preshader uploads different numbers at different draws
	worst     float64
	asserting int // number of asserting effects, which are not drawn
}

func (c tally) String() string {
	return fmt.Sprintf("%d effects; %v, in %d draws at most %.2g apart; %d preshaders at work before, %d after; %d not drawn, for assertions",
		c.effects, c.Seen, c.draws, c.worst, c.fed[0], c.fed[1], c.asserting)
}

// check optimizes an effect, draws it before and after, and returns the lines printed before.
func (c *tally) check(t *testing.T, client string, e clients.Effect) []string {
	decoded, err := fx.Decode(e.Name, e.Data)
	if err != nil {
		t.Fatal(err)
	}
	c.effects++
	if slices.Contains(asserting, e.Name) {
		c.asserting++
		t.Skip("its preshader sets booleans, which this MojoShader answers with a failed assertion")
	}
	before, fed := see(t, client, e.Data, 0)
	c.fed[0] += fed
	why := clients.Looked(nil, before, decoded)
	var other []string // another scene, if the first shows too little
	if slices.ContainsFunc(slices.Collect(maps.Values(why)), func(reason string) bool { return reason != "" }) {
		other, _ = see(t, client, e.Data, 1)
	}
	c.Count(clients.Looked(why, other, decoded))
	res, err := shaderlift.Optimize(t.Context(),
		shaderlift.Input{Files: []shaderlift.File{{Name: e.Name,
			Data: e.Data}}}, shaderlift.Options{Target: shaderlift.SlotTarget})
	if err != nil {
		t.Fatal(err)
	}
	after, fed := see(t, client, res.Files[0].Data, 0)
	c.fed[1] += fed
	old := before
	if other != nil {
		more, _ := see(t, client, res.Files[0].Data, 1)
		old, after = slices.Concat(old, other), slices.Concat(after, more)
	}
	d := clients.Compare(old, after)
	for _, what := range d.Wrong {
		t.Error(what)
	}
	c.draws += d.Draws
	c.worst = max(c.worst, d.Worst)
	return before
}

// shown returns the pictures that are not blank.
func shown(lines []string) []string {
	return slices.DeleteFunc(clients.Pictures(lines), clients.Blank)
}

// see draws an effect in one of the client's scenes. It returns the printed lines, and the number of
// programs whose preshader uploads different numbers after a change of parameters.
func see(t *testing.T, client string, data []byte, scene int) (lines []string, fed int) {
	t.Helper()
	dir := t.TempDir()
	file, vertex := filepath.Join(dir, "effect.fxb"), filepath.Join(dir, "vertex.vso")
	for name, data := range map[string][]byte{file: data, vertex: fxtest.Assemble(framework)} {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, client, file, vertex, strconv.Itoa(scene))
	cmd.Env = append(os.Environ(), "LP_NUM_THREADS=1", "LIBGL_ALWAYS_SOFTWARE=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the client fails: %v", err)
	}
	uploads := map[string]string{}
	changed := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		line = strings.TrimRight(line, "\n")
		rest, ok := strings.CutPrefix(line, "preshader ")
		if !ok {
			lines = append(lines, line)
			continue
		}
		words := strings.Fields(rest) // KEY STAGE HASH
		program := words[0][:strings.LastIndex(words[0], "/")] + words[1]
		if last, ok := uploads[program]; ok && last != words[2] {
			changed[program] = true
		}
		uploads[program] = words[2]
	}
	return lines, len(changed)
}

// noDevice is the client's exit status without a device to draw on.
const noDevice = 77

// buildClient builds the client with the installed MojoShader.
func buildClient(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	source, client := filepath.Join(dir, "client.c"), filepath.Join(dir, "client")
	if err := os.WriteFile(source, clientSource, 0o644); err != nil {
		t.Fatal(err)
	}
	flags, err := exec.Command("pkg-config", "--cflags", "--libs", "mojoshader").Output()
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-O1", "-DNO_CONTEXT", "-DMOJOSHADER_EFFECT_SUPPORT", "-o", client, source},
		strings.Fields(string(flags))...)
	if out, err := exec.Command("gcc", append(args, "-lEGL", "-lGL", "-lm")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return client
}

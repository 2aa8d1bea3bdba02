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
	"github.com/shaderlift/shaderlift/asm/fx/fxtest"
	"github.com/shaderlift/shaderlift/internal/sample"
	"github.com/shaderlift/shaderlift/verify/internal/effectstest"
)

//go:embed client/client.c
var clientSource []byte

const (
	shared        = "../../../shared"
	corpusEffects = 93
	// wantedEffects have to be drawn whole of the corpus: others have passes that write 0, to
	// mark what they cover, or no pixel programs. wantedInstalled is how many are without asserting.
	wantedEffects, wantedInstalled = 80, 79
)

// asserting are the effects of the corpus whose preshaders set booleans. With assertions, as Debian
// builds it, MojoShader ends with these as they are. That of any other effect fails the test.
var asserting = []string{
	"PostProcessing_ColorEncoder.efb", "Terrain_TerrainGBufferHolesPom.efb", "Terrain_TerrainGBufferPom.efb",
	"Terrain_TerrainMaterialHolesPom.efb", "Terrain_TerrainMaterialPom.efb",
}

// TestMojoShaderEffects loads effects before and after optimization through MojoShader's effect
// interface, as FNA does: an application sees the same in both, and every pass draws the
// same on Mesa's llvmpipe with the same parameters. SHADERLIFT_MOJOSHADER is a checkout of
// MojoShader, and what builds it is beside this project's own checkout; or "installed", for the
// older one that Debian has as a package. Effects are made here,
// those of the corpus, and files that the pattern SHADERLIFT_EFFECTS names; each is a subtest.
// Where an effect grows, that result is drawn as well. Passes without a vertex program are drawn
// with one that hands over all that pixel programs read.
func TestMojoShaderEffects(t *testing.T) {
	checkout := os.Getenv("SHADERLIFT_MOJOSHADER")
	if checkout == "" {
		t.Skip("set SHADERLIFT_MOJOSHADER to a checkout of MojoShader to draw effects with it")
	}
	client, every, wanted := buildClient(t, checkout), 1, wantedEffects
	if checkout == installed {
		every, wanted = 6, wantedInstalled
		if ended := new(exec.ExitError); errors.As(exec.Command(client).Run(), &ended) && ended.ExitCode() == noDevice {
			t.Skip("there is no OpenGL without a window")
		}
	}
	var all tally
	for _, e := range effectstest.Made() {
		t.Run(e.Name, func(t *testing.T) {
			lines := all.check(t, client, e)
			if pictures := shown(lines); len(pictures) == 0 || len(slices.Compact(pictures)) < 2 {
				t.Error("the draws do not tell parameters apart, or show nothing")
			}
		})
	}
	if t.Logf("made here: %v", all); all.effects == len(effectstest.Made()) && all.grown == 0 {
		t.Error("none of the effects made here grows")
	}
	for _, files := range []string{filepath.Join(shared, "corpus/d3d9/effects/*.efb"), os.Getenv("SHADERLIFT_EFFECTS")} {
		paths, err := filepath.Glob(files)
		if err != nil {
			t.Fatal(err)
		}
		var of tally
		for _, path := range sample.Of(paths, every) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			t.Run(filepath.Base(path), func(t *testing.T) { of.check(t, client, effectstest.Effect{Name: filepath.Base(path), Data: data}) })
		}
		if of.effects == 0 {
			continue
		}
		t.Logf("%s: %v", files, of)
		if of.effects == corpusEffects && (of.Whole < wanted || of.fed[0] == 0 || of.fed[1] == 0) {
			t.Errorf("of the corpus too little is drawn, or no preshader runs")
		}
	}
}

// framework is the vertex program of passes that have none.
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

// tally is what was drawn of some effects.
type tally struct {
	effects, grown, draws int
	effectstest.Seen
	fed       [2]int // programs, before and after, whose preshader uploads other numbers at some draws than at others
	worst     float64
	asserting int // of them, which are not drawn
}

func (c tally) String() string {
	return fmt.Sprintf("%d effects, %d of which grow; %v, in %d draws at most %.2g apart; %d preshaders at work before, %d after; %d not drawn, for assertions",
		c.effects, c.grown, c.Seen, c.draws, c.worst, c.fed[0], c.fed[1], c.asserting)
}

// check optimizes an effect, draws it before and after, and returns what was seen before.
func (c *tally) check(t *testing.T, client string, e effectstest.Effect) []string {
	decoded, err := fx.Decode(e.Name, e.Data)
	if err != nil {
		t.Fatal(err)
	}
	c.effects++
	if os.Getenv("SHADERLIFT_MOJOSHADER") == installed && slices.Contains(asserting, e.Name) {
		c.asserting++
		t.Skip("its preshader sets booleans, with which a MojoShader that has assertions ends")
	}
	before, fed := see(t, client, e.Data, 0)
	c.fed[0] += fed
	why := effectstest.Looked(nil, before, decoded)
	var other []string // another scene, where the first leaves something unseen
	if slices.ContainsFunc(slices.Collect(maps.Values(why)), func(reason string) bool { return reason != "" }) {
		other, _ = see(t, client, e.Data, 1)
	}
	c.Count(effectstest.Looked(why, other, decoded))
	for _, grow := range []bool{false, true} {
		res, err := shaderlift.Optimize(t.Context(), shaderlift.Input{Files: []shaderlift.File{{Name: e.Name, Data: e.Data}}}, shaderlift.Options{Target: shaderlift.SlotTarget, Grow: grow})
		if err != nil {
			t.Fatal(err)
		}
		if grow && res.Growth == nil {
			continue
		}
		after, fed := see(t, client, res.Files[0].Data, 0)
		old := before
		if other != nil {
			more, _ := see(t, client, res.Files[0].Data, 1)
			old, after = slices.Concat(old, other), slices.Concat(after, more)
		}
		if grow {
			c.grown++
			old, after = effectstest.WithoutSelection(decoded, old), effectstest.WithoutSelection(decoded, after)
		} else {
			c.fed[1] += fed
		}
		d := effectstest.Compare(old, after)
		for _, what := range d.Wrong {
			t.Errorf("with growth %v: %s", grow, what)
		}
		c.draws += d.Draws
		c.worst = max(c.worst, d.Worst)
	}
	return before
}

// shown are the pictures with something on them.
func shown(lines []string) []string {
	return slices.DeleteFunc(effectstest.Pictures(lines), effectstest.Blank)
}

// see draws an effect in one of the client's scenes. It returns what there was to see, and for how many programs a preshader
// uploads other numbers after parameters have changed.
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

// noDevice is the client's status where nothing can be drawn at all.
const noDevice = 77

// installed is the MojoShader that the system has.
const installed = "installed"

func buildClient(t *testing.T, checkout string) string {
	t.Helper()
	if checkout == installed {
		return buildInstalled(t)
	}
	script, err := filepath.Abs(filepath.Join(shared, "judges/mojoshader.sh"))
	if err != nil {
		t.Fatal(err)
	}
	if checkout, err = filepath.Abs(checkout); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	source, library, client := filepath.Join(dir, "client.c"), filepath.Join(dir, "mojoshader.a"), filepath.Join(dir, "client")
	if err := os.WriteFile(source, clientSource, 0o644); err != nil {
		t.Fatal(err)
	}
	// With assertions MojoShader ends where a preshader sets booleans.
	flags := []string{"-DMOJOSHADER_EFFECT_SUPPORT", "-DNDEBUG"}
	for _, args := range [][]string{
		append([]string{"sh", script, checkout, library}, flags...),
		append([]string{"gcc", "-O1", "-DMOJOSHADER_NO_VERSION_INCLUDE", "-iquote", checkout, "-o", client, source, library, "-lEGL", "-lGL", "-lm"}, flags...),
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	return client
}

func buildInstalled(t *testing.T) string {
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
	args := append([]string{"-O1", "-DNO_CONTEXT", "-DMOJOSHADER_EFFECT_SUPPORT", "-o", client, source}, strings.Fields(string(flags))...)
	if out, err := exec.Command("gcc", append(args, "-lEGL", "-lGL", "-lm")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return client
}

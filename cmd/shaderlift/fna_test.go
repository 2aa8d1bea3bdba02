package main

import (
	"bytes"
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shaderlift/shaderlift/internal/test/fxtest"
)

// TestFNARules tests the rules of examples/fna for builds of FNA games.
func TestFNARules(t *testing.T) {
	t.Setenv(asCommand, "1")
	t.Run("make", testMake)
	t.Run("MSBuild", testTargets)
}

// game returns a folder with an effect.
func game(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var b fxtest.Builder
	b.Technique("Main")
	b.AddPass("P0", fxtest.Shader{Data: fxtest.Assemble("vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0.xy, v1\n")},
		fxtest.Shader{Data: fxtest.Assemble("ps_2_0\ndcl t0.xy\ndcl_2d s0\ntexld r0, t0, s0\nmov r1, r0\nadd r1, r1, r0\nmov r2, r1\nmov oC0, r2\n")})
	if err := os.Mkdir(filepath.Join(dir, "Effects"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "Effects", "Water.fxb"), b.Build(), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// differs checks that the effect at path is an optimized version of the game's effect.
func differs(t *testing.T, dir, path string) {
	t.Helper()
	before, err := os.ReadFile(filepath.Join(dir, "Effects", "Water.fxb"))
	if err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(filepath.Join(dir, path))
	if err != nil || bytes.Equal(before, after) {
		t.Errorf("%s is not an optimized effect: %v", path, err)
	}
}

// testMake checks that make builds missing effects, and rebuilds changed ones.
func testMake(t *testing.T) {
	program, err := exec.LookPath("make")
	if err != nil {
		t.Skip("skipped: there is no make")
	}
	rules, err := filepath.Abs("../../examples/fna/Makefile")
	if err != nil {
		t.Fatal(err)
	}
	dir := game(t)
	run := func() string {
		cmd := exec.Command(program, "-f", rules, "SHADERLIFT="+os.Args[0])
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	if out := run(); !strings.Contains(out, " opt ") {
		t.Errorf("no effect is built: %s", out)
	}
	differs(t, dir, "Content/Water.fxb")
	if out := run(); strings.Contains(out, " opt ") {
		t.Errorf("an unchanged effect is rebuilt: %s", out)
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "Effects", "Water.fxb"), later, later); err != nil {
		t.Fatal(err)
	}
	if out := run(); !strings.Contains(out, " opt ") {
		t.Errorf("a changed effect is not rebuilt: %s", out)
	}
}

// testTargets runs the command that MSBuild would run for an effect, without MSBuild.
func testTargets(t *testing.T) {
	data, err := os.ReadFile("../../examples/fna/Shaderlift.targets")
	if err != nil {
		t.Fatal(err)
	}
	var project struct {
		PropertyGroup struct{ ShaderliftFlags, ShaderliftTo string }
		Target        struct {
			Exec struct {
				Command string `xml:",attr"`
			}
		}
	}
	if err := xml.Unmarshal(data, &project); err != nil {
		t.Fatal(err)
	}
	dir := game(t)
	expand := strings.NewReplacer("$(Shaderlift)", os.Args[0], "$(ShaderliftFlags)", project.PropertyGroup.ShaderliftFlags,
		"$(ShaderliftTo)", project.PropertyGroup.ShaderliftTo,
		"$(IntermediateOutputPath)", "obj/", "%(Effect.Filename)", "Water", "%(Effect.Extension)", ".fxb", "%(Effect.FullPath)", filepath.Join(dir, "Effects", "Water.fxb"))
	line := expand.Replace(expand.Replace(project.Target.Exec.Command))
	if strings.ContainsAny(line, "$%@") {
		t.Fatalf("%s is not understood", line)
	}
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	differs(t, dir, "obj/Effects/Water.fxb")
}

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

// TestFNARules tests the rules of examples/fna and examples/ci for builds of games.
func TestFNARules(t *testing.T) {
	t.Setenv(asCommand, "1")
	t.Run("make", testMake)
	t.Run("MSBuild", testTargets)
	t.Run("GitHub", testWorkflow)
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
	run := func(goals ...string) string {
		cmd := exec.Command(program, append([]string{"-f", rules, "SHADERLIFT=" + os.Args[0]}, goals...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil && len(goals) == 0 {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	if out := run("check"); !strings.Contains(out, "Content/Water.fxb: missing") {
		t.Errorf("a missing effect passes: %s", out)
	}
	if out := run(); !strings.Contains(out, " opt ") {
		t.Errorf("no effect is built: %s", out)
	}
	differs(t, dir, "Content/Water.fxb")
	if out := run("check", "verify"); !strings.Contains(out, "1 input: 1 proved") || strings.Contains(out, "stale") {
		t.Errorf("a current effect fails: %s", out)
	}
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

// testTargets runs the commands that MSBuild would run, without MSBuild.
func testTargets(t *testing.T) {
	data, err := os.ReadFile("../../examples/fna/Shaderlift.targets")
	if err != nil {
		t.Fatal(err)
	}
	var project struct {
		PropertyGroup struct{ ShaderliftFlags, ShaderliftTo string }
		Target        []struct {
			Name string `xml:",attr"`
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
		"$(ShaderliftTo)", project.PropertyGroup.ShaderliftTo, "$(ShaderliftContent)", "bin/Content",
		"$(IntermediateOutputPath)", "obj/", "%(Effect.Filename)", "Water", "%(Effect.Extension)", ".fxb", "%(Effect.FullPath)", filepath.Join(dir, "Effects", "Water.fxb"))
	lines := map[string]string{}
	for _, target := range project.Target {
		line := expand.Replace(expand.Replace(target.Exec.Command))
		if strings.ContainsAny(line, "$%@") {
			t.Fatalf("%s is not understood", line)
		}
		lines[target.Name] = line
	}
	run := func(target string, status int) {
		t.Helper()
		cmd := exec.Command("sh", "-c", lines[target])
		cmd.Dir = dir
		if out, _ := cmd.CombinedOutput(); lines[target] == "" || cmd.ProcessState.ExitCode() != status {
			t.Fatalf("%s: %s ends with %v\n%s", target, lines[target], cmd.ProcessState, out)
		}
	}
	run("CheckEffects", statusRefused)
	run("OptimizeEffects", statusDone)
	differs(t, dir, "obj/Effects/Water.fxb")
	run("CheckEffects", statusDone)
	water, err := os.ReadFile(filepath.Join(dir, "Effects", "Water.fxb"))
	if err != nil || writeFile(filepath.Join(dir, "bin", "Content", "Water.xnb"), water) != nil {
		t.Fatal("cannot write the content: ", err)
	}
	run("OptimizeContent", statusDone)
	differs(t, dir, "bin/Content/Water.xnb")
	run("OptimizeContent", statusDone)
}

// testWorkflow runs the shell lines of the workflow in a clone of a game whose branch changes its effect.
func testWorkflow(t *testing.T) {
	data, err := os.ReadFile("../../examples/ci/github.yml")
	if err != nil {
		t.Fatal(err)
	}
	dir, bin := t.TempDir(), t.TempDir()
	if _, err := exec.LookPath("git"); err != nil || os.Symlink(os.Args[0], filepath.Join(bin, "shaderlift")) != nil {
		t.Skip("skipped: there are no git or no links")
	}
	summary := filepath.Join(dir, "summary")
	sh := func(at string, status int, script string) string {
		t.Helper()
		cmd := exec.Command("sh", "-ec", script)
		cmd.Dir = at
		cmd.Env = append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "GITHUB_BASE_REF=main",
			"GITHUB_STEP_SUMMARY="+summary, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a",
			"GIT_COMMITTER_EMAIL=a@b", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		out, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != status {
			t.Fatalf("%s\nends with %v:\n%s", script, cmd.ProcessState, out)
		}
		return string(out)
	}
	origin := game(t)
	const commit = "git add . && git commit -qm x\n"
	sh(origin, 0, "git init -q -b main . && cp -r Effects Content\n"+commit)
	sh(dir, 0, "git clone -q "+origin+" work")
	work := filepath.Join(dir, "work")
	steps := shellLines(string(data))
	if len(steps) != 4 || !strings.HasPrefix(steps[0], "go install ") {
		t.Fatalf("%d steps: %q", len(steps), steps)
	}
	if out := sh(work, statusRefused, steps[1]); !strings.Contains(out, "Content/Water.fxb: stale") {
		t.Errorf("a stale effect is not named: %s", out)
	}
	sh(work, 0, "shaderlift opt -q -o Content Effects\n"+commit)
	for _, step := range steps[1:] {
		sh(work, 0, step)
	}
	if text, err := os.ReadFile(summary); err != nil || !strings.Contains(string(text), "| pixel slots | 1 | 5 | 3 | -40.0 % | 1 | 0 |") {
		t.Errorf("the summary is %s, %v", text, err)
	}
}

// shellLines returns the scripts of the steps of a workflow.
func shellLines(text string) (scripts []string) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		script, found := strings.CutPrefix(strings.TrimSpace(line), "run: ")
		if !found {
			continue
		}
		if script == "|" {
			margin := len(line) - len(strings.TrimLeft(line, " ")) + 2
			for script = ""; i+1 < len(lines) && strings.HasPrefix(lines[i+1], strings.Repeat(" ", margin)); i++ {
				script += lines[i+1][margin:] + "\n"
			}
		}
		scripts = append(scripts, script)
	}
	return scripts
}

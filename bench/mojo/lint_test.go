package mojo_test

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/internal/test/fxtest"
)

//go:embed client/parse.c
var parseSource []byte

// unparsed are the rules of lint for programs that MojoShader parses and translates wrongly.
var unparsed = map[string]bool{"split-selector": true, "macro-mask of lit": true, "macro-mask of crs": true, "macro-mask of dst": true}

// TestMojoShaderLint compares the findings of lint with the programs that MojoShader refuses: a program for each rule,
// compiled programs, and the texts of the training corpus.
func TestMojoShaderLint(t *testing.T) {
	if os.Getenv("SHADERLIFT_MOJOSHADER") == "" {
		t.Skip("set SHADERLIFT_MOJOSHADER=1 to ask the MojoShader that is installed")
	}
	dir := t.TempDir()
	source, client := filepath.Join(dir, "parse.c"), filepath.Join(dir, "parse")
	if err := os.WriteFile(source, parseSource, 0o644); err != nil {
		t.Fatal(err)
	}
	flags, err := exec.Command("pkg-config", "--cflags", "--libs", "mojoshader").Output()
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", append([]string{"-O1", "-o", client, source}, append(strings.Fields(string(flags)), "-lm")...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	programs := map[string][]byte{}
	for i, text := range []string{
		"ps_1_4\ntexcrd r0.rgb, t0\nmov r0.a, c0\n", "ps_1_4\ntexld r0, t0\n", "ps_1_1\ntex t0\ntexreg2gb t1, t0\nmov r0, t1\n",
		"ps_1_1\ntexcoord t0\nmov r0, t0\n", "ps_1_2\ntex t0\ntexdp3 t1, t0\nmov r0, t1\n", "ps_1_1\ntex t0\ntexbem t1, t0\nmov r0, t1\n",
		"ps_1_2\ntex t0\ntexm3x3pad t1, t0\ntexm3x3pad t2, t0\ntexm3x3 t3, t0\nmov r0, t3\n",
		"vs_1_1\ndcl_position v0\nm3x3 r0, v0, c0\nmov oPos, r0\n", "vs_1_1\ndcl_position v0\nm4x3 r0, v0, c0\nmov oPos, r0\n",
		"vs_2_0\ndcl_position v0\nmova a0.x, v0.x\nmov oPos, c[a0.x]\n", "vs_2_0\ndcl_position v0\nsgn r0, v0, r1, r2\nmov oPos, r0\n",
		"ps_3_0\ndcl_texcoord v0\nsetp_gt p0, v0, c0\nmov r0, c0\n(p0) mov r0, c1\nmov oC0, r0\n", "ps_2_0\nadd r0, r1, c0\nmov oC0, r0\n",
		"ps_2_0\nmov r0.xyz, c0\nmov oC0, r0\n", "vs_3_0\ndcl_position v0\ndcl_position o0\nmov r0, v0\nloop aL, i0\nadd r0, r0, c0\nendloop\nmov o0, r0\n",
		"ps_3_0\ndcl_texcoord v0\ndsx r0, v0\nmov oC0, r0\n", "ps_1_1\ntex t0\nmov r0, t0\ncnd r0, r0.a, t0, v0\n",
		"ps_2_0\ntexkill r2\nmad r0, r0, c0, c1\nmov oC0, r0\n", "vs_1_1\ndcl_position v0\nrcp r0, v0\nmov oPos, r0\n",
		"vs_1_1\ndcl_position v0\nexp r0, v0\nmov oPos, r0\n", "ps_2_0\ndcl_centroid t0\nmov r0, t0\nmov oC0, r0\n",
		"ps_3_0\nmul r0, vPos.x, c0\nmov oC0, r0\n",
	} {
		programs[fmt.Sprintf("rule%d", i)] = fxtest.Assemble(text)
	}
	paths, err := filepath.Glob(filepath.Join(shared, "corpus/d3d9/text/[n-zN-Z]*/*.asm")) // none in a clone
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if code, err := shaderlift.Assemble(shaderlift.File{Name: path, Data: data}); err == nil {
			programs[filepath.Base(path)] = code
		}
	}
	refused, files := map[string]string{}, []string{}
	for name, code := range programs {
		path := filepath.Join(dir, name+".bin")
		if err := os.WriteFile(path, code, 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	out, err := exec.Command(client, files...).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		path, why, _ := strings.Cut(strings.TrimSpace(line), "\t")
		refused[strings.TrimSuffix(filepath.Base(path), ".bin")] = why
	}
	for name, code := range programs {
		list, err := shaderlift.Lint(shaderlift.Input{Files: []shaderlift.File{{Name: name, Data: code}}}, "mojoshader")
		if err != nil {
			t.Fatal(err)
		}
		found := ""
		for _, f := range list {
			op, _, _ := strings.Cut(f.Msg, " ")
			if !unparsed[string(f.Code)] && !unparsed[string(f.Code)+" of "+op] {
				found = f.Error()
			}
		}
		if (found != "") != (refused[name] != "") {
			t.Errorf("%s: MojoShader says %q, and lint says %q", name, refused[name], found)
		}
	}
	t.Logf("%d programs, %d refused", len(programs), len(refused))
}

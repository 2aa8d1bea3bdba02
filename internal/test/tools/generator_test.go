package tools

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// transitions finds assembly kernels with instructions of both encodings. If the upper halves of
// vectors are in use, each change takes a hundred cycles (Intel's optimization manual, "Mixing AVX code
// with SSE code").
var transitions = regexp.MustCompile(`Requires:.*\bAVX.*\bSSE.*`)

// generator is the module that writes assembly kernels.
const generator = "../../../bench/simdgen"

// TestGenerated runs the generator of assembly for each package and compares its output with the files of the
// package. The generator's assembler is in a separate module. If that is neither installed nor
// downloadable, the test skips, unless CI is set.
func TestGenerated(t *testing.T) {
	for _, folder := range []string{"verify/interp/internal/lanes", "verify/interp/kernel/internal/eights",
		"machine/sim/internal/wave"} {
		name := filepath.Base(folder)
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			cmd := exec.Command("go", "run", ".", name, dir)
			cmd.Dir = generator
			cmd.Env = append(os.Environ(), "GOWORK=off")
			if out, err := cmd.CombinedOutput(); err != nil {
				if download := exec.Command("go", "mod", "download"); os.Getenv("CI") == "" {
					if download.Dir = generator; download.Run() != nil {
						t.Skip("the modules that simdgen/go.mod names cannot be fetched")
					}
				}
				t.Fatalf("%v\n%s", err, out)
			}
			checkGenerated(t, dir, filepath.Join("../../..", folder))
		})
	}
}

// grammars is the folder of the grammar that the tables of SPIR-V are made from.
const grammars = "/usr/include/spirv/unified1"

// TestGeneratedTables runs the generator of the tables of package asm/spirv on the grammar of Debian's package
// spirv-headers. It skips if that is not installed, or has another revision of the grammar.
func TestGeneratedTables(t *testing.T) {
	const folder = "../../../asm/spirv"
	dir := t.TempDir()
	if _, err := os.Stat(grammars); err != nil {
		t.Skip(err)
	}
	cmd := exec.Command("go", "run", "./spirvgen", grammars, dir)
	cmd.Dir = "../../../bench"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	version := regexp.MustCompile(`grammarVersion = .*`)
	made, err := os.ReadFile(filepath.Join(dir, "opcodes.go"))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(folder, "opcodes.go")); err != nil || !bytes.Equal(version.Find(made), version.Find(text)) {
		t.Skipf("the tables are made from another grammar than %q: %v", version.Find(made), err)
	}
	checkGenerated(t, dir, folder)
}

// checkGenerated compares the files in a folder with those of the same names in a package.
func checkGenerated(t *testing.T, dir, folder string) {
	t.Helper()
	made, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(made) == 0 {
		t.Fatalf("nothing was made: %v", err)
	}
	for _, path := range made {
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(folder, filepath.Base(path))); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator makes: run go generate (%v)", filepath.Base(path), err)
		}
		if mixed := transitions.Find(want); mixed != nil {
			t.Errorf("%s: a kernel goes to and fro between SSE and AVX: %s", filepath.Base(path), mixed)
		}
	}
}

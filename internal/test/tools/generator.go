// Package tools runs other tools in tests: the generators of assembly ([CheckGenerated]), a browser
// ([BrowserAnswer]) and the validator of JSON schemas ([ReadSchema]). Tests with a browser run only with
// SHADERLIFT_PLAYGROUND set, and skip if the programs that they need besides Go are missing.
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

// CheckGenerated runs the generator in the folder gen of a package and compares its output with the files of the
// package. The generator's assembler is in a separate module. If that is neither installed nor
// downloadable, the test skips, unless CI is set.
func CheckGenerated(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("go", "run", ".", dir)
	cmd.Dir = "gen"
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		if download := exec.Command("go", "mod", "download"); os.Getenv("CI") == "" {
			if download.Dir = "gen"; download.Run() != nil {
				t.Skip("the modules that gen/go.mod names cannot be fetched")
			}
		}
		t.Fatalf("%v\n%s", err, out)
	}
	made, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(made) == 0 {
		t.Fatalf("nothing was made: %v", err)
	}
	for _, path := range made {
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Base(path)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator makes: run go generate (%v)", filepath.Base(path), err)
		}
		if mixed := transitions.Find(want); mixed != nil {
			t.Errorf("%s: a kernel goes to and fro between SSE and AVX: %s", filepath.Base(path), mixed)
		}
	}
}

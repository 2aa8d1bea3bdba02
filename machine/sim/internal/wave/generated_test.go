package wave

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestGenerated makes the kernels anew and compares.
func TestGenerated(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command("go", "run", ".", dir)
	cmd.Dir = "gen"
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		if download := exec.Command("go", "mod", "download"); os.Getenv("CI") == "" {
			if download.Dir = "gen"; download.Run() != nil {
				t.Skip("the generator's assembler cannot be had")
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
	}
}

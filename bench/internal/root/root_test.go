package root_test

import (
	"os"
	"testing"

	"github.com/shaderlift/shaderlift/bench/internal/root"
)

func TestEnter(t *testing.T) {
	t.Chdir(".") // restores the working directory
	if err := root.Enter(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("bench/internal/root"); err != nil {
		t.Error(err)
	}
	t.Chdir(t.TempDir())
	if err := root.Enter(); err == nil {
		t.Error("a folder outside of the repository has a root")
	}
}

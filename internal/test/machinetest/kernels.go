package machinetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/ir"
)

// Kernels returns the kernels of a folder of the shared material.
func Kernels(t testing.TB, folder string) []string {
	t.Helper()
	return testcorpus.Glob(t, folder+"/*.il")
}

// Lifted reads and lifts a kernel. It returns nil if the kernel is malformed.
func Lifted(t testing.TB, file string) *ir.Func {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	k, err := il.Parse(file, data)
	if err != nil {
		return nil
	}
	f, err := amdil.Lift(k)
	if err != nil {
		t.Fatalf("%s: %v", filepath.Base(file), err)
	}
	return f
}

package suite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/gen/ilgen"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
)

// kernels calls visit with generated kernels, and with the well-formed kernels of the shared corpus.
func kernels(t *testing.T, visit func(name string, k *il.Kernel)) {
	t.Helper()
	for seed := range testcorpus.Count[uint64](16, 200) {
		visit(fmt.Sprintf("seed %d", seed), ilgen.Kernel(seed, ilgen.Options{}))
	}
	for _, path := range testcorpus.EveryNth(testcorpus.GlobOptional(t, "corpus/il/*.il"), 8) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		k, err := il.Parse(filepath.Base(path), data)
		if err != nil || len(il.Check(k)) > 0 {
			continue // malformed as found
		}
		visit(filepath.Base(path), k)
	}
}

// Every pass alone, and every level, keeps kernels valid and writable.
func TestKernels(t *testing.T) {
	names := []string{"-O1", "-O2", "-O3", "gvn{mixed=true}", "copyprop{mixed=true}",
		"fold{zero-products=true}"}
	for _, p := range suite.Passes {
		names = append(names, p.Name)
	}
	lifted, read := map[string]*passes.Unit{}, map[string]*il.Kernel{}
	var order []string
	kernels(t, func(name string, k *il.Kernel) {
		f, err := amdil.Lift(k)
		if err != nil {
			return // unsupported code is reported, which another test checks
		}
		lifted[name], read[name] = &passes.Unit{Name: name, Kernel: f}, k
		order = append(order, name)
	})
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			p, err := suite.Parse(name)
			if name[0] == '-' {
				p, err = suite.KernelLevel(int(name[2] - '0'))
			}
			if err != nil {
				t.Fatal(err)
			}
			steps := 0
			for _, kernel := range order {
				u := lifted[kernel].Clone()
				report, err := passes.Run(u, p, passes.Config{Numerics: passes.Approx})
				if err != nil {
					t.Errorf("%s: %v", kernel, err)
				}
				if steps += report.Steps; report.Steps == 0 && name != names[0] {
					continue // it is emitted unchanged
				}
				out, err := amdil.Emit(read[kernel], u.Kernel)
				if err != nil {
					t.Errorf("%s: %v", kernel, err)
					continue
				}
				back, err := il.Parse(kernel, il.Print(out))
				if err != nil || len(il.Check(back)) > 0 {
					t.Errorf("%s: %v %v", kernel, err, il.Check(back))
				}
			}
			t.Logf("%d kernels, %d rewrites", len(order), steps)
		})
	}
}

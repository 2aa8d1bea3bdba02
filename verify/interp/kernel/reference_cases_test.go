package kernel_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/gen/ilgen"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// TestOwnCases checks that every kernel of this repository has a case on which it runs.
func TestOwnCases(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(ownKernels, "*.il"))
	if err != nil || len(files) < 17 {
		t.Fatalf("%d kernels, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			k, err := il.Parse(file, data)
			if err != nil {
				t.Fatal(err)
			}
			if ds := il.Check(k); len(ds) > 0 {
				t.Fatal(ds)
			}
			name := strings.TrimSuffix(file, ".il") + ".case"
			if data, err = os.ReadFile(name); err != nil {
				t.Fatal(err)
			}
			c, err := kernel.ParseCaseWith(name, data, kernel.Beside(name))
			if err != nil {
				t.Fatal(err)
			}
			p, err := kernel.Compile(k)
			if err != nil {
				t.Fatal(err)
			}
			res, err := p.Run(c, kernel.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(everything(res), func(w uint32) bool { return w != 0 }) {
				t.Error("all results are nought")
			}
		})
	}
}

// TestRandomKernels checks that random kernels end, with the same result for one worker and for four.
func TestRandomKernels(t *testing.T) {
	for _, stage := range []il.Stage{il.Pixel, il.Compute} {
		for seed := range testcorpus.Count[uint64](40, 150) {
			k := ilgen.Kernel(seed, ilgen.Options{Stage: stage, Size: 10 + int(seed)%80})
			p, err := kernel.Compile(k)
			if err != nil {
				t.Fatalf("%s, seed %d: %v", stage, seed, err)
			}
			c := kernel.DefaultCase(k, seed)
			one, err := p.Run(c, kernel.Options{Workers: 1})
			if err != nil {
				t.Fatalf("%s, seed %d: %v\n%s", stage, seed, err, il.Print(k))
			}
			four, err := p.Run(c, kernel.Options{Workers: 4})
			if err != nil {
				t.Fatalf("%s, seed %d: %v", stage, seed, err)
			}
			if !slices.Equal(everything(one), everything(four)) {
				t.Fatalf("%s, seed %d: the results depend on the workers\n%s", stage, seed, il.Print(k))
			}
		}
	}
}

// TestDamagedKernels checks that damaged kernels that still parse end with a result or an error, without
// panics or endless runs.
func TestDamagedKernels(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 1))
	run := 0
	for seed := range uint64(1500) {
		stage := il.Stage(seed % 2)
		text := ilgen.Mutate(ilgen.Text(seed, ilgen.Options{Stage: stage}), r)
		k, err := il.Parse("damaged", text)
		if err != nil {
			continue
		}
		p, err := kernel.Compile(k)
		if err != nil {
			continue
		}
		run++
		_, _ = p.Run(kernel.DefaultCase(k, seed), kernel.Options{Steps: 1 << 20})
	}
	if run < 20 {
		t.Errorf("%d kernels were run", run)
	}
}

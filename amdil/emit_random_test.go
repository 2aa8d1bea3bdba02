package amdil_test

import (
	"os"
	"strconv"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/gen/ilgen"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
)

// count returns how many random kernels a test tries.
func count(n int) uint64 {
	if s := os.Getenv("KERNELS"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	return uint64(n)
}

func TestEmitRandom(t *testing.T) {
	lifted, same, total, after, ran := 0, 0, 0, 0, 0
	for seed := range count(20) {
		o := ilgen.Options{Stage: il.Stage(seed & 1), Size: int(20 + seed%80), Straight: seed%3 == 0}
		k := ilgen.Kernel(seed, o)
		f, err := amdil.Lift(k)
		if err != nil {
			if seed < 20 {
				t.Log(err)
			}
			continue
		}
		lifted++
		if err := f.Check(); err != nil {
			t.Fatal(seed, err)
		}
		out, g := emitted(t, strconv.Itoa(int(seed)), k, f)
		if passtest.SameRuns(t, k, out, 2) {
			ran++
		}
		a, _ := statements(k)
		b, _ := statements(out)
		total, after = total+a, after+b
		if f.StructuralHash() == g.StructuralHash() {
			same++
		}
	}
	t.Logf("%d lifted, %d the same again, %d run; %d statements of %d", lifted, same, ran, after, total)
}

// The output of the general passes can be written too, and computes the same.
func TestEmitPasses(t *testing.T) {
	pipeline, err := suite.Parse("copyprop,gvn,dce,fold,copyprop,dce")
	if err != nil {
		t.Fatal(err)
	}
	try := func(name string, k *il.Kernel, runs *passtest.Runs) {
		f, err := amdil.Lift(k)
		if err != nil {
			t.Fatal(err)
		}
		u := &passes.Unit{Name: name, Kernel: f}
		if _, err := passes.Run(u, pipeline, passes.Config{}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out, _ := emitted(t, name, k, u.Kernel)
		runs.Same(t, out)
	}
	for seed := range count(20) {
		o := ilgen.Options{Stage: il.Stage(seed & 1), Size: int(20 + seed%60), Straight: seed%5 == 0, Typed: true,
			Exact: true}
		k := ilgen.Kernel(seed, o)
		try(strconv.Itoa(int(seed)), k, passtest.Launch(k, 2))
	}
	corpus(t, func(f file) { try(f.name, f.Kernel, f.runs()) })
}

func FuzzEmit(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, uint8(10*seed), seed&1 != 0, seed&2 != 0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, size uint8, compute, straight bool) {
		o := ilgen.Options{Size: int(size) + 1, Straight: straight}
		if compute {
			o.Stage = il.Compute
		}
		k := ilgen.Kernel(seed, o)
		f, err := amdil.Lift(k)
		if err != nil {
			t.Fatal(err)
		}
		out, _ := emitted(t, "random", k, f)
		passtest.SameRuns(t, k, out, 1)
	})
}

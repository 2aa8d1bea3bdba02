package amdil_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// maxSteps bounds the runs of a test.
const maxSteps = 1 << 24

// sameRuns launches two kernels on made-up inputs and fails the test where they leave
// different words. It reports whether they could be run.
func sameRuns(t testing.TB, name string, was, is *il.Kernel, seeds uint64) bool {
	t.Helper()
	p, err := kernel.Compile(was)
	if err != nil {
		return false
	}
	q, err := kernel.Compile(is)
	if err != nil {
		t.Fatalf("%s: what was written does not run: %v", name, err)
	}
	ran := false
	for seed := range seeds {
		c := kernel.DefaultCase(was, seed)
		a, err := p.Run(c, kernel.Options{Steps: maxSteps})
		if err != nil {
			continue
		}
		b, err := q.Run(c, kernel.Options{Steps: 4 * maxSteps})
		if err != nil {
			t.Fatalf("%s, seed %d: %v", name, seed, err)
		}
		a.Steps, b.Steps = 0, 0
		if b.Global == nil && !storesGlobal(was) {
			a.Global = nil // what named it was dead
		}
		if b.Discarded == nil && !slices.Contains(a.Discarded, true) {
			a.Discarded = nil
		}
		if diff := cmp.Diff(a, b); diff != "" {
			if lines := strings.SplitAfter(diff, "\n"); len(lines) > 20 {
				diff = strings.Join(lines[:20], "")
			}
			t.Fatalf("%s, seed %d: what was written leaves something else:\n%s\n%s", name, seed, diff, il.Print(is))
		}
		ran = true
	}
	return ran
}

// storesGlobal reports whether k has a store to the global buffer that can be reached.
func storesGlobal(k *il.Kernel) (found bool) {
	f, err := amdil.Lift(k)
	if err != nil {
		return true
	}
	f.Walk(func(in *ir.Instr) {
		found = found || in.Op == ir.OpMemStore && in.Base.File == ir.File(il.Global)
	})
	return found
}

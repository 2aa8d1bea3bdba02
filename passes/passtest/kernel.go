package passtest

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// Rewrite runs a pipeline over k, without pricing what comes of it, and is what is written then,
// nil if nothing changed.
func Rewrite(t testing.TB, k *il.Kernel, pipeline string, table []*passes.Pass, class passes.Class) (*il.Kernel, passes.Report) {
	t.Helper()
	p, err := passes.Parse(pipeline, table)
	if err != nil {
		t.Fatal(err)
	}
	f, err := amdil.Lift(k)
	if err != nil {
		t.Fatal(err)
	}
	u := &passes.Unit{Kernel: f}
	report, err := passes.Run(u, p, passes.Config{Numerics: class})
	if err != nil {
		t.Fatal(err)
	}
	if report.Steps == 0 {
		return nil, report
	}
	out, err := amdil.Emit(k, u.Kernel)
	if err != nil {
		t.Fatal(err)
	}
	return out, report
}

// maxSteps bounds the launches of a test. What was written may take four times as many:
// a pass may make a kernel longer.
const maxSteps = 1 << 24

// SameRuns launches two kernels on inputs made up from so many seeds, and fails the test where
// they leave different words. It reports whether they could be run.
func SameRuns(t testing.TB, before, after *il.Kernel, seeds uint64) (ran bool) {
	t.Helper()
	p, err := kernel.Compile(before)
	if err != nil {
		return false
	}
	q, err := kernel.Compile(after)
	if err != nil {
		t.Fatalf("what was written does not run: %v\n%s", err, il.Print(after))
	}
	for seed := range seeds {
		c := kernel.DefaultCase(before, seed)
		a, err := p.Run(c, kernel.Options{Steps: maxSteps})
		if err != nil {
			continue
		}
		b, err := q.Run(c, kernel.Options{Steps: 4 * maxSteps})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, il.Print(after))
		}
		a.Steps, b.Steps = 0, 0
		for _, r := range []*kernel.Result{a, b} {
			if !slices.Contains(r.Discarded, true) {
				r.Discarded = nil // no statement discards, or none did
			}
			if !storesGlobal(before) {
				r.Global = nil // there may be nothing left that names it
			}
		}
		if !reflect.DeepEqual(a, b) { // to find a difference takes far longer than to see that there is none
			lines := strings.SplitAfter(cmp.Diff(a, b), "\n")
			t.Fatalf("seed %d: what was written leaves something else:\n%s\n%s\nof\n%s", seed, strings.Join(lines[:min(len(lines), 20)], ""), il.Print(after), il.Print(before))
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

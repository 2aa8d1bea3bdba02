package passtest

import (
	"os"
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

// ReadKernel reads a kernel from a file.
func ReadKernel(t testing.TB, path string) *il.Kernel {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	k, err := il.Parse(path, data)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// Rewrite runs a pipeline over k, without pricing, and returns the emitted kernel, or nil if nothing changed.
func Rewrite(t testing.TB, k *il.Kernel, pipeline string, table []*passes.Pass, class passes.Class) (*il.Kernel,
	passes.Report) {
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

// maxSteps bounds the launches of a test. The rewritten kernel may take four times as many: a pass may make a
// kernel longer.
const maxSteps = 1 << 24

// SameRuns launches two kernels on inputs generated from several seeds, and fails the test if their results
// differ. It reports whether they could be run.
func SameRuns(t testing.TB, before, after *il.Kernel, seeds uint64) (ran bool) {
	t.Helper()
	return Launch(before, seeds).Same(t, after)
}

// Runs are the results of launches of a kernel, to compare rewritten versions with.
type Runs struct {
	before   *il.Kernel
	global   bool // it stores to global memory
	launches []launched
}

// launched is a launch with its result.
type launched struct {
	seed uint64
	c    *kernel.Case
	res  *kernel.Result
}

// Launch launches a kernel on inputs generated from several seeds, if it can be run.
func Launch(before *il.Kernel, seeds uint64) *Runs {
	r := &Runs{before: before, global: storesGlobal(before)}
	p, err := kernel.Compile(before)
	if err != nil {
		return r
	}
	for seed := range seeds {
		c := kernel.DefaultCase(before, seed)
		if res, err := p.Run(c, kernel.Options{Steps: maxSteps}); err == nil {
			r.launches = append(r.launches, launched{seed, c, r.settled(res)})
		}
	}
	return r
}

// Same launches a rewritten kernel in the same way, and fails the test if the results differ. It reports
// whether there was a launch.
func (r *Runs) Same(t testing.TB, after *il.Kernel) (ran bool) {
	t.Helper()
	if len(r.launches) == 0 {
		return false
	}
	q, err := kernel.Compile(after)
	if err != nil {
		t.Fatalf("the rewritten kernel does not run: %v\n%s", err, il.Print(after))
	}
	for _, l := range r.launches {
		b, err := q.Run(l.c, kernel.Options{Steps: 4 * maxSteps})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", l.seed, err, il.Print(after))
		}
		if b = r.settled(b); !reflect.DeepEqual(l.res, b) { // the diff takes far longer than the comparison
			lines := strings.SplitAfter(cmp.Diff(l.res, b), "\n")
			t.Fatalf("seed %d: the rewritten kernel has other results:\n%s\n%s\nof\n%s", l.seed,
				strings.Join(lines[:min(len(lines), 20)], ""), il.Print(after), il.Print(r.before))
		}
	}
	return true
}

// settled removes parts of a result that may differ.
func (r *Runs) settled(res *kernel.Result) *kernel.Result {
	res.Steps = 0
	if !slices.Contains(res.Discarded, true) {
		res.Discarded = nil // no statement discards, or no invocation was discarded
	}
	if !r.global {
		res.Global = nil // the rewritten kernel may not name it
	}
	return res
}

// storesGlobal reports whether k has a reachable store to the global buffer.
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

package unroll_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/sample"
	"github.com/shaderlift/shaderlift/internal/testcorpus"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/groupfetch"
	"github.com/shaderlift/shaderlift/unroll"
	"github.com/shaderlift/shaderlift/verify/gen/ilgen"
	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

var table = []*passes.Pass{unroll.Unroll, unroll.BreakDeps, groupfetch.Pass}

// apply runs a pipeline over k and returns what is written then, nil if nothing changed.
func apply(t testing.TB, k *il.Kernel, pipeline string, class passes.Class) (*il.Kernel, passes.Report) {
	t.Helper()
	f, err := amdil.Lift(k)
	if err != nil {
		t.Fatal(err)
	}
	p, err := passes.Parse(pipeline, table)
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

// steps bounds the runs of a test.
const steps = 1 << 23

// sameRuns launches two kernels on made-up inputs and fails where they leave different
// words. It reports whether they could be run.
func sameRuns(t testing.TB, was, is *il.Kernel, seeds uint64) (ran bool) {
	t.Helper()
	p, err := kernel.Compile(was)
	if err != nil {
		return false
	}
	q, err := kernel.Compile(is)
	if err != nil {
		t.Fatalf("what was written does not run: %v", err)
	}
	for seed := range seeds {
		c := kernel.DefaultCase(was, seed)
		a, err := p.Run(c, kernel.Options{Steps: steps})
		if err != nil {
			continue
		}
		b, err := q.Run(c, kernel.Options{Steps: 4 * steps})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		a.Steps, b.Steps = 0, 0
		for _, r := range []*kernel.Result{a, b} {
			if !slices.Contains(r.Discarded, true) {
				r.Discarded = nil // no statement discards, or none did
			}
			if !storesGlobal(was) {
				r.Global = nil // there may be nothing left that names it
			}
		}
		if !reflect.DeepEqual(a, b) { // to find a difference takes far longer than to see that there is none
			lines := strings.SplitAfter(cmp.Diff(a, b), "\n")
			t.Fatalf("seed %d: it leaves something else:\n%s\n%s", seed, strings.Join(lines[:min(len(lines), 20)], ""), il.Print(is))
		}
		ran = true
	}
	return ran
}

// storesGlobal reports whether k has a store to the global buffer.
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

// pipelines keep the results bit for bit.
var pipelines = []string{
	"unroll{factor=2}", "unroll{factor=3,inner=false}", "unroll{factor=5},break-deps,group-fetches", "unroll{factor=full}", "unroll{factor=4,remainder=switch}",
	"unroll{factor=auto,inner=false},break-deps,group-fetches{window=8}",
}

// Every kernel does the same after the settings.
func TestRun(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("../testdata/il/*.il")
	more := testcorpus.Some(t, "corpus/il/*.il")
	own := len(files)
	ran, rewritten := 0, 0
	for n, file := range append(files, more...) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		k, err := il.Parse(file, data)
		if err != nil || len(il.Check(k)) > 0 {
			continue
		}
		for i, pipeline := range pipelines {
			if every := sample.Count(6, 2); n >= own && (n+i)%every != 0 { // of the corpus every other one
				continue
			}
			t.Run(filepath.Base(file)+"/"+pipeline, func(t *testing.T) {
				out, _ := apply(t, k, pipeline, passes.Bits)
				if out == nil {
					return
				}
				rewritten++
				if sameRuns(t, k, out, 1) {
					ran++
				}
			})
		}
	}
	t.Logf("%d rewritten, %d run", rewritten, ran)
	if ran == 0 || ran < rewritten*3/4 {
		t.Errorf("of %d that were rewritten %d were run", rewritten, ran)
	}
}

// count is how many random kernels a test tries.
func count(n int) uint64 {
	if s := os.Getenv("KERNELS"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	return uint64(n)
}

func TestRunRandom(t *testing.T) {
	t.Parallel()
	ran, rewritten := 0, 0
	for seed := range count(50) {
		k := ilgen.Kernel(seed, ilgen.Options{Stage: il.Stage(seed & 1), Size: int(20 + seed%60), NoDouble: seed%3 == 0})
		for _, pipeline := range pipelines {
			t.Run(fmt.Sprint(seed, pipeline), func(t *testing.T) {
				out, _ := apply(t, k, pipeline, passes.Bits)
				if out == nil {
					return
				}
				rewritten++
				if sameRuns(t, k, out, 2) {
					ran++
				}
			})
		}
	}
	t.Logf("%d rewritten, %d run", rewritten, ran)
	if ran == 0 || ran < rewritten*3/4 {
		t.Errorf("of %d that were rewritten %d were run", rewritten, ran)
	}
}

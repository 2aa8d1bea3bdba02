package unroll_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/gen/ilgen"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/fetches"
	"github.com/shaderlift/shaderlift/unroll"
)

var table = []*passes.Pass{unroll.Unroll, unroll.BreakDeps, fetches.Group}

// apply runs a pipeline over k and returns the emitted kernel, or nil if nothing changed.
func apply(t testing.TB, k *il.Kernel, pipeline string, class passes.Class) (*il.Kernel, passes.Report) {
	t.Helper()
	return passtest.Rewrite(t, k, pipeline, table, class)
}

// pipelines keep the results bit for bit.
var pipelines = []string{
	"unroll{factor=2}", "unroll{factor=3,inner=false}", "unroll{factor=5},break-deps,group-fetches", "unroll{factor=full}", "unroll{factor=4,remainder=switch}",
	"unroll{factor=auto,inner=false},break-deps,group-fetches{window=8}",
}

// TestRun checks that every kernel computes the same after each pipeline.
func TestRun(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("../testdata/il/*.il")
	more := testcorpus.GlobOptional(t, "corpus/il/*.il")
	own := len(files)
	var tally runTally
	for n, file := range append(files, more...) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		k, err := il.Parse(file, data)
		if err != nil || len(il.Check(k)) > 0 {
			continue
		}
		runs := sync.OnceValue(func() *passtest.Runs { return passtest.Launch(k, 1) })
		for i, pipeline := range pipelines {
			if every := testcorpus.Count(6, 2); n >= own && (n+i)%every != 0 { // every other one of the corpus
				continue
			}
			t.Run(filepath.Base(file)+"/"+pipeline, func(t *testing.T) { tally.run(t, k, pipeline, runs) })
		}
	}
	tally.check(t)
}

// runTally counts kernels that were rewritten, and those of them that were run.
type runTally struct{ rewritten, ran int }

// run checks that a kernel computes the same after a pipeline.
func (y *runTally) run(t *testing.T, k *il.Kernel, pipeline string, runs func() *passtest.Runs) {
	out, _ := apply(t, k, pipeline, passes.Bits)
	if out == nil {
		return
	}
	y.rewritten++
	if runs().Same(t, out) {
		y.ran++
	}
}

// check fails the test if few of the kernels were run.
func (y *runTally) check(t *testing.T) {
	t.Helper()
	t.Logf("%d rewritten, %d run", y.rewritten, y.ran)
	if y.ran == 0 || y.ran < y.rewritten*3/4 {
		t.Errorf("of %d that were rewritten %d were run", y.rewritten, y.ran)
	}
}

// count returns the number of random kernels that a test tries.
func count(n int) uint64 {
	if s := os.Getenv("KERNELS"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	return uint64(n)
}

func TestRunRandom(t *testing.T) {
	t.Parallel()
	var tally runTally
	for seed := range count(50) {
		k := ilgen.Kernel(seed, ilgen.Options{Stage: il.Stage(seed & 1), Size: int(20 + seed%60), NoDouble: seed%3 == 0})
		runs := sync.OnceValue(func() *passtest.Runs { return passtest.Launch(k, 2) })
		for _, pipeline := range pipelines {
			t.Run(fmt.Sprint(seed, pipeline), func(t *testing.T) { tally.run(t, k, pipeline, runs) })
		}
	}
	tally.check(t)
}

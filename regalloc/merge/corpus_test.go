package merge_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/machine/chip"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/regalloc/merge"
	"github.com/shaderlift/shaderlift/verify"
)

// totals holds sums over programs.
type totals struct {
	programs, changed, steps int
	before, after            passes.Cost
}

// add runs the pass alone over u, and reports whether that changed it.
func (x *totals) add(t *testing.T, u *passes.Unit, measure func(*passes.Unit) (passes.Cost, error)) bool {
	t.Helper()
	report, err := passes.Run(u, passes.Pipeline{{Pass: merge.Pass}}, passes.Config{Measure: measure})
	if err != nil {
		t.Errorf("%s: %v", u.Name, err)
		return false
	}
	s := &report.Stats[0]
	if s.Outcome == passes.Reverted || report.Before.Less(report.After) {
		t.Errorf("%s: %v, %v -> %v, %v", u.Name, s.Outcome, report.Before, report.After, report.Remarks)
	}
	x.programs++
	x.steps += report.Steps
	for i := range x.before {
		x.before[i] += report.Before[i]
		x.after[i] += report.After[i]
	}
	if s.Outcome == passes.Changed {
		x.changed++
	}
	return s.Outcome == passes.Changed
}

// kernels calls visit for the kernels of the corpus and of testdata, each with the oldest chip that
// supports it.
func kernels(t testing.TB, visit func(s *passtest.Source, u *passes.Unit, target *chip.Target)) {
	own, err := filepath.Glob("../../testdata/il/*.il")
	if err != nil || len(own) == 0 {
		t.Fatal("no kernels of our own: ", err)
	}
	for _, path := range testcorpus.EveryNth(append(testcorpus.GlobOptional(t, "corpus/il/*.il"), own...), 5) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		k, err := il.Parse(path, data)
		if err != nil || len(il.Check(k)) > 0 {
			continue // malformed as found
		}
		s := &passtest.Source{Name: filepath.Base(path), Kernel: k}
		u, err := s.Lift()
		if err != nil {
			continue // it uses unknown features, which other tests cover
		}
		for _, name := range []string{"rv670", "rv770", "cypress"} {
			target, err := chip.ByName(name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.MeasureKernel(u, target); err == nil {
				visit(s, u, target)
				break
			}
		}
	}
}

// TestKernels checks that no kernel gets more expensive, that changes are proved, and that the
// number of registers falls.
func TestKernels(t *testing.T) {
	var sum totals
	kernels(t, func(s *passtest.Source, u *passes.Unit, target *chip.Target) {
		if !sum.add(t, u, func(u *passes.Unit) (passes.Cost, error) { return s.MeasureKernel(u, target) }) {
			return
		}
		out, err := s.Emit(u)
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			return
		}
		if v := verify.CheckKernel(s.Kernel, out.Kernel, verify.Options{}); !v.Verdict.OK() {
			t.Errorf("%s: %v: %s %v", s.Name, v.Verdict, v.Why, v.Counterexample)
		}
	})
	t.Logf("%d kernels, %d changed by %d rewrites; registers %d -> %d", sum.programs, sum.changed, sum.steps,
		sum.before[1], sum.after[1])
	if sum.after[1] >= sum.before[1] {
		t.Errorf("registers %d -> %d", sum.before[1], sum.after[1])
	}
}

// TestShaders checks that no shader gets more expensive, that changes are proved, and that the
// number of temporaries falls.
func TestShaders(t *testing.T) {
	var sum totals
	passtest.Corpus(t, func(s *passtest.Source) {
		u, err := s.Lift()
		if err != nil {
			t.Fatal(err)
		}
		if !sum.add(t, u, s.Measure) {
			return
		}
		out, err := s.Emit(u)
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			return
		}
		v := verify.Check(verify.Pair{Vertex: s.Vertex, Pixel: s.Pixel}, verify.Pair{Vertex: out.Vertex, Pixel: out.Pixel},
			verify.Options{Numerics: verify.Real})
		if !v.Verdict.OK() {
			t.Errorf("%s: %v: %s %+v", s.Name, v.Verdict, v.Why, v.Counterexample)
		}
	})
	t.Logf("%d shaders, %d changed by %d rewrites; pixel slots, vertex slots, runs of reads, temporaries %v -> %v",
		sum.programs, sum.changed, sum.steps, sum.before, sum.after)
	if sum.after[3] >= sum.before[3] {
		t.Errorf("temporaries %d -> %d", sum.before[3], sum.after[3])
	}
}

package suite_test

import (
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/verify"
)

// Every general pass alone, and the default level, keeps programs of the corpus valid and makes none
// costlier. Nothing is refuted, and the rewrites of the general passes are proved. The sums are logged (go
// test -v).
func TestCorpus(t *testing.T) {
	names := []string{"dce", "copyprop", "copyprop{mixed=true}", "fold", "gvn", "gvn{mixed=true}", "-O2"}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			p, err := suite.Level(suite.DefaultLevel)
			if name != "-O2" {
				p, err = suite.Parse(name)
			}
			if err != nil {
				t.Fatal(err)
			}
			want := verify.ProvedReal
			if name == "-O2" {
				want = verify.Unknown // the caller decides about unproved results
			}
			corpusRun(t, p, want)
		})
	}
}

func corpusRun(t *testing.T, p passes.Pipeline, want verify.Verdict) {
	programs, changed, reverted, steps := 0, 0, 0, 0
	var before, after passes.Cost
	passtest.Corpus(t, func(s *passtest.Source) {
		u, err := s.Lift()
		if err != nil {
			t.Fatal(err)
		}
		report, err := passes.Run(u, p, passes.Config{Numerics: passes.Real, Measure: s.Measure})
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			return
		}
		programs++
		steps += report.Steps
		touched := false
		for _, x := range report.Stats {
			touched = touched || x.Outcome == passes.Changed
			if x.Outcome == passes.Reverted {
				reverted++
			}
		}
		for i := range before {
			before[i] += report.Before[i]
			after[i] += report.After[i]
		}
		if report.Before.Less(report.After) {
			t.Errorf("%s: costs %v, was %v", s.Name, report.After, report.Before)
		}
		if !touched {
			return
		}
		changed++
		out, err := s.Emit(u)
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			return
		}
		if clobbered(out.Pixel) && !clobbered(s.Pixel) {
			t.Errorf("%s: clients that split cmp read overwritten operands", s.Name)
		}
		v := verify.Check(verify.Pair{Vertex: s.Vertex, Pixel: s.Pixel}, verify.Pair{Vertex: out.Vertex, Pixel: out.Pixel},
			verify.Options{Numerics: verify.Real})
		if v.Verdict == verify.Refuted || v.Verdict < want {
			t.Errorf("%s: %v: %s %+v", s.Name, v.Verdict, v.Why, v.Counterexample)
		}
	})
	t.Logf("%d programs, %d changed by %d rewrites, %d stages reverted; pixel, vertex slots and temporaries %v -> %v",
		programs, changed, steps, reverted, before, after)
}

// clobbered reports whether a program has a statement that means something else to clients that split it.
func clobbered(p *d3d9.Program) bool {
	return p != nil && slices.ContainsFunc(p.Insts, func(in d3d9.Inst) bool { return in.ClobberedBySplit() })
}

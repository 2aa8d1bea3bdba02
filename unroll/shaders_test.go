package unroll_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/gen"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/verify"
)

func judge(before, after *passtest.Source) verify.Report {
	return verify.Check(verify.Pair{Vertex: before.Vertex, Pixel: before.Pixel},
		verify.Pair{Vertex: after.Vertex, Pixel: after.Pixel}, verify.Options{Numerics: verify.Bits})
}

// unpriced runs a pipeline over s without a cost model.
func unpriced(t *testing.T, s *passtest.Source, pipeline string) (*passes.Unit, passes.Report) {
	t.Helper()
	p, err := passes.Parse(pipeline, table)
	if err != nil {
		t.Fatal(err)
	}
	u, err := s.Lift()
	if err != nil {
		t.Fatal(err)
	}
	report, err := passes.Run(u, p, passes.Config{Numerics: passes.Bits})
	if err != nil {
		t.Fatalf("%s: %v", s.Name, err)
	}
	return u, report
}

// unrolled runs a pipeline over s without a price and verifies the emitted program. It counts in
// tally the unrolled loops and the reasons for the others.
func unrolled(t *testing.T, s *passtest.Source, pipeline string, tally map[string]int) {
	t.Helper()
	u, report := unpriced(t, s, pipeline)
	for _, r := range report.Remarks {
		tally[string(r.Code)]++
	}
	if report.Steps == 0 {
		return
	}
	out, err := s.Emit(u)
	if err != nil {
		tally["cannot be written"] += report.Steps
		return
	}
	tally["unrolled"] += report.Steps
	switch r := judge(s, out); {
	case r.Verdict == verify.Refuted || strings.HasPrefix(r.Why, "form"):
		t.Errorf("%s after %s is %v: %s", s.Name, pipeline, r.Verdict, r.Why)
	default:
		if tally[r.Verdict.String()]++; !r.Verdict.OK() {
			t.Logf("%s after %s is %v: %s", s.Name, pipeline, r.Verdict, r.Why)
		}
	}
}

// TestCorpusLoops unrolls the loops of the corpus. A loop with a literal count is unrolled with two
// exceptions: it has an early exit and the factor does not divide the count, or 255 copies would be
// too large.
func TestCorpusLoops(t *testing.T) {
	for n, pipeline := range []string{"unroll{factor=full,inner=false}", "unroll{factor=2}",
		"unroll{factor=3,inner=false}"} {
		tally := map[string]int{}
		i := n
		passtest.Corpus(t, func(s *passtest.Source) {
			if i++; i%testcorpus.Count(3, 1) != 0 { // another sample for each pipeline
				return
			}
			u, err := s.Lift()
			if err != nil {
				t.Fatal(err)
			}
			found := 0
			for _, f := range u.Funcs() {
				f.Walk(func(in *ir.Instr) {
					if in.Op == ir.OpLoop {
						found++
					}
				})
			}
			if tally["found"] += found; found > 0 {
				unrolled(t, s, pipeline, tally)
			}
		})
		t.Logf("%s: %v", pipeline, tally)
		if declined := tally["found"] - tally["unrolled"]; declined != tally["trip-count"]+tally["exit"]+tally["too-large"] {
			t.Errorf("%s: %d loops were not unrolled, and it is not said why: %v", pipeline, declined, tally)
		}
	}
}

// checkShader runs a pipeline over s and verifies the emitted program. It reports whether anything
// changed and could be emitted.
func checkShader(t *testing.T, s *passtest.Source, pipeline string) bool {
	t.Helper()
	u, report := unpriced(t, s, pipeline)
	if report.Steps == 0 {
		return false
	}
	out, err := s.Emit(u)
	if err != nil {
		return false // it may take more registers than there are
	}
	switch r := judge(s, out); {
	case r.Verdict == verify.Refuted || strings.HasPrefix(r.Why, "form"):
		t.Errorf("%s after %s is %v: %s", s.Name, pipeline, r.Verdict, r.Why)
	case !r.Verdict.OK(): // the verifier cannot always exclude unused components of point sizes
		t.Logf("%s after %s is %v: %s", s.Name, pipeline, r.Verdict, r.Why)
		return false
	}
	return true
}

// TestShaders checks that shaders compute the same with unrolled loops and grouped texture reads.
func TestShaders(t *testing.T) {
	const stride = 8 // of the many that fetch
	seen, loops, groups := 0, 0, 0
	passtest.Corpus(t, func(s *passtest.Source) {
		if checkShader(t, s, "unroll{factor=full}") {
			loops++
		}
		if seen++; seen%stride == 0 && checkShader(t, s, "group-fetches{window=16}") {
			groups++
		}
	})
	t.Logf("%d with loops spelt out, %d with fetches grouped", loops, groups)
}

func TestRandomShaders(t *testing.T) {
	loops, some, groups := 0, 0, 0
	for seed := range count(80) {
		for _, m := range []d3d9.Model{d3d9.VS20, d3d9.VS30, d3d9.PS2X, d3d9.PS30} {
			p := gen.ProgramOf(m, seed, 40)
			s := &passtest.Source{Name: fmt.Sprint(m, " ", seed), Pixel: p}
			if m.Stage == d3d9.Vertex {
				s.Vertex, s.Pixel = p, nil
			}
			if checkShader(t, s, "unroll{factor=full}") {
				loops++
			}
			if checkShader(t, s, "unroll{factor=2,inner=false}") {
				some++
			}
			if m.Stage == d3d9.Pixel && checkShader(t, s, "group-fetches") {
				groups++
			}
		}
	}
	t.Logf("%d with loops spelt out, %d with two trips at a time, %d with fetches grouped", loops, some, groups)
}

package suite_test

import (
	"fmt"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/verify"
)

// Every prefix of the rewrites of the default level leaves a valid pair that verifies: fuel isolates a
// rewrite only if the ones before it are right. The prefixes of every pair are sampled, those that end within
// code motion first.
func TestPrefixes(t *testing.T) {
	every, samples := testcorpus.Count(105, 6), testcorpus.Count(6, 12)
	level, err := suite.Level(suite.DefaultLevel)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	passtest.Pairs(t, func(s *passtest.Source) {
		if n++; n%every != 0 {
			return
		}
		var steps []passes.Step
		trace := func(s passes.Step) { steps = append(steps, s) }
		prefix(t, s, level, passes.Config{Trace: trace})
		var at []int
		for i, x := range steps {
			if x.Pass == "codemotion" {
				at = append(at, i+1)
			}
		}
		for i := range samples {
			at = append(at, (2*i+1)*len(steps)/(2*samples))
		}
		for _, fuel := range at {
			prefix(t, s, level, passes.Config{Fuel: &fuel})
		}
	})
}

// prefix runs a level under cfg and verifies the result.
func prefix(t *testing.T, s *passtest.Source, level passes.Pipeline, cfg passes.Config) {
	t.Helper()
	cfg.Numerics, cfg.HostMirrored, cfg.Measure, cfg.Cut = passes.Real, true, s.Measure, true
	name := s.Name + " as a whole"
	if cfg.Fuel != nil {
		name = fmt.Sprintf("%s with fuel %d", s.Name, *cfg.Fuel)
	}
	u, err := s.Lift()
	if err != nil {
		t.Fatal(err)
	}
	report, err := passes.Run(u, level, cfg)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if cfg.Fuel != nil && report.Steps != *cfg.Fuel {
		t.Errorf("%s: %d rewrites are made", name, report.Steps)
	}
	out, err := s.Emit(u)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	o := verify.Options{Numerics: verify.Real}
	for _, up := range u.Uploads {
		o.Uploads = append(o.Uploads, verify.Upload(up))
	}
	v := verify.Check(verify.Pair{Vertex: s.Vertex, Pixel: s.Pixel}, verify.Pair{Vertex: out.Vertex, Pixel: out.Pixel}, o)
	if !v.Verdict.OK() {
		t.Errorf("%s: %v: %s", name, v.Verdict, v.Why)
	}
}

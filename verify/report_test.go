package verify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/verify/internal/walk"
)

// TestDeterministic checks that a report is a function of the programs and the options.
func TestDeterministic(t *testing.T) {
	for _, c := range checkCases {
		if c.vs2 == "" || c.ps2 == "" {
			continue
		}
		o := Options{Numerics: Real, Uploads: c.uploads, Seed: 5}
		show := func() string {
			r := Check(pairOf(t, c.vs, c.ps), pairOf(t, c.vs2, strings.TrimPrefix(c.ps2, "-")), o)
			x := r.Counterexample
			r.Counterexample, r.sides = nil, [2]*walk.Observation{}
			return fmt.Sprintf("%+v %+v", r, x)
		}
		a, b := show(), show()
		if a != b {
			t.Errorf("%s:\n%s\n%s", c.name, a, b)
		}
	}
}

// TestCounterexample checks that a counterexample suffices to see the difference.
func TestCounterexample(t *testing.T) {
	r := Check(pairOf(t, "", ps("add_sat r0, t0, t1; mov oC0, r0")), pairOf(t, "", ps("add r0, t0, t1; mov oC0, r0")),
		Options{Numerics: Real})
	x := r.Counterexample
	if x == nil {
		t.Fatalf("%+v", r)
	}
	if x.Before == x.After || x.Before < 0 || x.Before > 1 || !strings.HasPrefix(x.Output, "oC0.") {
		t.Errorf("%+v", x)
	}
	for _, reg := range []string{"t0 ", "t1 "} {
		if !strings.Contains(x.Input, reg) {
			t.Errorf("input does not tell %s:\n%s", reg, x.Input)
		}
	}
	r = Check(pairOf(t, vsFilter, psConv), pairOf(t, vsFilter, psConv2), Options{Numerics: Real})
	if r.Verdict != Refuted || !strings.Contains(r.Counterexample.Input, "attr position") {
		t.Errorf("%+v", r)
	}
}

// TestForm checks that the form check refuses invalid programs.
func TestForm(t *testing.T) {
	before := pairOf(t, "", ps("mul r0, t0, t1; mov oC0, r0"))
	for _, body := range []string{
		"mul r0, t0, t1; mov oC0, r1", // reads an unwritten register
		"mul r0, t0, t1",              // writes no colour
	} {
		r := Check(before, pairOf(t, "", ps(body)), Options{Numerics: Real})
		if r.Verdict != Unknown || !strings.HasPrefix(r.Why, "form: ") || len(r.Methods) != 0 {
			t.Errorf("%s: %v %s", body, r.Verdict, r.Why)
		}
	}
}

func TestVerdictNames(t *testing.T) {
	for v, want := range map[Verdict]string{Proved: "proved", ProvedReal: "proved-real", Bounded: "bounded",
		Tested: "tested", Refuted: "refuted", Unknown: "unknown"} {
		if v.String() != want || v.OK() != (v != Refuted && v != Unknown) {
			t.Errorf("%d: %s, %v", v, v, v.OK())
		}
	}
}

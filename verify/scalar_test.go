package verify

import "testing"

// TestUnnamedScalars checks that a scalar operand of vs_1_1 without a component means the fourth component.
func TestUnnamedScalars(t *testing.T) {
	const head = "vs_1_1; dcl_position v0; dcl_texcoord v1; mov oPos, v0; "
	pixel := parse(t, "ps_2_0; dcl t0; mov oC0, t0")
	for _, op := range []string{"rcp", "rsq", "exp", "log", "expp", "logp"} {
		pair := func(operand string) Pair {
			return Pair{Vertex: parse(t, head+op+" oT0, "+operand), Pixel: pixel}
		}
		if r := Check(pair("v1"), pair("v1.w"), Options{Numerics: Real, Seed: 1}); r.Verdict != Proved {
			t.Errorf("%s of the fourth: %v (%s)", op, r.Verdict, r.Why)
		}
		if r := Check(pair("v1"), pair("v1.x"), Options{Numerics: Real, Seed: 1}); r.Verdict != Refuted {
			t.Errorf("%s of the first: %v (%s)", op, r.Verdict, r.Why)
		}
	}
}

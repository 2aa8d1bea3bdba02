package verify

import (
	"strings"
	"testing"
)

// TestRoundingsExplain checks pictures that differ only by roundings. Such a version is neither accepted nor
// refuted, also while only opaque functions find a difference. Differences beyond roundings are still
// refuted.
func TestRoundingsExplain(t *testing.T) {
	const vertex = "vs_1_1; def c18, 0, -2.170139e-05, 0, 0.00026041668; dcl_position v0; dcl_texcoord2 v2; mov r4, v0; mov oPos, v0; "
	const pixel = "ps_2_0; dcl t0; dcl t3.xyz; def c18, 0, -2.170139e-05, 0, 0.00026041668; "
	in := pairOf(t, vertex+"mov oT0, r4; mov oT3, v0",
		pixel+"mad r1, c18, c18.w, -t3.z; add r1, t0, r1.y; frc r0, r1; mov oC0, r0")
	for _, test := range []struct {
		name       string
		in, pixels string
	}{
		{"the same operations", "frc r0, r1; mov oC0, r0", "frc r0, t0; mov oC0, r0"},
		{"others", "frc r0, r1; add r2, c19.x, -r0; cmp r0, r2, r0, c19.x; mov oC0, r0",
			"frc r0, t0; min r0, r0, c19.x; mov oC0, r0"},
	} {
		before := pairOf(t, vertex+"mov oT0, r4; mov oT3, v0",
			pixel+"def c19, 0.9, 0, 0, 0; mad r1, c18, c18.w, -t3.z; add r1, t0, r1.y; "+test.in)
		after := pairOf(t, vertex+"mov r1, c18; mad r1, r1, c18.w, -v0.z; add oT0, r4, r1.y; mov oT3, v0",
			pixel+"def c19, 0.9, 0, 0, 0; "+test.pixels)
		var met bool
		for seed := range uint64(32) {
			r := Check(before, after, Options{Numerics: Real, Seed: seed})
			if r.Verdict == Refuted {
				t.Errorf("%s: seed %d: %v %s", test.name, seed, r.Verdict, r.Why)
			}
			met = met || r.Verdict == Unknown && strings.Contains(r.Why, "roundings")
		}
		if !met {
			t.Errorf("%s: no seed shows that the picture hangs on roundings", test.name)
		}
	}
	wrong := pairOf(t, vertex+"mov oT0, r4; mov oT3, v0",
		pixel+"mad r1, c18, c18.w, -t3.z; add r1, t0, r1.y; mov r0, -c18.y; add r1, r1, r0.x; frc r0, r1; mov oC0, r0")
	if r := Check(in, wrong, Options{Numerics: Real}); r.Verdict != Refuted {
		t.Errorf("another program: %v %s", r.Verdict, r.Why)
	}
}

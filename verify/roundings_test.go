package verify

import (
	"strings"
	"testing"
)

// What is equal over the real numbers and drawn differently because roundings fall otherwise
// is neither accepted nor called a fault; what roundings do not explain still is one.
func TestRoundingsExplain(t *testing.T) {
	const vertex = "vs_1_1; def c18, 0, -2.170139e-05, 0, 0.00026041668; dcl_position v0; dcl_texcoord2 v2; mov r4, v0; mov oPos, v0; "
	const pixel = "ps_2_0; dcl t0; dcl t3.xyz; def c18, 0, -2.170139e-05, 0, 0.00026041668; "
	in := pairOf(t, vertex+"mov oT0, r4; mov oT3, v0", pixel+"mad r1, c18, c18.w, -t3.z; add r1, t0, r1.y; frc r0, r1; mov oC0, r0")
	moved := pairOf(t, vertex+"mov r1, c18; mad r1, r1, c18.w, -v0.z; add oT0, r4, r1.y; mov oT3, v0", pixel+"frc r0, t0; mov oC0, r0")
	var met bool
	for seed := range uint64(32) {
		r := Check(in, moved, Options{Numerics: Real, Seed: seed})
		if r.Verdict == Refuted {
			t.Errorf("seed %d: %v %s", seed, r.Verdict, r.Why)
		}
		met = met || r.Verdict == Unknown && strings.Contains(r.Why, "roundings")
	}
	if !met {
		t.Error("no seed shows that the picture hangs on roundings")
	}
	wrong := pairOf(t, vertex+"mov oT0, r4; mov oT3, v0", pixel+"mad r1, c18, c18.w, -t3.z; add r1, t0, r1.y; mov r0, -c18.y; add r1, r1, r0.x; frc r0, r1; mov oC0, r0")
	if r := Check(in, wrong, Options{Numerics: Real}); r.Verdict != Refuted {
		t.Errorf("another program: %v %s", r.Verdict, r.Why)
	}
}

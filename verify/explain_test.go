package verify

import (
	"testing"

	much "github.com/shaderlift/shaderlift/internal/test/testcorpus" // the name sample is taken here
)

// TestScaleOfDifferences checks that small results are compared as strictly as large ones, while roundings in
// a difference of nearly equal numbers are excused.
func TestScaleOfDifferences(t *testing.T) {
	for _, c := range []struct {
		name, before, after string
		want                []Verdict
	}{
		{"tiny, twice as large", ps3("def c9, 4.33680869e-19, 2, 0, 0; mul oC0, v0, c9.x"),
			ps3("def c9, 4.33680869e-19, 2, 0, 0; mov r5, c9; mul r0, v0, c9.x; mul oC0, r0, r5.y"), []Verdict{Refuted}},
		{"tiny, squared", ps3("def c9, 4.33680869e-19, 2, 0, 0; mul oC0, v0, c9.x"),
			ps3("def c9, 4.33680869e-19, 2, 0, 0; mul r0, v0, c9.x; mul oC0, r0, c9.x"), []Verdict{Refuted}},
		{"huge", ps3("def c9, 1e20, 1, 0, 0; mul oC0, v0, c9.x"),
			ps3("def c9, 1e20, 1.01, 0, 0; mul r0, v0, c9.x; mul oC0, r0, c9.y"), []Verdict{Refuted}},
		{"tiny, by one in fifty", ps3("def c9, 1e-19, 1, 0, 0; mul oC0, v0, c9.x"),
			ps3("def c9, 1e-19, 1.02, 0, 0; mul r0, v0, c9.x; mul oC0, r0, c9.y"), []Verdict{Refuted}},
		{"a small term of a sum", ps3("def c9, 1e-6, 1, 0, 0; mad oC0, v1, c9.x, v0"), ps3("mov oC0, v0"),
			[]Verdict{Refuted, Unknown}},
		{"the next literal", ps3("def c9, 0.100000001, 0, 0, 0; mul oC0, v0, c9.x"),
			ps3("def c9, 0.100000009, 0, 0, 0; mul oC0, v0, c9.x"), []Verdict{Refuted, Unknown}},
		{"terms that cancel", ps3("add r0, v0, v1; add oC0, r0, -v0"), ps3("mov oC0, v1"), []Verdict{ProvedReal}},
		{"products that cancel", ps3("add r0, v0, c0; mul r0, r0, v1; mad oC0, -v0, v1, r0"), ps3("mul oC0, v1, c0"),
			[]Verdict{ProvedReal}},
		{"a square of a difference", ps3("add r0, v0, -v1; mul oC0, r0, r0"),
			ps3("mul r0, v0, v0; mul r1, v1, v1; add r2, v0, v0; mad r0, -r2, v1, r0; add oC0, r0, r1"), []Verdict{ProvedReal,
				Unknown}},
		{"nothing left", ps3("mov r1, v1; mul r0, v0, r1; mad oC0, -v0, v1, r0"), ps3("def c9, 0, 0, 0, 0; mov oC0, c9.x"),
			[]Verdict{ProvedReal, Proved}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range much.Count[uint64](1, 4) {
				sound(t, Check(pairOf(t, "", c.before), pairOf(t, "", c.after), Options{Numerics: Real, Seed: seed}), c.want)
				sound(t, Check(pairOf(t, vsThree, c.before), pairOf(t, vsThree, c.after), Options{Numerics: Real, Seed: seed}),
					c.want)
			}
		})
	}
}

// sound reports a verdict that is not in want.
func sound(t *testing.T, r Report, want []Verdict) {
	t.Helper()
	for _, v := range want {
		if r.Verdict == v {
			return
		}
	}
	t.Errorf("%s, not %s: %s", r.Verdict, want, r.Why)
}

// TestNoNumberIsNotPromised checks intermediate results without a real value. Results that depend on them are
// not promised if the versions are equal otherwise.
func TestNoNumberIsNotPromised(t *testing.T) {
	const head = "ps_2_0; dcl t2; def c6, 0, 0, 0, 0; def c12, 1, 2, 0, 0; "
	before := pairOf(t, "", head+"rsq r3, c6.y; lrp r0, c12.x, t2, r3; mov oC0, r0")
	for _, test := range []struct {
		after string
		want  Verdict
	}{{"mov r0, t2; mov oC0, r0", ProvedReal}, {"mul r0, t2, c12.y; mov oC0, r0", Refuted}} {
		if r := Check(before, pairOf(t, "", head+test.after), Options{Numerics: Real}); r.Verdict != test.want {
			t.Errorf("%s: %v: %s, not %v", test.after, r.Verdict, r.Why, test.want)
		}
	}
}

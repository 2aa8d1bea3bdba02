package verify

import "testing"

// TestWildConstants checks versions that are equal over the reals except if constants are NaN, infinite or
// zero. Draws have one value of each constant. If bits count, an execution shows the difference with any
// seed.
func TestWildConstants(t *testing.T) {
	const head = "ps_3_0; def c9, 0, 1, 0, 0; "
	for _, c := range []struct{ name, before, after string }{
		{"bounds in turn", "max r0, c5, c9.x; min oC0, r0, c9.y", "min r0, c5, c9.y; max oC0, r0, c9.x"},
		{"negated comparison", "mov r0, c3; if_gt c0.x, c1.x; mov r0, c2; endif; mov oC0, r0",
			"mov r0, c2; if_le c0.x, c1.x; mov r0, c3; endif; mov oC0, r0"},
		{"negated predicate", "setp_gt p0, c0, c1; mov r0, c2; (!p0) mov r0, c3; mov oC0, r0",
			"setp_le p0, c0, c1; mov r0, c2; (p0) mov r0, c3; mov oC0, r0"},
	} {
		for seed := range uint64(8) {
			r := Check(Pair{Pixel: parse(t, head+c.before)}, Pair{Pixel: parse(t, head+c.after)},
				Options{Numerics: Bits, Seed: seed})
			if r.Verdict != Refuted {
				t.Errorf("%s, seed %d: %v (%s)", c.name, seed, r.Verdict, r.Why)
			}
		}
	}
	const literals = "dcl_literal l7, 0.0, 1.0, 0, 1; "
	for _, c := range []struct{ name, before, after string }{
		{"smaller one", "min o0, cb0[0], cb0[1]", "min o0, cb0[1], cb0[0]"},
		{"not itself", "ne o0, cb0[0], cb0[0]", "mov o0, l7.z"},
		{"times zero", "mul_ieee r0, cb0[0], l7.x; add o0, r0, cb0[1]", "mov r0, cb0[1]; mov o0, r0"},
		{"zero times infinity", "mul o0, cb0[0], cb0[1]", "mul_ieee o0, cb0[0], cb0[1]"},
	} {
		before, after := parseKernel(t, psKernel(literals+c.before)), parseKernel(t, psKernel(literals+c.after))
		for seed := range uint64(8) {
			if r := CheckKernel(before, after, Options{Numerics: Bits, Seed: seed}); r.Verdict != Refuted {
				t.Errorf("%s, seed %d: %v (%s)", c.name, seed, r.Verdict, r.Why)
			}
		}
	}
	right := []string{"ps_3_0; abs r0, c0; mul oC0, r0, c1", "ps_3_0; abs r0, c0; mul r0, c1, r0; mov oC0, r0"}
	if r := Check(Pair{Pixel: parse(t, right[0])}, Pair{Pixel: parse(t, right[1])},
		Options{Numerics: Bits}); r.Verdict != Proved {
		t.Errorf("the same: %v (%s)", r.Verdict, r.Why)
	}
}

package verify

import "testing"

// TestSearch checks that differences behind several decisions, or at rare input values, are shown.
func TestSearch(t *testing.T) {
	const fetching = "ps_3_0; dcl_2d s0; dcl_texcoord v0; dcl_texcoord1 v1; "
	for _, c := range []struct{ name, before, after string }{
		{"a texel above one", fetching + "def c9, 0.9999, 0, 0, 0; texldl r0, v0, s0; add r1, -r0_abs.x, c9.x; texkill r1; mov oC0, v1",
			fetching + "texldl r0, v0, s0; mov oC0, v1"},
		{"a kill beside another", fetching + "def c9, 0.9999, 5, 0, 0; texldl r0, v0, s0; add r1, -r0_abs.x, c9.x; texkill r1; add r2, c3.x, -c9.y; texkill r2; mov oC0, v1",
			fetching + "def c9, 0.9999, 5, 0, 0; texldl r0, v0, s0; add r2, c3.x, -c9.y; texkill r2; mov oC0, v1"},
		{"a negative texel", fetching + "texldl r0, v0, s0; mul_sat r1, r0.x, c2.x; mov oC0, r1",
			fetching + "texldl r0, v0, s0; mul_sat r1, r0_abs.x, c2.x; mov oC0, r1"},
		{"behind three choices", fetching + "def c9, 0, 1.5, -3, 0; texldl r0, v0, s0; mov r1, v1; mov r5, c9; if_gt r0.y, r5.y; if_lt c3.x, r5.z; min r2, c4.y, r0.z; add r1, r1, r2; endif; endif; mov oC0, r1",
			fetching + "def c9, 0, 1.5, -3, 0; texldl r0, v0, s0; mov r1, v1; mov r5, c9; if_gt r0.y, r5.y; if_lt c3.x, r5.z; min r2, c4.y, r0_abs.z; add r1, r1, r2; endif; endif; mov oC0, r1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if r := Check(pairOf(t, vsThree, c.before), pairOf(t, vsThree, c.after),
				Options{Numerics: Real}); r.Verdict != Refuted {
				t.Errorf("%s: %s", r.Verdict, r.Why)
			}
		})
	}
}

// TestSearchBeyondTheScreen checks that a difference of a position is also shown if it moves everything out
// of view.
func TestSearchBeyondTheScreen(t *testing.T) {
	before := vs("mul r0, v0, c0; mov oPos, r0; mov oT0, v1")
	after := vs("def c9, 12345, 1, 0, 0; mul r0, v0, c0; mov r1, c9; sub r2, c0.y, r1.x; mul r2, r2, r2; sge r2, -r2, r1.z; add r0, r0, r2; mov oPos, r0; mov oT0, v1")
	if r := Check(pairOf(t, before, "ps_2_0; dcl t0; mov r0, t0; mov oC0, r0"),
		pairOf(t, after, "ps_2_0; dcl t0; mov r0, t0; mov oC0, r0"), Options{Numerics: Real}); r.Verdict != Refuted {
		t.Errorf("%s: %s", r.Verdict, r.Why)
	}
}

// TestSearchKeepsToNumbers checks that differences only at infinities or NaNs do not count over the reals.
func TestSearchKeepsToNumbers(t *testing.T) {
	before := "ps_3_0; dcl_texcoord v0; def c9, 0, 1, 2, 0; mul r0, v0, c1.x; rcp r1, c1.x; mul r0, r0, r1; max r0, r0, c9.x; mov oC0, r0"
	after := "ps_3_0; dcl_texcoord v0; def c9, 0, 1, 2, 0; max r0, v0, c9.x; mov oC0, r0"
	if r := Check(pairOf(t, "", before), pairOf(t, "", after),
		Options{Numerics: Real, Effort: Full}); r.Verdict == Refuted {
		t.Errorf("%s: %s", r.Verdict, r.Why)
	}
}

// TestSearchOfKernels does the same for kernels.
func TestSearchOfKernels(t *testing.T) {
	const head = "il_ps_2_0; dcl_input_generic_interp(linear) v0; dcl_output_generic o0; dcl_cb cb0[2]; dcl_literal l0, 0xBF800000, 0x7fffff, 0x40490FDB, 3; "
	body := func(deep string) string {
		return head + "mov r0, v0; switch cb0[0].x; case 2; switch cb0[0].y; case 6; ige r1.x, cb0[1].x, l0.w; if_logicalnz r1.x; " + deep + "; endif; break; endswitch; break; case 9; add r0, r0, v0; break; endswitch; mov o0, r0; end"
	}
	if r := CheckKernel(parseKernel(t, body("mul r0, r0, l0.x")), parseKernel(t, body("mul r0, r0, l0.z")),
		Options{Numerics: Real}); r.Verdict != Refuted {
		t.Errorf("%s: %s", r.Verdict, r.Why)
	}
}

// TestSearchKeepsOffEdges checks inputs on edges, here of a texel, which the search prefers. The side that
// roundings choose does not count as a difference, at any number of points.
func TestSearchKeepsOffEdges(t *testing.T) {
	const head = "ps_3_0; dcl_2d s0; dcl_texcoord v1; dcl_texcoord1 v2; dcl_texcoord2 v3; mov r1, v2; mov r2, v3; mad r0, r1, c1.x, r2; cmp r0, r1, r0, r2; "
	const tail = "texldl r3, r3, s0; dp2add r3, r3, r0, r1.x; mov_sat oC0, r3"
	before, after := head+"add r4, r0, r1; exp r3, r4.x; "+tail, head+"exp r4, r0.x; exp r5, r1.x; mul r3, r4, r5; "+tail
	for _, seed := range []uint64{4, 15, 17, 18, 19, 20} {
		if r := Check(pairOf(t, "", before), pairOf(t, "", after),
			Options{Numerics: Real, Seed: seed}); r.Verdict == Refuted {
			t.Errorf("seed %d: %s: %s", seed, r.Verdict, r.Why)
		}
	}
}

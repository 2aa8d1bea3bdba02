package verify

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// wrongTrip returns a loop that adds v2, and from trip from on adds something wrong.
func wrongTrip(from int) string {
	return vs(fmt.Sprintf("def c9, 0, 1, %d, 0; mov oPos, v0; mov r0, v1; mov r1, c9.x; rep i0; add r0, r0, v2; sge r2, r1, c9.z; mad r0, r2, v1, r0; add r1, r1, c9.y; endrep; mov oT0, r0", from))
}

// TestRareSides checks that differences on a rare side of a branch are not accepted, and are mostly shown.
func TestRareSides(t *testing.T) {
	right := vs("def c9, 0, 1, 300, 0; mov oPos, v0; mov r0, v1; mov r1, c9.x; rep i0; add r0, r0, v2; sge r2, r1, c9.z; mad r0, r2, v1, r0; add r1, r1, c9.y; endrep; mov oT0, r0")
	for _, from := range []int{0, 1, 5, 6, 7, 31, 100, 127, 200, 253} {
		if r := Check(pairOf(t, right, ""), pairOf(t, wrongTrip(from), ""), Options{Numerics: Real}); r.Verdict != Refuted {
			t.Errorf("wrong from trip %d: %s: %s", from, r.Verdict, r.Why)
		}
	}
	for _, c := range []struct {
		name, before, after string
		want                Verdict
	}{
		{"one value of a constant", ps3("mov oC0, v0"),
			ps3("def c9, 12345, 0, 0, 0; mov r5, c9; mov r0, v0; if_eq c0.x, r5.x; mov r0, v1; endif; mov oC0, r0"), Refuted},
		{"above a constant", ps3("mov oC0, v0"),
			ps3("def c9, 12345, 0, 0, 0; mov r5, c9; mov r0, v0; if_gt c0.x, r5.x; mov r0, v1; endif; mov oC0, r0"), Refuted},
		{"above a product", ps3("mov oC0, v0"),
			ps3("def c9, 12345, 3, 0, 0; mov r5, c9; mov r0, v0; mul r1.x, c0.y, r5.y; add r1.x, r1.x, c1.x; if_gt r1.x, r5.x; mov r0, v1; endif; mov oC0, r0"), Refuted},
		{"an input far out", ps3("mov oC0, v0"),
			ps3("def c9, 500, 0, 0, 0; mov r5, c9; mov r0, v0; if_gt v0.w, r5.x; mov r0, v1; endif; mov oC0, r0"), Refuted},
		{"nested", ps3("mov oC0, v0"), ps3("def c9, 500, -70, 0, 0; mov r5, c9; mov r0, v0; if_gt c3.w, r5.x; if_lt c4.x, r5.y; mov r0, v1; endif; endif; mov oC0, r0"), Refuted},
		{"a flag", ps3("mov r0, v0; if b3; mov r0, v1; endif; mov oC0, r0"),
			ps3("mov r0, v0; if b3; if b4; mov r0, v1; endif; endif; mov oC0, r0"), Refuted},
		{"a choice", ps3("mov oC0, v0"), ps3("def c9, 9999, 0, 0, 0; mov r5, c9; add r1, c0.x, -r5.x; mov r3, v1; cmp oC0, r1, r3, v0"), Refuted},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Check(pairOf(t, "", c.before), pairOf(t, "", c.after), Options{Numerics: Real})
			if r.Verdict != c.want {
				t.Errorf("%s: %s", r.Verdict, r.Why)
			}
			if r := Check(pairOf(t, vsThree, c.before), pairOf(t, vsThree, c.after),
				Options{Numerics: Real}); r.Verdict != c.want {
				t.Errorf("as a pair %s: %s", r.Verdict, r.Why)
			}
		})
	}
}

const vsThree = "vs_3_0; dcl_position v0; dcl_texcoord v1; dcl_texcoord1 v2; dcl_position o0; dcl_texcoord o1; dcl_texcoord1 o2; mov o0, v0; mov o1, v1; mov o2, v2"

// TestRareSidesOfKernels does the same for kernels.
func TestRareSidesOfKernels(t *testing.T) {
	const head = `il_ps_2_0; dcl_input_position_interp(linear_noperspective) vWinCoord0.xy__; dcl_input_generic_interp(linear) v0; dcl_input_generic_interp(linear) v1; dcl_output_generic o0; dcl_cb cb0[4]
		dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
		dcl_literal l0, 12345, 0, 1, 0x7fffff00; dcl_literal l1, 12345.0, 77.5, 0.25, 3.0; dcl_literal l2, 100000, 7, 0x70000000, 50; `
	const tail = "mov o0, r0; end"
	many := strings.Repeat("lt r1.x, r0.y, cb0[1].x; cmov_logical r0.y, r1.x, v1.z, r0.z; lt r1.x, r0.z, cb0[1].y; cmov_logical r0.z, r1.x, v1.y, r0.w; ", 100)
	loop := func(body string) string {
		return head + "mov r0, v0; mov r1.x, l0.y; whileloop; ige r2.x, r1.x, cb0[0].x; break_logicalnz r2.x; " + body +
			"iadd r1.x, r1.x, l0.z; endloop; " + tail
	}
	for _, c := range []struct {
		name, before, after string
		want                []Verdict
	}{
		{"one integer", head + "mov r0, v0; " + tail,
			head + "mov r0, v0; ieq r1.x, cb0[0].x, l0.x; if_logicalnz r1.x; mov r0, v1; endif; " + tail, []Verdict{Refuted}},
		{"one float", head + "mov r0, v0; " + tail,
			head + "mov r0, v0; eq r1.x, cb0[0].x, l1.x; if_logicalnz r1.x; mov r0, v1; endif; " + tail, []Verdict{Refuted}},
		{"one integer of a sum", head + "mov r0, v0; " + tail,
			head + "mov r0, v0; imad r3.x, cb0[0].x, l2.y, cb0[1].y; ieq r1.x, r3.x, l0.x; if_logicalnz r1.x; mov r0, v1; endif; " + tail, []Verdict{Refuted}},
		{"one float of a sum", head + "mov r0, v0; " + tail,
			head + "mov r0, v0; mad r3.x, cb0[0].x, l1.w, cb0[1].y; eq r1.x, r3.x, l1.y; if_logicalnz r1.x; mov r0, v1; endif; " + tail, []Verdict{Refuted}},
		{"two integers", head + "mov r0, v0; " + tail,
			head + "mov r0, v0; ieq r1.x, cb0[0].x, l0.x; ieq r1.y, cb0[1].x, l2.x; if_logicalnz r1.x; if_logicalnz r1.y; mov r0, v1; endif; endif; " + tail, []Verdict{Refuted}},
		{"an input", head + "mov r0, v0; " + tail,
			head + "mov r0, v0; lt r1.x, l1.y, v1.z; if_logicalnz r1.x; mov r0, v1; endif; " + tail, []Verdict{Refuted}},
		{"a texel", head + "sample_resource(0)_sampler(0) r0, v0.xy; " + tail,
			head + "sample_resource(0)_sampler(0) r0, v0.xy; eq r1.x, r0.z, l1.y; cmov_logical r0.x, r1.x, v1.x, r0.x; " +
				tail, []Verdict{Refuted}},
		{"from a late trip", loop("add r0, r0, v1; "),
			loop("add r0, r0, v1; ige r3.x, r1.x, l2.w; if_logicalnz r3.x; mov r0, v1; endif; "), []Verdict{Refuted}},
		{"from trip 100000", loop("add r0, r0, v1; "),
			loop("add r0, r0, v1; ige r3.x, r1.x, l2.x; if_logicalnz r3.x; mov r0, v1; endif; "), []Verdict{Refuted}},
		{"one comparison among many", head + "mov r0, v0; " + many + tail,
			head + "mov r0, v0; " + many + "ieq r1.x, cb0[3].w, l0.x; cmov_logical r0.x, r1.x, v1.x, r0.x; " +
				tail, []Verdict{Refuted}},
		{"one pixel", head + "mov r0, v0; " + tail,
			head + "mov r0, v0; add r1.x, vWinCoord0.x, vWinCoord0.y; ge r2.x, r1.1, r1.x; discard_logicalnz r2.x; " +
				tail, []Verdict{Refuted}},
		{"at the end of the integers", head + "mov r0, v0; ilt r2.x, cb0[0].x, cb0[0].y; and r2.x, r2.x, l1.w; add r0, r0, r2.x; " + tail,
			head + "mov r0, v0; iadd r3.x, cb0[0].x, l0.z; iadd r3.y, cb0[0].y, l0.z; ilt r2.x, r3.x, r3.y; and r2.x, r2.x, l1.w; add r0, r0, r2.x; " + tail, []Verdict{Refuted, Unknown}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if r := CheckKernel(parseKernel(t, c.before), parseKernel(t, c.after),
				Options{Numerics: Real}); !slices.Contains(c.want, r.Verdict) {
				t.Errorf("%s: %s", r.Verdict, r.Why)
			}
		})
	}
}

package verify

import (
	"strings"
	"testing"
)

// TestExactReason checks that the reason of a refusal names the statement whose decision changes its bits, in
// both versions.
func TestExactReason(t *testing.T) {
	for _, test := range []struct{ name, before, after, want string }{
		{"gradient", "mul r0, v0, c0; add r0, r0, v0; mov r1, v1; if_gt r0.x, c1.x; dsx r1, v0; endif; mov oC0, r1",
			"mad r0, v0, c0, v0; mov r1, v1; if_gt r0.x, c1.x; dsx r1, v0; endif; mov oC0, r1", "the statement at test:8:2 (test:9:2 before)"},
		{"predicate", "mul r0, v0, c0; add r0, r0, v0; mov r1, v1; setp_gt p0, r0, c1; (p0) dsx r1, v0; mov oC0, r1",
			"mad r0, v0, c0, v0; mov r1, v1; setp_gt p0, r0, c1; (p0) dsx r1, v0; mov oC0, r1", "the predicate of the statement at test:8:2 (test:9:2 before)"},
		{"loop", "mov r1, v1; rep i0; mul r0, r1, c0; add r0, r0, v1; break_gt r0.x, c1.x; dsx r1, r1; endrep; mov oC0, r1",
			"mov r1, v1; rep i0; mad r0, r1, c0, v1; break_gt r0.x, c1.x; dsx r1, r1; endrep; mov oC0, r1", "the exit of the loop at test:6:2"},
	} {
		r := Check(pairOf(t, "", ps3(test.before)), pairOf(t, "", ps3(test.after)), Options{Numerics: Real, Seed: 1})
		if r.Verdict >= Bounded || !strings.Contains(r.Why, test.want) || !strings.Contains(r.Why, "must keep its bits") {
			t.Errorf("%s: %s: %q does not name %s", test.name, r.Verdict, r.Why, test.want)
		}
	}
	// A version that is wrong for another reason gets another reason.
	r := Check(pairOf(t, "", ps3("mul r0, v0, c0; add r0, r0, v0; mov r1, v1; if_gt r0.x, c1.x; dsx r1, v0; endif; mov oC0, r1")),
		pairOf(t, "", ps3("mad r0, v0, c0, v0; mov r1, v0; if_gt r0.x, c1.x; dsx r1, v0; endif; mov oC0, r1")), Options{Numerics: Real, Seed: 1})
	if r.Verdict >= Bounded || strings.Contains(r.Why, "must keep its bits") {
		t.Errorf("%s: %s", r.Verdict, r.Why)
	}
}

// TestKernelExactReason does the same for the exit of a loop, a barrier and a store of kernels.
func TestKernelExactReason(t *testing.T) {
	for _, test := range []struct{ name, before, after, want string }{
		{"loop", "mov r1, r0; whileloop; add r2, r1, cb0[0]; add r2, r2, cb0[1]; ge r3.x, r2.x, cb0[2].x; break_logicalnz r3.x; add r1, r1, cb0[1]; endloop; mov g[r10.x+1], r1",
			"mov r1, r0; whileloop; add r2, r1, cb0[1]; add r2, r2, cb0[0]; ge r3.x, r2.x, cb0[2].x; break_logicalnz r3.x; add r1, r1, cb0[1]; endloop; mov g[r10.x+1], r1", "the exit of the loop at "},
		{"barrier", "add r2, r0, cb0[0]; add r2, r2, cb0[1]; ge r3.x, r2.x, cb0[2].x; if_logicalnz r3.x; fence_threads; endif; mov g[r10.x+1], r0",
			"add r2, r0, cb0[1]; add r2, r2, cb0[0]; ge r3.x, r2.x, cb0[2].x; if_logicalnz r3.x; fence_threads; endif; mov g[r10.x+1], r0", "the condition, or the address, of the statement at "},
		{"store", "add r2, r0, cb0[0]; add r2, r2, cb0[1]; ge r3.x, r2.x, cb0[2].x; if_logicalnz r3.x; mov g[r10.x+1], r0; endif",
			"add r2, r0, cb0[1]; add r2, r2, cb0[0]; ge r3.x, r2.x, cb0[2].x; if_logicalnz r3.x; mov g[r10.x+1], r0; endif", "the condition, or the address, of the statement at "},
	} {
		r := CheckKernel(parseKernel(t, csKernel(test.before)), parseKernel(t, csKernel(test.after)),
			Options{Numerics: Real, Seed: 1})
		if r.Verdict >= Bounded || r.Verdict != Refuted && !strings.Contains(r.Why, test.want) {
			t.Errorf("%s: %s: %q does not name %s", test.name, r.Verdict, r.Why, test.want)
		}
	}
}

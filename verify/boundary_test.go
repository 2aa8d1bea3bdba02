package verify

import (
	"fmt"
	"testing"
)

// TestBoundaries checks that the boundaries that rounding may move belong to comparisons with different
// operand terms. Each case names them by their lines before and after, 0 where a version has no such
// comparison.
func TestBoundaries(t *testing.T) {
	for _, test := range []struct{ name, before, after, want string }{
		{"texkill", ps("mul r0, t0, c0; add r0, r0, v0; texkill r0; mov oC0, v0"),
			ps("mad r0, t0, c0, v0; texkill r0; mov oC0, v0"), "[8:7]"},
		{"cmp", ps("mul r0, t0, v0; mad r0, t1, v0, r0; cmp r1, r0, c0, c1; mov oC0, r1"),
			ps("add r0, t0, t1; mul r0, r0, v0; cmp r1, r0, c0, c1; mov oC0, r1"), "[8:8]"},
		{"if", ps3("add r0, v0, v1; add r0, r0, c0; mov r1, c1; if_lt r0.x, c2.x; mov r1, c3; endif; mov oC0, r1"),
			ps3("add r0, v1, c0; add r0, r0, v0; mov r1, c1; if_lt r0.x, c2.x; mov r1, c3; endif; mov oC0, r1"), "[8:8]"},
		{"if for a choice", ps3("add r0, v0, v1; add r0, r0, c0; mov r1, c1; if_ge r0.x, c2.x; mov r1, c3; endif; mov oC0, r1"),
			ps3("add r0, v1, c0; add r0, r0, v0; add r0.x, r0.x, -c2.x; mov r1, c1; cmp r1, r0.x, c3, r1; mov oC0, r1"), "[8:9]"},
		{"predicate", ps3("add r0, v0, v1; add r0, r0, c0; mov r1, c1; setp_lt p0, r0, c2; (p0) mov r1, c3; mov oC0, r1"),
			ps3("add r0, v1, c0; add r0, r0, v0; mov r1, c1; setp_lt p0, r0, c2; (p0) mov r1, c3; mov oC0, r1"), "[8:8]"},
		{"doubled", ps("mov r0, t0; add r0, r0, t1; texkill r0; mad r1, t0, c0, c1; add r1, r1, t0; mov oC0, r1"),
			ps("add r0, t0, t1; add r0, r0, r0; texkill r0; mad r1, t0, c0, t0; add r1, r1, c1; mov oC0, r1"), "[0:8]"},
		// These decide in the same way.
		{"the same terms", ps("mul r0, t0, c0; add r0, r0, t1; texkill r0; mad r1, t0, c0, c1; add r1, r1, t0; mov oC0, r1"),
			ps("mul r0, t0, c0; add r0, r0, t1; texkill r0; mad r1, t0, c0, t0; add r1, r1, c1; mov oC0, r1"), "[]"},
		{"turned round", ps3("mov r1, c1; if_lt v0.x, v1.x; mov r1, c3; endif; add r1, r1, v0; add r1, r1, v1; mov oC0, r1"),
			ps3("mov r1, c3; if_ge -v1.x, -v0.x; mov r1, c1; endif; add r1, r1, v1; add r1, r1, v0; mov oC0, r1"), "[6:6]"},
		{"negated", ps3("mov r1, c3; if_le v0.x, v1.x; mov r1, c1; endif; add r1, r1, v0; add r1, r1, v1; mov oC0, r1"),
			ps3("mov r1, c3; if_ge -v0.x, -v1.x; mov r1, c1; endif; add r1, r1, v1; add r1, r1, v0; mov oC0, r1"), "[]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := Check(pairOf(t, "", test.before), pairOf(t, "", test.after), Options{Numerics: Real, Seed: 1})
			if test.name == "turned round" { // a wrong version: without a proof it has no boundary
				test.want = "[]"
			} else if r.Verdict != ProvedReal {
				t.Errorf("%s: %s", r.Verdict, r.Why)
			}
			var got []string
			for _, b := range r.Boundaries() {
				got = append(got, fmt.Sprintf("%d:%d", b.Before.Line, b.After.Line))
			}
			if s := fmt.Sprint(got); s != test.want {
				t.Errorf("boundaries %s, want %s", s, test.want)
			}
		})
	}
}

// TestKernelBoundaries checks a kernel with comparisons of floats, and of integers, which rounding does not
// move.
func TestKernelBoundaries(t *testing.T) {
	const decide = "add r0, r0, cb0[2]; lt r1.x, r0.x, cb0[1].x; ilt r1.y, cb0[1].y, cb0[1].z; iand r1.x, r1.x, r1.y; if_logicalnz r1.x; mov r0, cb0[1]; endif; mov o0, r0"
	const other = "mov r0, cb0[0]; add r0, r0, v0; add r0, r0, cb0[2]; lt r1.x, r0.x, cb0[1].x; ilt r1.y, cb0[1].y, cb0[1].z; iand r1.x, r1.x, r1.y; if_logicalnz r1.x; mov r0, cb0[1]; endif; mov o0, r0"
	before, after := parseKernel(t, psKernel("add r0, v0, cb0[0];"+decide)), parseKernel(t,
		psKernel("add r0, cb0[2], v0; add r0, r0, cb0[0]; "+decide[len("add r0, r0, cb0[2]; "):]))
	r := CheckKernel(before, after, Options{Numerics: Real, Seed: 1})
	list := r.Boundaries()
	if r.Verdict != ProvedReal || len(list) != 1 || list[0].Before.Line == 0 || list[0].Before.Line != list[0].After.Line {
		t.Errorf("%s (%s): boundaries %v", r.Verdict, r.Why, list)
	}
	r = CheckKernel(before, parseKernel(t, psKernel(other)), Options{Numerics: Real, Seed: 1})
	if list := r.Boundaries(); len(list) != 0 {
		t.Errorf("%s (%s): boundaries %v of the same terms", r.Verdict, r.Why, list)
	}
}

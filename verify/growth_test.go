package verify

import (
	"strings"
	"testing"
)

// nestedLoops is a kernel of n loops within each other, which start and end as given.
func nestedLoops(n int, open, end, sum string) string {
	return "il_ps_2_0\ndcl_cb cb0[2]\ndcl_output_generic o0\ndcl_literal l0, 1, 2, 4, 31\nmov r0, cb0[0]\n" +
		strings.Repeat(open+"\n", n) + sum + "\n" + strings.Repeat(end+"\n", n) + "mov o0, r0\nend\n"
}

// TestNestedLoops judges loops that are nested as deep as they can be. An attempt to
// execute them trip by trip that comes to nothing must not be made again on each attempt
// of the loops around.
func TestNestedLoops(t *testing.T) {
	for _, c := range []struct{ open, end string }{
		{"whileloop\nbreak_logicalnz r0.x", "endloop"},
		{"whileloop", "break_logicalnz r0.x\nendloop"},
		{"whileloop\nige r1.x, r2.x, cb0[1].x\nbreak_logicalnz r1.x\niadd r2.x, r2.x, l0.x", "endloop"},
	} {
		before := parseKernel(t, nestedLoops(31, c.open, c.end, "add r0, r0, cb0[0]"))
		after := parseKernel(t, nestedLoops(31, c.open, c.end, "add r0, cb0[0], r0"))
		wrong := parseKernel(t, nestedLoops(31, c.open, c.end, "add r0, r0, cb0[1]"))
		if r := CheckKernel(before, after, Options{Numerics: Terms}); r.Verdict != Proved {
			t.Errorf("%q: %v, %s", c.open, r.Verdict, r.Why)
		}
		if r := CheckKernel(before, wrong, Options{Numerics: Terms}); r.Verdict.OK() {
			t.Errorf("%q: another sum is %v", c.open, r.Verdict)
		}
	}
}

package verify

import (
	"fmt"
	"strings"
	"testing"
)

// TestScoutsReadConstants checks that the constants of a trial are generated once, and not at each of the
// many reads of scouts: a batch generates all of them for each one.
func TestScoutsReadConstants(t *testing.T) {
	program := func(last string) string {
		var b strings.Builder
		b.WriteString("ps_3_0\ndcl_texcoord v0\nmov r0, v0\n")
		for i := range 16 {
			fmt.Fprintf(&b, "if_gt c%d.x, c%d.y\nmul r0, r0, c%d\nelse\nadd r0, r0, c%d\nendif\n", i, i+1, i+2, i+3)
		}
		return b.String() + last
	}
	c := &checker{before: Pair{Pixel: parse(t, program("mul oC0, r0, c20.x\n"))},
		after: Pair{Pixel: parse(t, program("mov r1, c20\nif_gt r1.x, c21.x\nif_lt r1.x, c22.x\nmov r1.x, -r1.x\nendif\nendif\nmul oC0, r0, r1.x\n"))}}
	c.Numerics = Terms
	if bytes := allocated(c.check); bytes > 64<<20 || c.report.Verdict != Refuted {
		t.Errorf("%v, and %.0f MiB are allocated", c.report.Verdict, bytes/(1<<20))
	}
}

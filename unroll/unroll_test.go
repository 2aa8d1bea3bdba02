package unroll_test

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/unroll"
)

func TestUnrollFixtures(t *testing.T) {
	both := []*passes.Pass{unroll.Unroll, unroll.BreakDeps}
	for _, p := range both {
		t.Run(p.Name, func(t *testing.T) { passtest.Run(t, both, "../testdata/passes/"+p.Name) })
	}
}

// TestStepFromOutside checks that the increment of a counter may come from anywhere: from the last
// component of a fetch, or from code of any depth. Unrolling neither looks into it nor copies it.
func TestStepFromOutside(t *testing.T) {
	const loop = "ftoi r0, r0\nmov r1, r0\nwhileloop\nige r2.x, r1.x, cb0[0].x\nbreak_logicalnz r2.x\niadd r1.x, r1.x, r0.w\nendloop\nmov o0, r1\nend\n"
	for _, before := range []string{
		"sample_resource(0)_sampler(0) r0, v0.xy\n",
		"dp3 r0.w, v0, v0\n",
		"mov r0, v0\n" + strings.Repeat("add r0, r0, r0.yxwz\n", 100),
	} {
		k, err := il.Parse("step", []byte("il_ps_2_0\ndcl_input_generic_interp(linear) v0\ndcl_output_generic o0\ndcl_cb cb0[1]\n"+
			"dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)\n"+before+loop))
		if err != nil {
			t.Fatal(err)
		}
		old, _ := apply(t, k, "unroll{factor=2}", passes.Bits)
		if old == nil {
			t.Fatalf("not unrolled:\n%s", il.Print(k))
		}
		if n := strings.Count(string(il.Print(old)), "add r0, r0, r0.yxwz"); n > 100 {
			t.Errorf("%d sums, of 100", n)
		}
	}
}

package verify

import (
	"strings"
	"testing"
)

// TestKernelDivergence checks that a report names the faulty statement by the values of the invocation that
// writes the difference. It writes an output, or its own element of g[], in a branch, or behind other
// invocations.
func TestKernelDivergence(t *testing.T) {
	const ps = "il_ps_2_0\ndcl_cb cb0[8]\ndcl_input_position_interp(linear_noperspective) vWinCoord0.xy__\ndcl_output_generic o0\n" +
		"dcl_literal l0, 0x3f800000, 0x40000000, 4, 31\nadd r1, cb0[0], cb0[1]\n"
	const cs = "il_cs_2_0\ndcl_cb cb0[8]\ndcl_num_thread_per_group 64\ndcl_raw_uav_id(1)\ndcl_literal l0, 4, 8, 2, 1\nmov r1, cb0[0]\n"
	for name, c := range map[string]struct {
		text string // a kernel with two statements inserted
		at   int
	}{
		"an output": {ps + "%mul r2, r1, cb0[3]|mul r2, r1, cb0[3].yzwx%\nadd r2, r2, l0.y\nmov o0, r2\nend\n", 7},
		"a branch":  {ps + "mov r2, r1\nif_logicalnz cb0[2].x\n%add r2, r2, cb0[4]|mad r2, r2, r2, cb0[4]%\nelse\n%add r2, r2, cb0[4]|mad r2, r2, r2, cb0[4]%\nendif\nmov o0, r2\nend\n", 9},
		"a memory":  {ps + "%mul r2, r1, cb0[3]|mul r2, r1, cb0[3].yzwx%\nftoi r3, vWinCoord0\nmov g[r3.x], r2\nmov o0, r1\nend\n", 7},
		"a view":    {cs + "%imul r2, r1, cb0[3]|imul r2, r1, cb0[3].yzwx%\nimul r3.x, vAbsTidFlat.x, l0.x\nuav_raw_store_id(1) mem.x___, r3.x, r2.x\nend\n", 7},
	} {
		parts := strings.Split(c.text, "%")
		var sides [2]string
		for i := range sides {
			for k, p := range parts {
				if k%2 == 1 {
					p = strings.Split(p, "|")[i]
				}
				sides[i] += p
			}
		}
		r := CheckKernel(parseKernel(t, sides[0]), parseKernel(t, sides[1]), Options{Numerics: Real})
		if r.Counterexample == nil {
			t.Errorf("%s: %v, %s", name, r.Verdict, r.Why)
			continue
		}
		for i, pos := range r.Counterexample.First {
			if pos.Line != c.at && !(name == "a branch" && pos.Line == c.at+2) {
				t.Errorf("%s: side %d goes its way at line %d, not %d", name, i, pos.Line, c.at)
			}
		}
	}
}

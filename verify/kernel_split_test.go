package verify

import "testing"

// Neighbours and groups must leave a branch together: instructions that need them must not move below a branch on which
// they may differ.
func TestSplitTogether(t *testing.T) {
	loop := func(cond, body string) (before, after string) {
		const begin = "whileloop; ige r2.x, r1.x, cb0[0].x; break_logicalnz r2.x;"
		const end = "iadd r1.x, r1.x, l0.y; endloop;"
		yes, no := "mul r0, r0, cb0[2];", "add r0, r0, cb0[3];"
		before = begin + "if_logicalnz " + cond + ";" + yes + "else;" + no + "endif;" + body + end
		after = "if_logicalnz " + cond + ";" + begin + yes + body + end + "else;" + begin + no + body + end + "endif;"
		return before, after
	}
	pixel := func(code string) string {
		return psKernel("mov r0, v0; mov r1, l0.x;" + code + "mov o0, r0; mov o1, r0")
	}
	compute := func(code string) string {
		return "il_cs_2_0; dcl_num_thread_per_group 64; dcl_cb cb0[4]; dcl_lds_id(1) 256; dcl_literal l0, 0, 1, 2, 4;" +
			"mov r0, l0.y; mov r1, l0.x; ishl r3.x, vTid.x, l0.z;" + code + "mov g[vaTid.x], r0; end"
	}
	const barrier = "lds_store_id(1) r3.x, r0.x; fence_threads_lds; lds_load_id(1) r0.y, l0.x; fence_threads_lds;"
	const derivative = "dsx r4, r0; add r0, r0, r4;"
	const fence = "lds_store_id(1) r3.x, r0.x; fence_lds; lds_load_id(1) r0.y, l0.x;"
	for _, c := range []struct {
		name, cond, body string
		kernel           func(string) string
		proved           bool
	}{
		{"derivative, constant", "cb0[1].x", derivative, pixel, true},
		{"derivative, input", "v1.x", derivative, pixel, false},
		{"no derivative, input", "v1.x", "", pixel, true},
		{"barrier, constant", "cb0[1].x", barrier, compute, true},
		{"barrier, group", "vThreadGrpId.x", barrier, compute, true},
		{"barrier, thread", "vTid.x", barrier, compute, false},
		{"fence of memory, thread", "vTid.x", fence, compute, true},
	} {
		before, after := loop(c.cond, c.body)
		if v := proofOfText(t, c.kernel(before), c.kernel(after)); (v == Proved) != c.proved {
			t.Errorf("%s: %v", c.name, v)
		}
	}
}

package verify

import (
	"strings"
	"testing"
)

// TestOwnLocal accepts registers in place of words of local memory that only one invocation accesses, and no others.
func TestOwnLocal(t *testing.T) {
	const (
		head = "il_cs_2_0; dcl_num_thread_per_group 64; dcl_lds_id(1) 256; dcl_raw_uav_id(0); dcl_cb cb0[2]; dcl_literal l0, 4, 1, 8, 0;" +
			"imul r0.x, vTidInGrpFlat.x, l0.x; ishl r0.y, vaTidFlat.x, l0.x; mov r3, cb0[1];"
		put    = "uav_raw_store_id(0) mem, r0.y, r3; end"
		memory = head + "lds_store_id(1) r0.x, vaTidFlat.x; lds_load_id(1) r3.x, r0.x;" + put
		reg    = head + "mov r3.x, vaTidFlat.x;" + put
		seldom = "ieq r9.x, cb0[0].y, l9.x; if_logicalnz r9.x;"
		step   = "iadd r0.x, r0.x, l0.x;"
		rare   = "dcl_literal l9, 12345, 0, 0, 0;"
	)
	edit := func(text string, edits ...string) string { return rewritten(t, text, edits...) }
	hidden := strings.NewReplacer("lds_store_id(1)", rare+seldom+"lds_store_id(1)", "mov r3.x, vaTidFlat.x;",
		rare+seldom+"mov r3.x, vaTidFlat.x; endif;", "lds_load_id(1) r3.x, r0.x;", "lds_load_id(1) r3.x, r0.x; endif;").Replace
	for _, c := range []struct {
		name, before, after string
		want                Verdict
	}{
		{"a register", memory, reg, Proved},
		{"a register under a condition", hidden(memory), hidden(reg), Proved},
		{"without its declaration", memory, edit(reg, "dcl_lds_id(1) 256;", ""), Proved},
		{"groups of two dimensions", edit(memory, "group 64", "group 8, 8"), edit(reg, "group 64", "group 8, 8"), Proved},
		{"another value", memory, edit(reg, "mov r3.x, vaTidFlat.x", "mov r3.x, vTidInGrpFlat.x"), Refuted},
		{"another component", memory, edit(reg, "mov r3.x, vaTidFlat.x", "mov r3.y, vaTidFlat.x"), Refuted},
		{"zeros are there first", edit(memory, "lds_store_id(1) r0.x, vaTidFlat.x;", ""),
			edit(reg, "mov r3.x, vaTidFlat.x", "mov r3.x, l0.w"), Proved},
		{"not all in memory", edit(memory, "256", "252"), edit(reg, "256", "252"), Refuted},
		{"not all in memory, rarely", edit(hidden(memory), "256", "252"), edit(hidden(reg), "256", "252"), Unknown},
		{"half words", edit(hidden(memory), "dcl_literal l0, 4", "dcl_literal l0, 2"), edit(hidden(reg), "dcl_literal l0, 4",
			"dcl_literal l0, 2"), Unknown},
		{"a vector over the next invocation", edit(hidden(memory), "lds_load_id(1) r3.x", "lds_load_id(1) r3.xy"), hidden(reg), Unknown},
		{"the next invocation", edit(hidden(memory), "lds_load_id", "ixor r0.x, r0.x, l0.x; lds_load_id"), hidden(reg), Unknown},
		{"a row", edit(hidden(memory), "vTidInGrpFlat", "vTidInGrp"), edit(hidden(reg), "vTidInGrpFlat", "vTidInGrp"), Proved},
		{"a number in one of two dimensions", edit(hidden(memory), "vTidInGrpFlat", "vTidInGrp", "group 64", "group 8, 8"),
			edit(hidden(reg), "vTidInGrpFlat", "vTidInGrp", "group 64", "group 8, 8"), Unknown},
		{"an atomic operation", edit(hidden(memory), "lds_load_id(1) r3.x, r0.x", "lds_read_add_id(1) r3.x, r0.x, l0.y"),
			hidden(reg), Unknown},
		{"two strides", edit(hidden(memory), "256", "512", "lds_load_id", "imul r0.x, vTidInGrpFlat.x, l0.z; lds_load_id"),
			edit(hidden(reg), "256", "512"), Unknown},
		{"another address on some paths", edit(hidden(memory), "lds_load_id", "if_logicalnz cb0[0].x;"+step+"endif; lds_load_id"),
			hidden(reg), Unknown},
		{"an address that a loop moves", edit(hidden(memory), "lds_store_id",
			"whileloop; break_logicalnz cb0[0].x;"+step+"endloop; lds_store_id"), hidden(reg), Unknown},
	} {
		r := CheckKernel(parseKernel(t, c.before), parseKernel(t, c.after), Options{Numerics: Terms, Seed: 1, Brief: true})
		if r.Verdict != c.want && !(c.want == Unknown && r.Verdict == Refuted) || r.Contradicted {
			t.Errorf("%s: %v (%s), want %v", c.name, r.Verdict, r.Why, c.want)
		}
	}
}

package amdil_test

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
)

// The text around the statements of these tests.
const (
	pixel = `il_ps_2_0
dcl_input_position_interp(linear_noperspective) vWinCoord0.xy__
dcl_input_generic_interp(linear) v0
dcl_output_generic o0
dcl_output_generic o1
dcl_cb cb0[16]
dcl_cb cb1[16]
dcl_indexed_temp_array x0[8]
dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
dcl_resource_id(1)_type(1d)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
dcl_resource_id(2)_type(2darray)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)
dcl_literal l0, 0.5, 2.0, 3, 7
dcl_literal l1, 0.0, 1.0, 1, 2
itof r0, l0.zwzw
mov r1, v0
ftoi r2, vWinCoord0.xyxy
iand r2, r2, l0.wwww
ftoi r3, r1
iand r3.x, r3.x, l0.w
`
	compute = `il_cs_2_0
dcl_num_thread_per_group 16
dcl_raw_uav_id(0)
dcl_struct_uav_id(1) 16
dcl_uav_id(2)_type(2d)_fmtx(uint)
dcl_arena_uav_id(8)
dcl_lds_id(1) 1024
dcl_struct_lds_id(2) 16, 64
dcl_lds_size_per_thread 4
dcl_literal l0, 1, 2, 3, 16
dcl_literal l1, 4, 0xff, 0, 0x3F800000
umul r0, vaTid.x, l0.w
mov r1, l0
mov r2.xy__, l1.zz
mov r3, l0
`
)

// Statements without a formula, and operands of every form, survive a round trip unchanged.
func TestEmitStatements(t *testing.T) {
	for _, test := range []struct{ header, code string }{
		{pixel, "sample_resource(0)_sampler(3) o0, r1"},
		{pixel, "sample_resource(0)_sampler(0)_aoffimmi(1.0,-0.5,0.0) r5.x_zw, r1.zw\nmov o0.x_zw, r5"},
		{pixel, "sample_l_resource(0)_sampler(0) o0.xy__, r1, r1.w"},
		{pixel, "sample_b_resource(1)_sampler(1) o0, r1.y, r0.x_neg(xyzw)"},
		{pixel, "sample_g_resource(0)_sampler(0) o0, r1, r0, r0_abs"},
		{pixel, "sample_c_lz_resource(0)_sampler(0) o0.x___, r1, r1.z"},
		{pixel, "sample_l_resource(2)_sampler(0) o0, r1, r1.w"},
		{pixel, "fetch4_resource(0)_sampler(0)_compselect(z) o0, r1"},
		{pixel, "load_resource(0) o0, r2"},
		{pixel, "resinfo_resource(0)_uint r5, r1.x\nutof o0, r5"},
		{pixel, "mov g[r2.x], r1"},
		{pixel, "mov g[r2.x+3].x_z_, r1.zyxw"},
		{pixel, "mov g[2], r1_neg(xz)"},
		{pixel, "mov g[r2.y].xy01, r1"},
		{pixel, "add g[r2.y+1].x0_w, r1, r0"},
		{pixel, "mul_ieee o0, g[r2.x], g[r2.y+1].x"},
		{pixel, "mov r5, g[r2.x]\nmov g[r2.y], r1\nmov o0, r5"},
		{pixel, "mov x0[1], r1\nmov x0[r3.x].y, r0.x\nadd o0, x0[1], x0[r3.x].x"},
		{pixel, "add o0, cb0[r3.x+2], cb0[3].wzyx_abs"},
		{pixel, "add o0, cb0[cb1[r3.x].x], cb1[1].0x1y_neg(xyzw)"},
		{pixel, "iadd r5, r2, r3.xxxx_neg(xyzw)\niadd r5, r5_neg(xyzw), r2.y\nimax r5, r5, r5_neg(xyzw)\niadd r5.xy__, r5, r2_neg(x)\nitof o0, r5"},
		{pixel, "sub o0, r1, r0\nsub o1.xy__, r0, r1.zw"},
		{pixel, "rcp r5.xy__, r0.y\nrsq_vec r6, r1_abs\nmad_sat o0, r5.xyxy, r6, l0.1y0x"},
		{pixel, "mov o0.xy00, r1\nmov o1.x_1_, r1"},
		{pixel, "discard_logicalnz r2.x\nmov o0, r1"},
		{pixel, "discard_logicalz r2.x\nmov g[r2.x], r1"},
		{pixel, "mov r10, r0\nmov r11, r1\nmov r12, r1.wzyx\nmov r13, r0.x\ntranspose r20, r10\nadd o0, r20, r22"},
		{pixel, "if_logicalnz r2.x\nmov o0, r1\nelse\nmov o0, r0\nendif"},
		{pixel, "mov o0, r0\nif_logicalz r2.x\nmov o0, r1\nendif"},
		{pixel, "mov r5, r1\nwhileloop\nige r6.x, r5.x, r0.x\nbreak_logicalnz r6.x\nadd r5, r5, l0.y\nendloop\nmov o0, r5"},
		{pixel, "switch r2.x\ncase 0\nmov o0, r1\nbreak\ncase 1\ncase 3\nmov o0, r0\nbreak\ndefault\nmov o0, l0\nbreak\nendswitch"},
		{pixel, "mov o0, r0\nmov o1, r1\nswitch cb0[0].x\ncase -1\nmov o0, r1\nbreak\ncase 2\nmov o1, r0\nbreak\nendswitch"},
		{pixel, "mov r5.x, l0.w\nwhileloop\nbreak_logicalz r5.x\niadd r5.x, r5.x, l1.z_neg(x)\nswitch r5.x\ncase 2\nadd r1, r1, r0\nbreak\ndefault\nmul r1, r1, r0\nendswitch\nendloop\nmov o0, r1"},
		{compute, "uav_raw_store_id(0) mem.xyzw, r0.x, r1"},
		{compute, "uav_raw_load_id(0) r5.xy__, r0.x\nuav_raw_store_id(0) mem.xy__, r0.y, r5.yx"},
		{compute, "uav_raw_store_id(0) mem.x01w, r0.x, r1"},
		{compute, "uav_struct_load_id(1) r5, r2\nuav_struct_store_id(1) mem.x___, r2, r5.w"},
		{compute, "uav_store_id(2) r2.xyxy, r1"},
		{compute, "uav_load_id(2) r5, r2.xyxy\nuav_raw_store_id(0) mem.x___, r0.x, r5"},
		{compute, "uav_arena_store_id(8)_size(dword) mem.x, r0.x, r1.y\nuav_arena_load_id(8)_size(dword) r5.x, r0.x\nuav_raw_store_id(0) mem.x, r0.x, r5.x"},
		{compute, "uav_add_id(0) r0.x, r1.y"},
		{compute, "uav_read_umax_id(0) r5.x, r0.x, r1.y\nuav_raw_store_id(0) mem.x, r0.y, r5.x"},
		{compute, "uav_read_cmp_xchg_id(0) r5.x, r0.x, r1.y, r1.z\nuav_raw_store_id(0) mem.x, r0.y, r5.x"},
		{compute, "lds_store_id(1) r0.x, r1.x\nfence_threads_lds\nlds_load_id(1) r5.x, r0.x\nuav_raw_store_id(0) mem.x, r0.x, r5.x"},
		{compute, "lds_add_id(1) r0.x, r1.x\nlds_read_xor_id(1) r5.x, r0.x, r1.y\nuav_raw_store_id(0) mem.x, r0.x, r5.x"},
		{compute, "lds_store_vec_id(2) mem.xy, r2.x, r2.y, r1\nfence_lds\nlds_load_vec_id(2) r5.xy, r2.x, r2.y\nuav_raw_store_id(0) mem.xy, r0.x, r5"},
		{compute, "lds_write_vec_lOffset(0) mem.xyzw, r1\nfence_threads_lds\nlds_read_vec r5, r2.xy\nuav_raw_store_id(0) mem.xyzw, r0.x, r5"},
		{compute, "append_buf_alloc_id(1) r5.x\nuav_raw_store_id(0) mem.x, r5.x, r1.x"},
	} {
		name, _, _ := strings.Cut(test.code, "\n")
		text := test.header + test.code + "\nend\n"
		k, err := il.Parse(name, []byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		f, err := amdil.Lift(k)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		out, g := emitted(t, name, k, f)
		if f.StructuralHash() != g.StructuralHash() {
			t.Errorf("%s comes back as another function:\n%s\n%s\n%s", name, f, il.Print(out), g)
		}
		a, _ := statements(k)
		if b, _ := statements(out); b > a {
			t.Errorf("%s: %d statements are now %d:\n%s", name, a, b, il.Print(out))
		}
		passtest.SameRuns(t, k, out, 2)
	}
}

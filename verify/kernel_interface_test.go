package verify

import (
	"strings"
	"testing"
)

// TestKernelInterfaces compares different declarations around a program and an equivalent one.
func TestKernelInterfaces(t *testing.T) {
	const (
		vary  = "dcl_input_generic_interp(linear) v0; dcl_input_generic_interp(linear) v1; "
		out   = "dcl_output_generic o0; "
		res   = "dcl_resource_id(0)_type(2d,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float); "
		body  = "add r0, v0, v1; mul o0, r0, cb0[1]; end"
		other = "add r1, v1, v0; mul o0, cb0[1], r1; end"
		plain = vary + out + "dcl_cb cb0[4]; "

		fetch  = "sample_resource(0)_sampler(0) r0, v0.xy; add o0, r0, v1; end"
		fetch2 = "sample_resource(0)_sampler(0) r1, v0.xy; add o0, v1, r1; end"

		group  = "dcl_num_thread_per_group 64; dcl_lds_id(1) 1024; dcl_literal l0, 4, 0, 0, 0; "
		local  = "imul r0.x, vTidInGrp.x, l0.x; lds_store_id(1) r0.x, r0.x; lds_load_id(1) r1.x, r0.x; mov g[vaTid.x], r1.x; end"
		local2 = "imul r2.x, l0.x, vTidInGrp.x; lds_store_id(1) r2.x, r2.x; lds_load_id(1) r3.x, r2.x; mov g[vaTid.x], r3.x; end"
		view   = "dcl_num_thread_per_group 64; dcl_struct_uav_id(2) 16; "
		store  = "mov r0.x, vaTid.x; uav_struct_store_id(2) mem.x, r0.xx, r0.x; end"
		store2 = "mov r1.x, vaTid.x; uav_struct_store_id(2) mem.x, r1.xx, r1.x; end"
	)
	pixel := func(s string) string { return "il_ps_2_0; " + s }
	compute := func(s string) string { return "il_cs_2_0; " + s }
	for _, c := range []struct{ name, before, after, why string }{
		{"unchanged", pixel(plain + body), pixel(plain + other), ""},
		{"in another order", pixel(plain + body), pixel("dcl_cb cb0[4]; " + out + vary + other), ""},
		{"literal added", pixel(plain + body), pixel(plain + "dcl_literal l0, 1, 2, 3, 4; " + other), ""},
		{"array added", pixel(plain + body), pixel(plain + "dcl_indexed_temp_array x0[4]; " + other), ""},
		{"array of another size", pixel(plain + "dcl_indexed_temp_array x0[2]; mov x0[1], v0; " + body),
			pixel(plain + "dcl_indexed_temp_array x0[4]; mov x0[1], v0; " + other), "differently"},
		{"what is not used dropped", pixel(plain + res + "dcl_cb cb1[2]; " + body), pixel(plain + other), ""},
		{"output in components", pixel(plain + body),
			pixel(strings.Replace(plain, out, "dcl_output_generic o0.xy; dcl_output_generic o0.zw; ", 1) + other), ""},

		{"buffer added", pixel(plain + body), pixel(plain + "dcl_cb cb1[2]; " + other),
			"cb1 is declared only in the new version"},
		{"buffer shorter", pixel(plain + body), pixel(strings.Replace(plain, "cb0[4]", "cb0[2]", 1) + other), "differently"},
		{"resource added", pixel(plain + body), pixel(plain + res + other), "declared only in the new version"},
		{"resource of another shape", pixel(vary + out + res + fetch),
			pixel(vary + out + strings.Replace(res, "2d,unnorm", "2darray,unnorm", 1) + fetch2), "differently"},
		{"resource with normalised coordinates", pixel(vary + out + res + fetch),
			pixel(vary + out + strings.Replace(res, ",unnorm", "", 1) + fetch2), "differently"},
		{"resource of another format", pixel(vary + out + res + fetch),
			pixel(vary + out + strings.Replace(res, "fmtw(float)", "fmtw(uint)", 1) + fetch2), "differently"},
		{"resource as it was", pixel(vary + out + res + fetch), pixel(vary + out + res + fetch2), ""},
		{"resource not declared", pixel(vary + out + fetch), pixel(vary + out + fetch2), "not declared"},
		{"resource no longer declared", pixel(vary + out + res + fetch), pixel(vary + out + fetch2), "not declared"},
		{"input interpolated otherwise", pixel(plain + body),
			pixel(strings.Replace(plain, "linear) v1", "constant) v1", 1) + other), "differently"},
		{"input of another use", pixel(plain + body),
			pixel(strings.Replace(plain, "dcl_input_generic_interp(linear) v1", "dcl_input_color_interp(linear) v1", 1) +
				other), "differently"},
		{"inputs exchanged", pixel(strings.Replace(plain, "linear) v1", "constant) v1", 1) + body),
			pixel(strings.Replace(plain, "linear) v0", "constant) v0", 1) + other), "differently"},
		{"output of another use", pixel(plain + body),
			pixel(strings.Replace(plain, "dcl_output_generic", "dcl_output_color", 1) + other), "differently"},
		{"output with fewer components", pixel(plain + body), pixel(strings.Replace(plain, "o0;", "o0.xyz;", 1) + other),
			"differently"},
		{"output added", pixel(plain + body), pixel(plain + "dcl_output_generic o1; " + other),
			"declared only in the new version"},
		{"depth added", pixel(plain + body), pixel(plain + "dcl_odepth; " + other), "declared only in the new version"},
		{"flags added", pixel(plain + body), pixel(plain + "dcl_global_flags forceEarlyDepthStencil; " + other),
			"declared only in the new version"},

		{"group as it was", compute(group + local), compute(group + local2), ""},
		{"group smaller", compute(group + local), compute(strings.Replace(group, "64", "32", 1) + local2), "differently"},
		{"group not declared", compute(group + local),
			compute(strings.Replace(group, "dcl_num_thread_per_group 64; ", "", 1) + local2), "no longer declared"},
		{"local memory smaller", compute(group + local), compute(strings.Replace(group, "1024", "512", 1) + local2),
			"differently"},
		{"view as it was", compute(view + store), compute(view + store2), ""},
		{"view with another stride", compute(view + store), compute(strings.Replace(view, "16", "32", 1) + store2),
			"differently"},
		{"view without structure", compute(view + store),
			compute(strings.Replace(view, "dcl_struct_uav_id(2) 16", "dcl_raw_uav_id(2)", 1) +
				store2), "declared only in the new version"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantRefusal(t, CheckKernel(parseKernel(t, c.before), parseKernel(t, c.after), Options{Numerics: Real, Seed: 1}),
				c.why)
		})
	}
}

package il

import (
	"fmt"
	"strings"
	"testing"
)

// parse parses a valid text.
func parse(t testing.TB, src string) *Kernel {
	t.Helper()
	k, err := Parse("test.il", []byte(src))
	if err != nil {
		t.Fatalf("%v\nin\n%s", err, src)
	}
	if got := string(Print(k)); got != src {
		t.Fatalf("printing it untouched gives\n%q\nwant\n%q", got, src)
	}
	return k
}

// one returns the only statement of a kernel.
func one(t testing.TB, src string) Inst {
	t.Helper()
	k := parse(t, "il_cs_2_0\n"+src+"\nend")
	if len(k.Insts) != 2 {
		t.Fatalf("%q is %d statements", src, len(k.Insts)-1)
	}
	return k.Insts[0]
}

// TestSpellings checks that different spellings of a statement have the same canonical form, which
// reads back as the same statement.
func TestSpellings(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		// Opcodes and controls.
		{"mov r0,r1", "mov r0, r1"},
		{"\tmul_ieee_sat\tr0 , r1,r2", "mul_ieee_sat r0, r1, r2"},
		{"mul_sat_ieee_x2 r0, r1, r2", "mul_ieee_x2_sat r0, r1, r2"},
		{"mad_d4 r0_sat.xyz, r1, r2, r3", "mad_d4_sat r0.xyz_, r1, r2, r3"},
		{"mad_prec r0, r1, r2, r3", "mad_prec r0, r1, r2, r3"},
		{"mad_ieee_prec(xzw) r0, r1, r2, r3", "mad_ieee_prec(xzw) r0, r1, r2, r3"},
		{"add_prec(xyzw) r0, r1, r2", "add_prec r0, r1, r2"},
		{"div_zeroop(inf_else_max)_sat r0, r1, r2", "div_zeroop(inf_else_max)_sat r0, r1, r2"},
		{"div r0, r1, r2", "div r0, r1, r2"},
		{"rcp_vec_zeroop( fltmax ) r0, r1", "rcp_vec_zeroop(fltmax) r0, r1"},
		{"dsx_fine r0, r1", "dsx_fine r0, r1"},
		{"and r0, r1, r2", "iand r0, r1, r2"},
		{"round_posinf r0, r1", "round_plusinf r0, r1"},
		{"round_near r0, r1", "round_nearest r0, r1"},
		{"ffb(hi) r0, r1", "ffb_hi r0, r1"},
		{"ubit_insert r0, r1, r2, r3, r4", "ubit_insert r0, r1, r2, r3, r4"},
		{"sample_resource(3)_sampler(15)_aoffimmi(1,-0.5,0.0) r0, r1.xy",
			"sample_resource(3)_sampler(15)_aoffimmi(1.0,-0.5,0.0) r0, r1.xy"},
		{"sample_resource(0)_sampler(0)_addroffimmi(0, 0, 0) r0, r1", "sample_resource(0)_sampler(0) r0, r1"},
		{"sample_clz_resource(1)_sampler(2) r0.x, r1.xyxx, r2.z",
			"sample_c_lz_resource(1)_sampler(2) r0.x___, r1.xyxx, r2.z"},
		{"sample_l_resource(1)_sampler(2) r0, r1, r2", "sample_l_resource(1)_sampler(2) r0, r1, r2"},
		{"sample_c_g_resource(1)_sampler(2) r0, r1, r2, r3, r4", "sample_c_g_resource(1)_sampler(2) r0, r1, r2, r3, r4"},
		{"load_resource(7) r0, r1", "load_resource(7) r0, r1"},
		{"lod_stage(7) r0, r1", "lod_stage(7) r0, r1"},
		{"resinfo_resource(2)_uint r0, r1.x", "resinfo_resource(2)_uint r0, r1.x"},
		{"fetch4_resource(1)_sampler(1)_compselect(y) r0, r1", "fetch4_resource(1)_sampler(1)_compselect(y) r0, r1"},
		{"transpose r10, r20", "transpose r10, r20"},
		// Memory.
		{"uav_raw_load_id(11)_cached r0.xy__,r1.x", "uav_raw_load_id(11)_cached r0.xy__, r1.x"},
		{"uav_raw_store_id(11) mem.xyzw,r1.x,r2", "uav_raw_store_id(11) mem.xyzw, r1.x, r2"},
		{"uav_raw_store_id(11) mem0.x___, r1.x, r2", "uav_raw_store_id(11) mem.x___, r1.x, r2"},
		{"uav_arena_load_id(8)_size(byte) r0.x, r1.x", "uav_arena_load_id(8)_size(byte) r0.x___, r1.x"},
		{"uav_arena_store_id(8)_size(dword) r0.x, r1.x", "uav_arena_store_id(8)_size(dword) r0.x, r1.x"},
		{"uav_arena_store_id(8) mem.x, r0.x, r1.x", "uav_arena_store_id(8) mem.x___, r0.x, r1.x"},
		{"uav_add_id(1) r0.x, r1.x", "uav_add_id(1) r0.x, r1.x"},
		{"uav_read_umax_id(1) r0, r1.x, r2.x", "uav_read_umax_id(1) r0, r1.x, r2.x"},
		{"uav_read_cmp_xchg_id(1) r0, r1.x, r2.x, r3.x", "uav_read_cmp_xchg_id(1) r0, r1.x, r2.x, r3.x"},
		{"lds_read_xchg_id(1) r0, r1.x, r2.x", "lds_read_xchg_id(1) r0, r1.x, r2.x"},
		{"lds_load_id(1) r0, r1.x", "lds_load_id(1) r0, r1.x"},
		{"lds_read_add_resource(1) r0, r1.x, r2.x", "lds_read_add_id(1) r0, r1.x, r2.x"},
		{"lds_or_resource(1) r1.x, r2.x", "lds_or_id(1) r1.x, r2.x"},
		{"lds_store_vec_id(1) mem.xy, r0.x, r1.x, r2", "lds_store_vec_id(1) mem.xy__, r0.x, r1.x, r2"},
		{"lds_store_id(1) mem, r0.x, r1.x", "lds_store_id(1) mem.xyzw, r0.x, r1.x"},
		{"lds_write_vec_lOffset(4) mem.xyz, r0", "lds_write_vec_lOffset(4) mem.xyz_, r0"},
		{"lds_read_vec_neighborExch r0, r1.xy", "lds_read_vec_neighborExch r0, r1.xy"},
		{"gds_load_id(1) r0.x, r1.x", "gds_load_id(1) r0.x___, r1.x"},
		{"gds_store_id(1) r0.x, r1.x", "gds_store_id(1) r0.x, r1.x"},
		{"gds_umax_id(1) r0.x, r1.x", "gds_umax_id(1) r0.x, r1.x"},
		{"gds_cmp_id(1) r0.x, r1.x, r2.x", "gds_cmp_id(1) r0.x, r1.x, r2.x"},
		{"gds_read_add_id(1) r0, r1.x, r2.x", "gds_read_add_id(1) r0, r1.x, r2.x"},
		{"gds_read_cmp_xchg_id(1) r0, r1.x, r2.x, r3.x", "gds_read_cmp_xchg_id(1) r0, r1.x, r2.x, r3.x"},
		{"fence_lds_threads_memory", "fence_threads_lds_memory"},
		{"fence_memory_mem_write_only", "fence_memory_mem_write_only"},
		{"fence", "fence"},
		{"mov g[ r0.x +  3 ], r1", "mov g[r0.x+3], r1"},
		{"mov r1, g[5]", "mov r1, g[5]"},
		{"append_buf_alloc_id(2) r0", "append_buf_alloc_id(2) r0"},
		// Registers.
		{"mov r4096.xy, vWinCoord.xy", "mov r4096.xy__, vWinCoord0.xy"},
		{"mov r0, vAbsTid0.x", "mov r0, vaTid.x"},
		{"iadd r0, vTidInGrp, vThreadGrpID", "iadd r0, vTid, vTGroupid"},
		{"mov r0, vaTidFlat", "mov r0, vaTidFlat"},
		{"mov r0, vAbsTIdFlat", "mov r0, vaTidFlat"},
		{"iadd r0, vabstid.x, VTIDINGRP.y", "iadd r0, vaTid.x, vTid.y"},
		{"mov r0, vThreadGrpIdFlat0.x", "mov r0, vThreadGrpIdFlat.x"},
		{"mov r0.xyz0, vThreadGrpId0.xyz", "mov r0.xyz0, vTGroupid.xyz"},
		{"mov oDepth0.x, vObjIndex0", "mov oDepth.x___, vObjIndex0"},
		{"mov x0[r1.x+2].y, cb1[x2[x3[r1.w+7].z+ 1].x]", "mov x0[r1.x+2]._y__, cb1[x2[x3[r1.w+7].z+1].x]"},
		{"mov sr1, icb[r0.y]", "mov sr1, icb[r0.y]"},
		{"mov r0, cb15[0x10]_abs.x", "mov r0, cb15[16].x_abs"},
		{"mov p[1], a0.x", "mov p[1], a0.x"},
		// Masks.
		{"mov r0.xyzw, r1", "mov r0, r1"},
		{"mov r0.0y, r1", "mov r0.0y__, r1"},
		{"mov r0.x0, r1", "mov r0.x0__, r1"},
		{"mov r0.y00, r1", "mov r0._y00, r1"},
		{"mov r0.0yz, r1", "mov r0.0yz_, r1"},
		{"mov r0.xz, r1", "mov r0.x_z_, r1"},
		{"mov r0.x1z, r1", "mov r0.x1z_, r1"},
		{"mov r0.w, r1", "mov r0.___w, r1"},
		{"mov r0.01z_, r1", "mov r0.01z_, r1"},
		{"mov r0.0000, r1", "mov r0.0000, r1"},
		{"mov r0.x_z, r1", "mov r0.x_z_, r1"},
		// Sources.
		{"mov r0, r1.01xy", "mov r0, r1.01xy"},
		{"mov r0, r0.1", "mov r0, r0.1"},
		{"mov r0, r1_neg", "mov r0, r1_neg(xyzw)"},
		{"mov r0, r1_neg(yz)", "mov r0, r1_neg(yz)"},
		{"mov r0, r1_abs_neg(x).yxyx", "mov r0, r1.yxyx_neg(x)_abs"},
		{"mov r0, r1.x_invert_sign", "mov r0, r1.x_invert_sign"},
		{"mov r0, r1_x2_bias", "mov r0, r1_bx2"},
		{"mov r0, r1_bx2_divComp(unknown)_neg(xyzw)_abs", "mov r0, r1_neg(xyzw)_bx2_abs_divComp(unknown)"},
		// Declarations.
		{"dcl_input_usage(generic)_interp(linear) v0", "dcl_input_generic_interp(linear) v0"},
		{"dcl_input_generic_interp(linear_noperspective_centroid) v3.__z_",
			"dcl_input_generic_interp(linear_noperspective_centroid) v3.__z_"},
		{"dcl_input_position_interp(linear_noperspective) v0.xy__",
			"dcl_input_position_interp(linear_noperspective) v0.xy__"},
		{"dcl_input vObjIndex0", "dcl_input vObjIndex0"},
		{"dcl_output_usage(rendertarget_array_index) o1.x", "dcl_output_rendertarget_array_index o1.x___"},
		{"dcl_output_generic o0.x", "dcl_output_generic o0.x___"},
		{"dcl_odepth", "dcl_odepth"},
		{"dcl_cb cb0[ 12 ]", "dcl_cb cb0[12]"},
		{"dcl_cb icb[4]", "dcl_cb icb[4]"},
		{"dcl_indexed_temp_array x0[16]", "dcl_indexed_temp_array x0[16]"},
		{"dcl_literal l0, 1, -1, 0xBF800000, -0.5", "dcl_literal l0, 0x00000001, 0xFFFFFFFF, 0xBF800000, 0xBF000000"},
		{"dcl_literal l1, 2.0f, 1e3, 3f, .25", "dcl_literal l1, 0x40000000, 0x447A0000, 0x40400000, 0x3E800000"},
		{"dcl_literal l2, 4294967295, -2147483648, -0.0, 0x7fc00001",
			"dcl_literal l2, 0xFFFFFFFF, 0x80000000, 0x80000000, 0x7FC00001"},
		{"dcl_resource_id(3)_type(2d)_fmtx(unknown)_fmty(sint)_fmtz(srgb)_fmtw(mixed)",
			"dcl_resource_id(3)_type(2d)_fmtx(unknown)_fmty(sint)_fmtz(srgb)_fmtw(mixed)"},
		{"dcl_resource_id(3)_type(2darray, unnorm)_fmtw(float)_fmtz(float)_fmty(float)_fmtx(float)",
			"dcl_resource_id(3)_type(2darray,unnorm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)"},
		{"dcl_num_thread_per_blk 64", "dcl_num_thread_per_group 64"},
		{"dcl_num_thread_per_group 16,16 , 1", "dcl_num_thread_per_group 16, 16, 1"},
		{"dcl_max_thread_per_group 512", "dcl_max_thread_per_group 512"},
		{"dcl_lds_size_per_thread 8", "dcl_lds_size_per_thread 8"},
		{"dcl_lds_sharing_mode _wavefrontAbs", "dcl_lds_sharing_mode _wavefrontAbs"},
		{"dcl_lds_id(1) 2048", "dcl_lds_id(1) 2048"},
		{"dcl_struct_lds_id(1) 16, 64", "dcl_struct_lds_id(1) 16, 64"},
		{"dcl_raw_uav_id(0)", "dcl_raw_uav_id(0)"},
		{"dcl_arena_uav_id(8)", "dcl_arena_uav_id(8)"},
		{"dcl_uav_id(1)_type(1d)_fmtx(uint)", "dcl_uav_id(1)_type(1d)_fmtx(uint)"},
		{"dcl_struct_uav_id(1) 16", "dcl_struct_uav_id(1) 16"},
		{"dcl_global_flags refactoringAllowed|enableDoublePrecisionFloatOps",
			"dcl_global_flags refactoringAllowed|enableDoublePrecisionFloatOps"},
	} {
		in := one(t, c.src)
		if got := Format(&in); got != c.want {
			t.Errorf("%q means %q, want %q", c.src, got, c.want)
			continue
		}
		if again := one(t, c.want); !again.Same(&in) {
			t.Errorf("%q does not mean what %q does", c.want, c.src)
		}
	}
}

func TestFlowForms(t *testing.T) {
	const src = `il_ps_2_0
if_logicalz r0.x
else
ifc_relop(gt) r0.x, r1.y
ifnz r0
endif
endif
endif
loop i0
breakc_relop(ne) r0.x, r1.x
continuec_relop(lt) r0.x, r1.x
continue_logicalnz r0.y
endloop
whileloop
switch r0.x
case -1
break
case 0x7
default
break_logicalz r0.x
endswitch
break
endloop
discard_logicalnz r0.x
call 3
call_logicalz r0.x, 3
ret_logicalz r0.x
kill r0
endmain
func 3
callnz r0.x, 4
ret
func 4
ret
end`
	var b strings.Builder
	k := parse(t, src)
	for i := range k.Insts {
		fmt.Fprintf(&b, "%s\n", Format(&k.Insts[i]))
	}
	want := strings.TrimPrefix(src, "il_ps_2_0\n") + "\n"
	if got := b.String(); got != strings.Replace(want, "0x7", "7", 1) {
		t.Errorf("the canonical form is\n%s", got)
	}
	if v := int32(k.Insts[14].Imm[0]); k.Insts[14].Op != OpCase || v != -1 {
		t.Errorf("statement 14 is %s", Format(&k.Insts[14]))
	}
}

// TestReads checks the component that each lane of each operand reads.
func TestReads(t *testing.T) {
	for _, c := range []struct {
		src   string
		reads string // of the operands, with a dot for none
	}{
		{"mov r0, r1", "xyzw"},
		{"mov r0.__z_, r1", "..z."},
		{"mov r0.yw, r1.xy", ".x.y"},
		{"mov r0.xz, r1.xy", "x.y."},
		{"mov r0.yzw, r1.wx0", ".wx0"},
		{"mov r0.yw, r1.x", ".x.x"},
		{"mov r0.yw, r1.wzyx", ".z.x"},
		{"mov r0, r1.xy", "xyyy"},      // fewer places than lanes
		{"mov r0.x, r1.zw", "z..."},    // more
		{"mov r0.0y0w, r1.zx", ".z.x"}, // constant lanes take none
		{"add r0.xz, r0.xz, r0.11", "x.z. 1.1."},
		{"dmad r3.zw, r13.xy, r15.zw, r3.zw", "..xy ..zw ..zw"},
		{"dldexp r0.zw, r1.xy, r2.x", "..xy ..xx"},
		{"d2f r0.z, r1.xy", "xyyy"},
		{"dp2_ieee r0.__z_, r0.yw, r1", "ywww xyzw"},
		{"rcp r0.x___, r1.yyyy", "y..."},
		{"rcp_vec r0.yz, r1.xw", ".xw."},
		{"sample_resource(0)_sampler(0) r0.w, r1.zw", "zwww"},
		{"sample_l_resource(0)_sampler(0) r0, r1.zw, r1.x", "zwww x..."},
		{"uav_raw_store_id(0) mem.zw, r0.y, r1.xy", "y... ..xy"},
		{"uav_arena_store_id(0) r0.y, r1.xy", "y... xyyy"},
		{"uav_arena_store_id(0) mem.y, r0.y, r1.xy", "y... .x.."},
		{"cmov_logical r0.yz, r1.x, r2.xy, r3", ".xx. .xy. .yz."},
	} {
		in := one(t, c.src)
		var got []string
		for i := range in.Sources() {
			word := ""
			for _, s := range in.Reads(i) {
				word += "xyzw01."[s : s+1]
			}
			got = append(got, word)
		}
		if got := strings.Join(got, " "); got != c.reads {
			t.Errorf("%s reads %s, want %s", c.src, got, c.reads)
		}
	}
}

func TestMasks(t *testing.T) {
	in := one(t, "mov r0.0yz1, r1")
	if m := in.Dst.Mask; m != MakeMask(Zero, Result, Result, One) || m.Computed() != 0b0110 || m.Written() != AllLanes ||
		m.Written().Count() != 4 {
		t.Errorf("the mask is %#x", m)
	}
	if m := one(t, "mov r0.x__w, r1").Dst.Mask; m.Written() != 0b1001 || m.Computed() != 0b1001 || m.WriteAt(1) != Keep {
		t.Errorf("the mask is %#x", m)
	}
}

func TestLeads(t *testing.T) {
	k := parse(t, "\n; head\r\ndx11_ps\r\n il_ps_2_0_mp_rt ; first\r\n\r\n\tmov r0, r1; a\r\n  end; \xff\x00\r\n; b")
	if want := "\n; head\r\ndx11_ps\r\n il_ps_2_0_mp_rt"; k.Head != want || k.Client != "dx11_ps" || !k.MultiPass ||
		!k.RealTime || k.Stage != Pixel {
		t.Errorf("head %q, want %q", k.Head, want)
	}
	for i, want := range [][2]string{{" ; first\r\n\r\n\t", "mov r0, r1"}, {"; a\r\n  ", "end"}} {
		if in := k.Insts[i]; in.Lead != want[0] || in.Text != want[1] {
			t.Errorf("statement %d is %q %q, want %q", i, in.Lead, in.Text, want)
		}
	}
	if pos := k.Insts[1].Pos; pos.Line != 7 || pos.Col != 3 || pos.File != "test.il" {
		t.Errorf("the second statement is at %s", pos)
	}
	if want := "; \xff\x00\r\n; b"; k.Tail != want {
		t.Errorf("tail %q, want %q", k.Tail, want)
	}
}

// TestTextEnd checks that terminators of old editors after a text are kept and ignored.
func TestTextEnd(t *testing.T) {
	for _, tail := range []string{"\x1a", "\n\x1a", " ; c\r\n\x1a\x1a", "\n\x00", "\x00\n\x1a\r\n"} {
		src := "il_ps_2_0\nend" + tail
		k, err := Parse("", []byte(src))
		if err != nil {
			t.Errorf("%q: %v", src, err)
			continue
		}
		if k.Tail != tail || string(Print(k)) != src {
			t.Errorf("the tail of %q is %q", src, k.Tail)
		}
	}
	if _, err := Parse("", []byte("il_ps_2_0\n\x1aend")); err == nil {
		t.Error("^Z within a text is accepted")
	}
}

func TestIs(t *testing.T) {
	for src, want := range map[string]bool{
		"il_ps_2_0":                       true,
		"\ufeff; x\n\ndx11_cs\nil_cs_2_0": true,
		"il_cs_2_0 ; x\r\n":               true,
		"il_cs\n":                         true,
		"":                                false,
		"; only comments":                 false,
		"il_vs_2_0\n":                     false,
		"ps_2_0\n":                        false,
		"dx11_ps\ndx11_ps\nil_ps_2_0":     false,
		"\x00\x02\xff\xff":                false,
		"il_cs_2_0\x1a":                   true,
		"\x1ail_cs_2_0":                   false,
	} {
		if IsKernel([]byte(src)) != want {
			t.Errorf("Is(%q) is %v", src, !want)
		}
		for n := 4070; n < 4100; n++ { // around the size at which Is reads more
			if IsKernel([]byte(";"+strings.Repeat(" ", n)+"\n"+strings.TrimPrefix(src, "\ufeff"))) != want {
				t.Errorf("Is(%q) is %v behind %d blanks", src, !want, n)
			}
		}
	}
}

func TestDiagnostics(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		// Headers.
		{"", "!1:1 no-header"},
		{"; x\n", "!2:1 no-header"},
		{"dx11_ps\n", "!2:1 no-header"},
		{"mov r0, r1", "!1:1 no-header"},
		{"\n  il_vs_2_0", "!2:3 unknown-header"},
		{"il_ps_2_5", "!1:1 unknown-header"},
		{"il_ps_2_0 mov r0, r1", "!1:11 glued-statement"},
		// Opcodes.
		{"foo r0, r1\nneq r0, r1, r2\ndp r0, r1", "2:1 unknown-opcode; 3:1 unknown-opcode; 4:1 unknown-opcode"},
		{"Mov r0, r1\nmov, r0\n@", "2:1 unknown-opcode; 3:1 unknown-opcode; 4:1 unknown-opcode"},
		{"mov_ieee r0, r1\nmul_ieee_ieee r0, r1, r2\nadd_foo r0, r1, r2\niadd_sat r0, r1, r2",
			"2:4 unknown-suffix; 3:9 unknown-suffix; 4:4 unknown-suffix; 5:5 unknown-suffix"},
		{"div_zeroop(huge) r0, r1, r2\ndiv_zeroop r0, r1, r2\ndiv_zeroop(zero r0, r1, r2\ndiv_zeroop() r0, r1, r2",
			"2:4 control; 3:4 control; 4:11 syntax; 5:4 control"},
		{"sample_resource(0) r0, r1\nsample_sampler(0) r0, r1\nifc r0.x, r1.x\nuav_raw_load r0, r1.x",
			"2:1 control; 3:1 control; 4:1 control; 5:1 control"},
		{"sample_resource(0,1)_sampler(0) r0, r1\nsample_resource(65536)_sampler(0) r0, r1\nsample_resource(0)_sampler(0)_aoffimmi(0.25,0,0) r0, r1\nsample_resource(0)_sampler(0)_aoffimmi(1e9,0,0) r0, r1",
			"2:7 control; 3:7 control; 4:30 control; 5:30 control"},
		{"dcl_resource_id(0)_type(2d,norm)_fmtx(float)_fmty(float)_fmtz(float)_fmtw(float)\ndcl_resource_id(0)_type(2d)_fmtx(float)_fmty(float)_fmtz(float)", "2:19 control; 3:1 control"},
		{"mad_prec(yx) r0, r1, r2, r3\nuav_xchg_id(0) r0.x, r1\nfence_lds_lds\nfence_lds(1)",
			"2:4 control; 3:1 unknown-opcode; 4:10 control; 5:6 control"},
		// Operand counts.
		{"mov r0\nmov\nmov r0,\nmov r0, r1, r2\nmov r0 r1\nendloop r0\nadd r0, r1\nmul r0, , r1",
			"2:7 operand-count; 3:4 operand-count; 4:8 operand-count; 5:11 operand-count; 6:8 syntax; 7:9 syntax; 8:11 operand-count; 9:9 syntax"},
		{"mov r0, r1 mov r1, r2\nftoi r8.y, r8.yitof r8.y, r8.y\nmov r0 add r1, r2, r3\nwhileloop whileloop\ncase 1 mov r0, r1",
			"2:12 glued-statement; 3:16 glued-statement; 4:8 glued-statement; 5:11 glued-statement; 6:8 glued-statement"},
		// Registers.
		{"mov r0, q1\nmov r, r1\nmov r65536, r1\nmov r0, vFace3\nmov r0, 5\nmov r0, g0[1]\nmov r0, RO",
			"2:9 unknown-register; 3:5 unknown-register; 4:5 register-range; 5:9 unknown-register; 6:9 unknown-register; 7:9 unknown-register; 8:9 unknown-register"},
		{"mov l0, r0\nmov r0, mem\nmov mem.x, r0\nmov v0, r0\nuav_raw_store_id(0) r0, r1.x, r2",
			"2:5 read-only; 3:9 write-only; 4:5 read-only; 5:5 read-only; 6:21 store-target"},
		// Indices.
		{"mov r0, cb0\nmov r0, cb0[\nmov r0, cb0[1\nmov r0, r1[2]\nmov r1[2], r0\nmov r0, cb0[-1]\nmov r0, cb0[r1.x-1]\nmov r0, cb0[4294967296]",
			"2:12 syntax; 3:13 syntax; 4:14 syntax; 5:11 not-an-array; 6:7 not-an-array; 7:13 syntax; 8:17 syntax; 9:13 number"},
		{"mov r0, cb0[r1]\nmov r0, cb0[r1.xy]\nmov r0, cb0[r1.0]\nmov r0, cb0[r1.x_neg]\nmov r0, cb0[r1.x+r2.x]",
			"2:13 index-component; 3:13 index-component; 4:13 index-component; 5:13 index-component; 6:18 number"},
		{"mov r0, x0[x0[x0[x0[r1.x].x].x].x]\nmov r0, x0[x0[x0[x0[x0[r1.x].x].x].x].x]", "3:23 index-depth"},
		// Masks, swizzles and modifiers.
		{"mov r0.yx, r1\nmov r0.xx, r1\nmov r0.q, r1\nmov r0.xyzwx, r1\nmov r0., r1\nmov r0.____, r1\nmov r0.0, r1\nmov r0.x0w, r1\nmov r0.00y, r1\nmov r0.w0, r1\nmov r0._xyz, r1",
			"2:8 write-mask; 3:8 write-mask; 4:8 write-mask; 5:8 write-mask; 6:8 write-mask; 7:8 write-mask; 8:8 write-mask; 9:8 write-mask; 10:8 write-mask; 11:8 write-mask; 12:8 write-mask"},
		{"mov r0, r1.q\nmov r0, r1.\nmov r0, r1.xyzwx\nmov r0, r1.x2\nmov r0, r1.x.y",
			"2:12 swizzle; 3:12 swizzle; 4:12 swizzle; 5:12 swizzle; 6:13 syntax"},
		{"mov r0, r1_foo\nmov r0, r1_neg(\nmov r0, r1_neg()\nmov r0, r1_neg(yx)\nmov r0, r1_neg_neg\nmov r0, r1_abs(x)\nmov r0, r1_bias_bx2\nmov r0, r1_divComp\nmov r0, r1_abs_abs\nmov r0, -r1",
			"2:11 source-modifier; 3:15 syntax; 4:11 source-modifier; 5:11 source-modifier; 6:15 source-modifier; 7:11 source-modifier; 8:16 source-modifier; 9:11 source-modifier; 10:15 source-modifier; 11:9 syntax"},
		{"mov r0_foo, r1\nmul_sat r0_sat, r1, r2", "2:7 destination-modifier; 3:11 destination-modifier"},
		// Declarations and numbers.
		{"dcl_literal r0, 1, 2, 3, 4\ndcl_literal l0, 1, 2, 3\ndcl_literal l0, 1, 2, 3, 4, 5\ndcl_cb cb0\ndcl_cb x0[1]\ndcl_output r0\ndcl_input o0\ndcl_cb cb0[r0.x]",
			"2:13 declaration; 3:24 operand-count; 4:27 operand-count; 5:11 syntax; 6:8 declaration; 7:12 declaration; 8:11 declaration; 9:12 number"},
		{"dcl_literal l0, 0x1FFFFFFFF, 0, 0, 0\ndcl_literal l0, 1e99, 0, 0, 0\ndcl_literal l0, nan, 0, 0, 0\ndcl_literal l0, 0x1p3f, 0, 0, 0\ndcl_literal l0, 4294967296, 0, 0, 0\ndcl_literal l0, -, 0, 0, 0\ncase 1.0\ncall -1\ndcl_literal l0, 1_0, 0, 0, 0",
			"2:17 number; 3:17 number; 4:17 number; 5:17 number; 6:17 number; 7:17 number; 8:6 number; 9:6 syntax; 10:17 number"},
		{"dcl_global_flags foo\ndcl_global_flags refactoringAllowed|\ndcl_lds_sharing_mode foo\ndcl_num_thread_per_group 1, 2, 3, 4", "2:18 global-flag; 3:37 global-flag; 4:22 sharing-mode; 5:33 operand-count"},
		// The number of diagnostics is limited.
		{strings.Repeat("foo\n", 100), strings.TrimSuffix(strings.Repeat("%d:1 unknown-opcode; ", maxDiags), "; ")},
	} {
		src, want := "il_cs_2_0\n"+c.src+"\nend", c.want
		if bare, ok := strings.CutPrefix(want, "!"); ok {
			src, want = c.src, bare
		}
		for line := 2; strings.Contains(want, "%d"); line++ {
			want = strings.Replace(want, "%d", fmt.Sprint(line), 1)
		}
		_, err := Parse("", []byte(src))
		if got := list(err); got != want {
			t.Errorf("%.90q gives\n  %s\nwant\n  %s", c.src, got, want)
		}
	}
}

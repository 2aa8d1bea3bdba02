package kernel

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm"
)

// TestLocalReversal writes 1000+i to local memory in thread i, and reads the word of the i-th thread from
// the end.
func TestLocalReversal(t *testing.T) {
	const perThread = `dcl_lds_size_per_thread 4
dcl_lds_sharing_mode _wavefrontRel
iadd r0.y, vTidInGrpFlat.x, l0.x
lds_write_vec_lOffset(1) mem.x, r0.y
fence_threads_lds
iadd r1.x, l0.z, vTidInGrpFlat.x_neg
mov r1.y, l0.y
lds_read_vec r2.x, r1.xy
mov g[vaTidFlat.x].x, r2.x
end`
	const byByte = `dcl_lds_id(1) 1024
iadd r0.y, vTidInGrpFlat.x, l0.x
ishl r0.z, vTidInGrpFlat.x, l0.w
lds_store_id(1) r0.z, r0.y
fence_threads_lds
iadd r1.x, l0.z, vTidInGrpFlat.x_neg
ishl r1.x, r1.x, l0.w
lds_load_id(1) r2.x, r1.x
mov g[vaTidFlat.x].x, r2.x
end`
	for _, e := range []struct {
		group string
		size  int
		body  string
	}{{"64", 64, perThread}, {"16", 16, perThread}, {"256", 256, perThread}, {"64", 64, byByte}, {"8, 4", 32, byByte},
		{"100", 100, byByte}} {
		src := "il_cs_2_0\ndcl_num_thread_per_group " + e.group + "\ndcl_literal l0, 1000, 1, " + itoa(e.size-1) + ", 2\n" +
			e.body
		w, h := 2*e.size, 1
		if e.group == "8, 4" {
			w, h = 16, 8
		}
		r := launched(t, src, "domain "+itoa(w)+" "+itoa(h)+"\nglobal 600 zero")
		for i := range w * h {
			if want := uint32(1000 + e.size - 1 - i%e.size); r.Global[4*i] != want {
				t.Errorf("groups of %s: thread %d reads %d, want %d", e.group, i, r.Global[4*i], want)
				break
			}
		}
	}
}

func itoa(n int) string { return strconv.Itoa(n) }

// TestBarriers checks that waiting for running threads that do not come is an error. Barriers do not wait
// for threads that have ended.
func TestBarriers(t *testing.T) {
	run := func(src string) error {
		p := compile(t, "il_cs_2_0\ndcl_num_thread_per_group 128\ndcl_literal l0, 1, 2, 3, 100\n"+src+"\nend")
		_, err := p.Run(&Case{Width: 256, Height: 1}, Options{Steps: 1 << 24})
		return err
	}
	fails(t, "a barrier in a branch", run("iand r0.x, vTidInGrpFlat.x, l0.x\nif_logicalnz r0.x\nfence_threads\nendif"),
		"6 barrier-divergence")
	fails(t, "a barrier behind a break", run("mov r0.y, l0.x\nwhileloop\nult r0.x, vTidInGrpFlat.x, l0.w\nbreak_logicalz r0.x\nfence_threads\nbreak\nendloop"), "8 barrier-divergence")
	for _, src := range []string{
		"ult r0.x, vTidInGrpFlat.x, l0.w\nret_logicalz r0.x\nfence_threads_lds",
		"iand r0.x, vTGroupid.x, l0.x\nif_logicalnz r0.x\nfence_threads\nendif", // a whole group
		"mov r0.x, vTidInGrpFlat.x\nif_logicalnz r0.x\nfence_memory\nendif",     // not for threads
		"mov r0.x, l0.y\nwhileloop\nfence_threads\niadd r0.x, r0.x, l0.x_neg\nbreak_logicalz r0.x\nendloop",
	} {
		if err := run(src); err != nil {
			t.Errorf("%q: %v", src, err)
		}
	}
	// The domain ends in the middle of a group.
	p := compile(t, "il_cs_2_0\ndcl_num_thread_per_group 64\nfence_threads\nmov g[vaTid.x], vaTid.x\nend")
	r, err := p.Run(&Case{Width: 5, Height: 13, Global: &Buffer{Elements: 128}}, Options{})
	if err != nil || r.Global[4*64] != 64 || r.Global[4*65] != 0 {
		t.Errorf("a group in part: %v", err)
	}
}

func TestThreadNumbers(t *testing.T) {
	src := "il_cs_2_0\n%\nmov g[vaTidFlat.x], %\nend"
	for _, e := range []struct {
		group, reg, domain string
		want               map[int][4]uint32
	}{
		{"dcl_num_thread_per_group 4", "vaTid", "domain 3 3", map[int][4]uint32{0: {}, 5: {5}, 8: {8}, 9: {}}},
		{"dcl_num_thread_per_blk 4", "vTidInGrp", "domain 3 3", map[int][4]uint32{5: {1}, 8: {0}}},
		{"dcl_num_thread_per_group 4", "vThreadGrpID", "domain 3 3", map[int][4]uint32{5: {1}, 8: {2}}},
		{"dcl_num_thread_per_group 4, 1", "vaTid", "domain 3 3",
			map[int][4]uint32{0: {}, 2: {2}, 3: {}, 4: {0, 1}, 9: {1, 2}}},
		{"dcl_num_thread_per_group 2, 2, 1", "vaTid", "domain 3 3",
			map[int][4]uint32{3: {1, 1}, 4: {2, 0}, 5: {}, 6: {2, 1}, 8: {0, 2}, 12: {2, 2}}},
		{"dcl_num_thread_per_group 2, 2, 1", "vTid", "domain 3 3", map[int][4]uint32{3: {1, 1}, 6: {0, 1}}},
		{"dcl_num_thread_per_group 2, 2, 1", "vTGroupid", "domain 3 3",
			map[int][4]uint32{3: {}, 6: {1, 0}, 8: {0, 1}, 12: {1, 1}}},
		{"dcl_num_thread_per_group 2, 2, 1", "vTidInGrpFlat", "domain 3 3", map[int][4]uint32{3: {3}, 6: {2}}},
		{"dcl_num_thread_per_group 2, 2, 1", "vThreadGrpIDFlat", "domain 3 3", map[int][4]uint32{3: {}, 6: {1}, 12: {3}}},
		{"dcl_num_thread_per_group 2, 1, 2", "vaTid", "domain 2 2", map[int][4]uint32{0: {}, 1: {1}, 4: {0, 1}, 2: {}}},
		{"", "vTidInGrpFlat", "domain 80 1", map[int][4]uint32{63: {63}, 64: {0}, 79: {15}}},
	} {
		text := strings.Replace(strings.Replace(src, "%", e.group, 1), "%", e.reg, 1)
		r := launched(t, text, e.domain+"\nglobal 200 zero")
		for i, want := range e.want {
			if got := [4]uint32(r.Global[4*i:]); got != want {
				t.Errorf("%s, %s: %s of thread %d is %v, want %v", e.group, e.domain, e.reg, i, got, want)
			}
		}
	}
	r := launched(t, "dcl_input_position_interp(linear) vWinCoord0\ndcl_input_position_interp(linear) v3.xy__\ndcl_output_generic o0\ndcl_output_generic o1\nmov o0, vWinCoord0\nmov o0.z, vObjIndex0.x\nmov o1, v3\nmov o1.z, vFace.x",
		"domain 3 2")
	if got, want := [4]uint32(r.Out[0][20:]), [4]uint32(floats(2.5, 1.5, 0, 1)); got[0] != want[0] ||
		got[1] != want[1] || got[2] != 5 || got[3] != want[3] {
		t.Errorf("the place of element 5 is %x", got)
	}
	if got, want := [4]uint32(r.Out[1][20:]), floats(2.5, 1.5, 1, 1); got != [4]uint32(want) {
		t.Errorf("v3 as the place of element 5 is %x, want %x", got, want)
	}
}

// TestBounds checks that accesses beyond the end read 0 and write nothing, and that those in range are
// exact.
func TestBounds(t *testing.T) {
	literals := "dcl_literal l0, 0, 1, 2, 3\ndcl_literal l1, 0xffffffff, 4, 8, 0x7fffffff\ndcl_literal l2, 77, 78, 79, 80\ndcl_output_generic o0\n"
	for _, e := range []struct {
		src, text string
		want      vec4
	}{
		// g[]
		{"mov r0, g[1]", "global 2 data 1 2 3 4 5 6 7 8", floats(5, 6, 7, 8)},
		{"mov r0, g[l0.y].wzyx", "global 2 data 1 2 3 4 5 6 7 8", floats(8, 7, 6, 5)},
		{"mov r0, g[2]", "global 2 data 1 2 3 4 5 6 7 8", vec4{}},
		{"mov r0, g[l1.x]", "global 2 data 1 2 3 4 5 6 7 8", vec4{}},
		{"mov r0, g[l1.x + 2]", "global 2 data 1 2 3 4 5 6 7 8", floats(5, 6, 7, 8)}, // the sum wraps
		{"mov r0, g[0]", "", vec4{}},
		{"mov g[l0.y].x_1w, l2\nmov g[7], l2\nmov g[l1.x], l2\nmov r0, g[1]", "global 2 data 1 2 3 4 5 6 7 8",
			vec4{77, floats(6)[0], floats(1)[0], 80}},
		// x#[]
		{"dcl_indexed_temp_array x1[3]\nmov x1[2].xy, l2\nmov r0, x1[l0.z]", "", vec4{77, 78}},
		{"dcl_indexed_temp_array x1[3]\nmov x1[l0.y + 1].yz, l2\nmov r0, x1[2]", "", vec4{0, 78, 79}},
		{"dcl_indexed_temp_array x1[3]\nmov x1[3], l2\nmov x1[l0.w], l2\nmov x1[l1.x], l2\niadd r0, x1[3], x1[l0.w]\niadd r0, r0, x1[2]", "", vec4{}},
		{"dcl_indexed_temp_array x1[3]\nmov x1[l0.y], l2\nmov x1[l0.x], l0\nmov x1[x1[l0.x].y + 1], x1[l0.y].wzyx\nmov r0, x1[2]", "", vec4{80, 79, 78, 77}},
		// Constants.
		{"dcl_cb cb1[9]\nmov r0, cb1[2]", "cb 1 2 1 2 3 4", floats(1, 2, 3, 4)},
		{"dcl_cb cb1[9]\nmov r0, cb1[l0.y + 1]", "cb 1 2 1 2 3 4", floats(1, 2, 3, 4)},
		{"dcl_cb cb1[9]\niadd r0, cb1[3], cb1[l0.w]\niadd r0, r0, cb1[l1.x]", "cb 1 2 1 2 3 4", vec4{}},
		{"dcl_cb cb1[9]\ndcl_cb cb0[9]\nmov r0, cb0[cb1[l0.y].z + 1]", "cbi 1 1 0 0 2 0\ncb 0 3 1 2 3 4", floats(1, 2, 3, 4)},
		{"dcl_cb icb[3]\nmov r0.xy, icb[2]\nmov r0.zw, icb[l0.z]", "icbx 2 1 2 3 0x4", vec4{1, 2, 3, 4}},
		{"mov r0, i2", "ci 2 -1 2 3 4", vec4{1<<32 - 1, 2, 3, 4}},
		// Raw views: bytes, without the two lowest bits.
		{"dcl_raw_uav_id(3)\nuav_raw_load_id(3) r0, l1.y", "uav 3 1 data 1 2 3 4",
			vec4{floats(2)[0], floats(3)[0], floats(4)[0], 0}},
		{"dcl_raw_uav_id(3)\nuav_raw_load_id(3)_cached r0._yz_, l1.y", "uav 3 1 data 1 2 3 4",
			vec4{0, floats(3)[0], floats(4)[0], 0}},
		{"dcl_raw_uav_id(3)\niadd r1.x, l1.y, l0.w\nuav_raw_load_id(3) r0.x, r1.x", "uav 3 1 data 1 2 3 4", floats(2)},
		{"dcl_raw_uav_id(3)\nuav_raw_load_id(3) r0, l1.x", "uav 3 1 data 1 2 3 4", vec4{}},
		{"dcl_raw_uav_id(3)\nuav_raw_store_id(3) mem.x_z, l1.y, l2\nuav_raw_store_id(3) mem, l1.x, l2\nuav_raw_load_id(3) r0, l0.x", "uav 3 1 data 1 2 3 4",
			vec4{floats(1)[0], 77, floats(3)[0], 79}},
		{"dcl_raw_uav_id(3)\nuav_raw_store_id(3) mem.0y1, l0.x, l2\nuav_raw_load_id(3) r0, l0.x", "uav 3 1 data 1 2 3 4",
			vec4{0, 78, floats(1)[0], floats(4)[0]}},
		// Arenas.
		{"dcl_arena_uav_id(8)\nuav_arena_load_id(8)_size(byte) r0.xyzw, l0.y", "uav 8 1 data 0x44332211 0x88776655 0 0",
			vec4{0x22, 0x33, 0x44, 0x55}},
		{"dcl_arena_uav_id(8)\nuav_arena_load_id(8)_size(short) r0.xy, l0.w", "uav 8 1 data 0x44332211 0x88776655 0 0",
			vec4{0x4433, 0x6655}},
		{"dcl_arena_uav_id(8)\nuav_arena_load_id(8)_size(dword) r0.xy, l0.x", "uav 8 1 data 0x44332211 0x88776655 0 0",
			vec4{0x44332211, 0x88776655}},
		{"dcl_arena_uav_id(8)\nuav_arena_store_id(8)_size(byte) l0.z, l2.x\nuav_arena_load_id(8) r0.x, l0.x",
			"uav 8 1 data 0x44332211 0 0 0", vec4{0x444d2211}},
		{"dcl_arena_uav_id(8)\nuav_arena_store_id(8)_size(short) mem.xy, l0.z, l2\nuav_arena_load_id(8) r0.xy, l0.x",
			"uav 8 1 data 0x44332211 0xffffffff 0 0", vec4{0x004d2211, 0xffff004e}},
		// Typed and structured views.
		{"dcl_uav_id(1)_type(2d)_fmtx(float)\nuav_load_id(1) r0, l0.yz", "uav 1 2 3 rand 1\nout u1", vec4{^uint32(0)}},
		{"dcl_uav_id(1)_type(2d)_fmtx(float)\nuav_store_id(1) l0.yz, l2\nuav_store_id(1) l0.zy, l2\nuav_load_id(1) r0, l0.yz", "uav 1 2 3 zero", vec4{77, 78, 79, 80}},
		{"dcl_uav_id(1)_type(2d)_fmtx(float)\nuav_load_id(1) r0, l0.zx", "uav 1 2 3 rand 1", vec4{}},
		{"dcl_uav_id(1)_type(buffer)_fmtx(uint)\nuav_store_id(1) l0.w, l2\nuav_load_id(1) r0, l0.w", "uav 1 2 2 zero",
			vec4{77, 78, 79, 80}},
		{"dcl_struct_uav_id(1) 12\nuav_struct_store_id(1) mem.xyz, l0.yx, l2\nmov r2.x, l0.y\nmov r2.y, l1.y\nuav_struct_load_id(1) r0.xy, r2.xy",
			"uav 1 4 zero", vec4{78, 79}},
	} {
		r := launched(t, literals+e.src+"\nmov o0, r0", "domain 1 1\n"+e.text)
		got := vec4(r.Out[0])
		want := e.want
		if want == (vec4{^uint32(0)}) {
			want = vec4(r.View(1)[4*(2*2+1):])
		}
		if got != want {
			t.Errorf("%q gives %x, want %x", e.src, got, want)
		}
	}
}

// TestAtomics runs two threads, with 3 and 5, one after the other, and checks their results and the final
// word.
func TestAtomics(t *testing.T) {
	for _, e := range []struct {
		op   string
		old  uint32
		want [3]uint32
	}{
		{"add", 10, [3]uint32{10, 13, 18}},
		{"sub", 10, [3]uint32{10, 7, 2}},
		{"rsub", 10, [3]uint32{10, 0xfffffff9, 12}},
		{"min", 0xffffffff, [3]uint32{0xffffffff, 0xffffffff, 0xffffffff}},
		{"max", 4, [3]uint32{4, 4, 5}},
		{"max", 0xfffffff0, [3]uint32{0xfffffff0, 3, 5}},
		{"umin", 4, [3]uint32{4, 3, 3}},
		{"umax", 0xfffffff0, [3]uint32{0xfffffff0, 0xfffffff0, 0xfffffff0}},
		{"and", 7, [3]uint32{7, 3, 1}},
		{"or", 8, [3]uint32{8, 11, 15}},
		{"xor", 1, [3]uint32{1, 2, 7}},
		{"inc", 3, [3]uint32{3, 0, 1}},
		{"uinc", 2, [3]uint32{2, 3, 4}},
		{"dec", 0, [3]uint32{0, 3, 2}},
		{"udec", 9, [3]uint32{9, 3, 2}},
		{"xchg", 9, [3]uint32{9, 3, 5}},
		// The comparison is the element 7 of r2.w, and the new value is x.
		{"cmp_xchg", 7, [3]uint32{7, 3, 3}},
		{"cmp_xchg", 8, [3]uint32{8, 8, 8}},
		{"cmp", 7, [3]uint32{7, 3, 3}},
	} {
		for _, kind := range []string{"uav_read_%_id(2) r3.x, r1.x, r2.x", "lds_read_%_id(1) r3.x, r1.x, r2.x",
			"uav_%_id(2) r1.x, r2.x", "lds_%_id(1) r1.x, r2.x", "gds_read_%_id(1) r3.x, r1.x, r2.x", "gds_%_id(1) r1.x, r2.x"} {
			reads, local := strings.Contains(kind, "read"), !strings.HasPrefix(kind, "uav")
			switch {
			case !reads && (e.op == "xchg" || e.op == "cmp_xchg"), reads && e.op == "cmp":
				continue
			case strings.HasPrefix(e.op, "cmp") && local:
				kind = strings.Replace(kind, "r2.x", "r2.w, r2.x", 1)
			case strings.HasPrefix(e.op, "cmp"):
				kind += ", r2.w"
			}
			src := `il_cs_2_0
dcl_num_thread_per_group 2
dcl_raw_uav_id(2)
dcl_lds_id(1) 8
dcl_literal l0, 4, 2, 3, 0
dcl_cb cb0[4]
mov r1.x, l0.x
mov r2, cb0[vaTid.x + 1]
lds_store_id(1) r1.x, cb0[0].x
fence_threads
` + strings.Replace(kind, "%", e.op, 1) + `
fence_threads
mov g[vaTid.x].x, r3.x
lds_load_id(1) r4.x, r1.x
mov g[2].x, r4.x
end`
			if strings.HasPrefix(kind, "gds") {
				src = strings.ReplaceAll(src, "lds_", "gds_")
			}
			c := parsed(t, "domain 2 1\nglobal 3 zero\ncbi 0 1 3 0 0 7\ncbi 0 2 5 0 0 7\nuav 2 1 zero")
			c.Constants[0][0][0] = e.old
			c.Views[0].Data = Data{Kind: Words, Words: []uint32{0, e.old, 0, 0}}
			r, err := compile(t, src).Run(c, Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, want := [3]uint32{r.Global[0], r.Global[4], r.View(2)[1]}, e.want
			if local {
				got[2] = r.Global[8]
			}
			if !reads {
				want[0], want[1] = 0, 0
			}
			if got != want {
				t.Errorf("%s of %d: %v, want %v", strings.Replace(kind, "%", e.op, 1), e.old, got, want)
			}
		}
	}
	r := launched(t, "il_cs_2_0\ndcl_raw_uav_id(2)\nappend_buf_alloc_id(2) r0.xy\nmov g[vaTid.x], r0\nappend_buf_consume_id(2) r0.z\nmov g[vaTid.x].z, r0.z\nend", "domain 3 1\nglobal 3 zero\nuav 2 1 zero")
	if want := []uint32{0, 0, 2, 0, 1, 1, 1, 0, 2, 2, 0, 0}; !slices.Equal(r.Global, want) {
		t.Errorf("counters give %v, want %v", r.Global, want)
	}
}

// TestGlobalShare checks that all groups of a launch share the global data share, and that it is distinct
// from local memory of the same number.
func TestGlobalShare(t *testing.T) {
	r := launched(t, `il_cs_2_0
dcl_num_thread_per_group 2
dcl_lds_id(1) 8
dcl_struct_gds_id(1) 4, 2
dcl_literal l0, 0, 1, 7, 4
lds_store_id(1) l0.x, l0.z
gds_read_add_id(1) r0.x, l0.x, l0.y
gds_store_id(1) l0.w, r0.x
gds_load_id(1) r1.x, l0.w
mov r0.y, r1.x
mov g[vaTid.x], r0
end`, "domain 6 1\nglobal 6 zero")
	for i := range uint32(6) {
		if got, want := [2]uint32(r.Global[4*i:]), [2]uint32{i, i | 1}; got != want { // the last thread of a group stores last
			t.Errorf("thread %d finds %v, want %v", i, got, want)
		}
	}
	if len(r.Shares) != 1 || r.Shares[0].ID != 1 || !slices.Equal(r.Shares[0].Words, []uint32{6, 5}) {
		t.Errorf("the launch leaves %v", r.Shares)
	}
}

// TestGlobalShareGiven checks the initial contents that the case gives for a prefix of the global data
// share.
func TestGlobalShareGiven(t *testing.T) {
	const add = `il_cs_2_0
dcl_num_thread_per_group 1
dcl_gds_id(3) 8
dcl_literal l0, 0, 1, 4, 0
gds_load_id(3) r0.x, l0.x
gds_load_id(3) r0.y, l0.z
mov g[vaTid.x], r0.xyxy
gds_store_id(3) l0.z, l0.y
end`
	r := launched(t, add, "domain 1 1\nglobal 1 zero\ngds 3 1 data 0x11\ngds 2 1 data 9")
	if !slices.Equal(r.Global, []uint32{0x11, 0, 0x11, 0}) || !slices.Equal(r.Shares[0].Words, []uint32{0x11, 1}) {
		t.Errorf("it reads %v and leaves %v", r.Global, r.Shares)
	}
}

// TestLocalMemory checks that local memory starts at 0 in every group, except in the mode wavefrontAbs,
// which keeps the contents of the group before. Locations beyond a thread's own part are beyond the end.
func TestLocalMemory(t *testing.T) {
	src := `il_cs_2_0
dcl_num_thread_per_group 2
dcl_lds_size_per_thread 2
dcl_lds_sharing_mode %
dcl_literal l0, 0, 1, 2, 3
mov r0.x, vTidInGrpFlat.x
mov r0.y, l0.x
lds_read_vec r1, r0.xy
iadd r2, l0.wwww, vaTidFlat.x
lds_write_vec mem, r2
mov g[vaTidFlat.x], r1
end`
	for mode, want := range map[string][2]vec4{"_wavefrontRel": {{}, {}}, "_wavefrontAbs": {{3, 3, 0, 0}, {4, 4, 0, 0}}} {
		r := launched(t, strings.Replace(src, "%", mode, 1), "domain 4 1\nglobal 4 zero")
		if got := [2]vec4{vec4(r.Global[8:]), vec4(r.Global[12:])}; got != want ||
			!slices.Equal(r.Global[:8], make([]uint32, 8)) {
			t.Errorf("%s: the second group reads %v, want %v", mode, got, want)
		}
	}
	r := launched(t, `il_cs_2_0
dcl_num_thread_per_group 2
dcl_struct_lds_id(3) 12, 4
dcl_literal l0, 0, 1, 2, 3
dcl_literal l1, 4, 8, 12, 16
dcl_literal l2, 77, 78, 79, 80
lds_store_vec_id(3) mem.xyz, l0.y, l0.x, l2
lds_store_vec_id(3) mem.xyz, l0.w, l1.x, l2
fence_threads
lds_load_vec_id(3) r0, l0.y, l1.x
lds_load_vec_id(3) r1, l0.w, l0.x
mov g[0], r0
mov g[1], r1
end`, "domain 1 1\nglobal 2 zero")
	if want := []uint32{78, 79, 0, 0, 0, 77, 78, 0}; !slices.Equal(r.Global, want) {
		t.Errorf("structures give %v, want %v", r.Global, want)
	}
}

// TestLoadLanes checks that the mask of a load selects words behind the address, for local memory and raw views, and
// that the swizzle of the address selects the address.
func TestLoadLanes(t *testing.T) {
	for _, load := range []string{"lds_load_id(1)", "uav_raw_load_id(0)"} {
		r := launched(t, `il_cs_2_0
dcl_num_thread_per_group 1
dcl_lds_id(1) 64
dcl_raw_uav_id(0)
dcl_literal l0, 0, 4, 8, 12
dcl_literal l1, 70, 71, 72, 73
lds_store_id(1) l0.x, l1.x
lds_store_id(1) l0.y, l1.y
lds_store_id(1) l0.z, l1.z
lds_store_id(1) l0.w, l1.w
uav_raw_store_id(0) mem.xyzw, l0.x, l1
fence_threads_lds_memory
mov r0, l0.x
`+load+` r0.y, l0.y
`+load+` r0.z, l0.x
`+load+` r0.x, l0.w
mov g[0], r0
end`, "domain 1 1\nglobal 1 zero\nuav 0 4 zero")
		if want := []uint32{73, 72, 72, 0}; !slices.Equal(r.Global, want) {
			t.Errorf("%s gives %v, want %v", load, r.Global, want)
		}
	}
}

// TestDomainSize checks that batches, workers and repeated runs do not affect the result.
func TestDomainSize(t *testing.T) {
	p := compile(t, "il_cs_2_0\ndcl_num_thread_per_group 1024, 1\nend")
	if _, err := p.Run(&Case{Width: 1, Height: maxDomain}, Options{}); err == nil ||
		err.(*asm.Diag).Code != "domain-size" {
		t.Errorf("a domain with a group for each element: %v", err)
	}
	for _, c := range []Case{{}, {Width: -1, Height: 4}, {Width: 1 << 40, Height: 1 << 40},
		{Width: 1, Height: 1, Global: &Buffer{Elements: -1}},
		{Width: 1, Height: 1, Resources: []Resource{{ID: 1, Width: 1 << 14, Height: 1 << 14, Depth: 1 << 14}}},
		{Width: 1, Height: 1, Views: []View{{ID: -1, Width: 1, Height: 1, Depth: 1}}}, {Width: 1, Height: 1,
			Inputs: []Input{{0, Data{Kind: Words}}}}} {
		if _, err := p.Run(&c, Options{}); err == nil {
			t.Errorf("%+v runs", c)
		}
	}
}

package verify

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/ir"
)

// seldom is a condition that no launch meets, because cb0[0].y is never 12345. Only proofs cover the code
// under it.
const seldom = "ieq r9.x, cb0[0].y, l5.x; if_logicalnz r9.x;"

func memoryKernel(body string) string {
	return csKernel("dcl_raw_uav_id(1); dcl_arena_uav_id(8); dcl_lds_id(2) 1024; dcl_literal l5, 12345, 0, 0, 0;" + body)
}

// TestMemoryOrder checks the order of accesses to shared memory, which other invocations may read between any
// two accesses.
func TestMemoryOrder(t *testing.T) {
	for _, c := range []struct {
		name, before, after string
		want                Verdict
	}{
		{"load over a store to another element",
			"mov r2, r0;" + seldom + "mov g[r10.x+1], r0; mov r2, g[r10.x]; endif; mov g[r10.x+64], r2",
			"mov r2, r0;" + seldom + "mov r2, g[r10.x]; mov g[r10.x+1], r0; endif; mov g[r10.x+64], r2", Unknown},
		{"store over a load of another element",
			"mov r2, r0;" + seldom + "mov r2, g[r10.x]; mov g[r10.x+1], r0; endif; mov g[r10.x+64], r2",
			"mov r2, r0;" + seldom + "mov g[r10.x+1], r0; mov r2, g[r10.x]; endif; mov g[r10.x+64], r2", Unknown},
		{"the same of an array of temporaries", "mov x0[0], r1; mov x0[1], r0; mov r2, x0[0]; mov g[r10.x], r2",
			"mov x0[0], r1; mov r2, x0[0]; mov x0[1], r0; mov g[r10.x], r2", Proved},
		{"stores to two elements", seldom + "mov g[r10.x], r0; mov g[r10.x+1], r1; endif",
			seldom + "mov g[r10.x+1], r1; mov g[r10.x], r0; endif", Unknown},
		{"loads change places", "mov r2, g[r10.x]; mov r3, g[r10.x+1]; sub r2, r2, r3; mov g[r10.x], r2",
			"mov r3, g[r10.x+1]; mov r2, g[r10.x]; sub r2, r2, r3; mov g[r10.x], r2", Proved},
		{"local memory", seldom + "lds_store_id(1) r10.x, r0.x; lds_load_id(1) r2.x, l0.x; mov g[r10.x], r2.x; endif",
			seldom + "lds_load_id(1) r2.x, l0.x; lds_store_id(1) r10.x, r0.x; mov g[r10.x], r2.x; endif", Unknown},
		{"two local memories", "lds_store_id(1) r10.x, r0.x; lds_load_id(2) r2.x, l0.x; mov g[r10.x], r2.x",
			"lds_load_id(2) r2.x, l0.x; lds_store_id(1) r10.x, r0.x; mov g[r10.x], r2.x", Proved},
		{"a store that others wait for", "if_logicalz r11.x; lds_store_id(1) l0.x, l0.y; else; lds_load_id(1) r2.x, l0.x; mov g[r10.x], r2.x; endif",
			"if_logicalnz r11.x; lds_load_id(1) r2.x, l0.x; mov g[r10.x], r2.x; endif", Refuted},
		{"a store that nothing reads", seldom + "lds_store_id(1) l0.x, l0.y; endif; mov g[r10.x], r0", "mov g[r10.x], r0",
			Unknown},
		{"two raw views", seldom + "uav_raw_store_id(0) mem.x, r10.x, r1.x; uav_raw_load_id(1) r2.x, r10.x; mov g[r10.x], r2.x; endif",
			seldom + "uav_raw_load_id(1) r2.x, r10.x; uav_raw_store_id(0) mem.x, r10.x, r1.x; mov g[r10.x], r2.x; endif", Unknown},
		{"an arena and a raw view", seldom + "uav_arena_store_id(8)_size(dword) r10.x, r1.x; uav_raw_load_id(0) r2.x, r10.x; uav_raw_store_id(0) mem.x, r10.x, r2.x; endif",
			seldom + "uav_raw_load_id(0) r2.x, r10.x; uav_arena_store_id(8)_size(dword) r10.x, r1.x; uav_raw_store_id(0) mem.x, r10.x, r2.x; endif", Unknown},
		{"g[] and a view", seldom + "mov g[r10.x], r0; uav_raw_store_id(0) mem.x, r10.x, r1.x; endif",
			seldom + "uav_raw_store_id(0) mem.x, r10.x, r1.x; mov g[r10.x], r0; endif", Unknown},
		{"load over an atomic", seldom + "uav_read_add_id(0) r2.x, l0.x, l0.y; uav_raw_load_id(0) r3.x, l1.x; mov g[r10.x].xy, r2.xyyy; mov g[r10.x].z, r3.x; endif",
			seldom + "uav_raw_load_id(0) r3.x, l1.x; uav_read_add_id(0) r2.x, l0.x, l0.y; mov g[r10.x].xy, r2.xyyy; mov g[r10.x].z, r3.x; endif", Unknown},
		{"load over a fence", seldom + "fence_memory; mov r2, g[r10.x]; mov g[r10.x], r2; endif",
			seldom + "mov r2, g[r10.x]; fence_memory; mov g[r10.x], r2; endif", Unknown},
		{"a store twice", seldom + "mov g[r10.x], r0; endif", seldom + "mov g[r10.x], r0; mov g[r10.x], r0; endif", Unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := CheckKernel(parseKernel(t, memoryKernel(c.before)), parseKernel(t, memoryKernel(c.after)),
				Options{Numerics: Real, Seed: 1, Brief: !long})
			if r.Verdict != c.want && !(c.want == Unknown && r.Verdict == Refuted) { // a launch may reach it
				t.Errorf("%v (%s), want %v", r.Verdict, r.Why, c.want)
			}
		})
	}
}

// TestWordsSideBySide compares accesses to several words with accesses to one, whose addresses may wrap around.
func TestWordsSideBySide(t *testing.T) {
	const (
		next  = "ishl r3.x, r10.x, l4.x; iadd r3.y, r3.x, l4.y; iadd r3.z, r3.x, l4.z; iadd r3.w, r3.x, l4.w;"
		tight = "imul r3.x, r10.x, l4.w; iadd r3.y, r3.x, l4.y; iadd r3.z, r3.x, l4.z;" // 12 bytes
		put   = "endif; uav_raw_store_id(1) mem, r11.x, r2"
	)
	body := func(address, code string) string {
		return "dcl_literal l4, 4, 4, 8, 12; mov r2, r0; mov r0, cb0[2];" + address + seldom + code + put
	}
	for _, c := range []struct {
		name, before, after string
		want                Verdict
	}{
		{"loads", body(next, "uav_raw_load_id(0) r2.x, r3.x; uav_raw_load_id(0) r4.x, r3.w; mov r2.w, r4.x;"),
			body(next, "uav_raw_load_id(0) r2.x__w, r3.x;"), Proved},
		{"components exchanged", body(next, "uav_raw_load_id(0) r2.x, r3.x; uav_raw_load_id(0) r4.x, r3.y; mov r2.w, r4.x;"),
			body(next, "uav_raw_load_id(0) r2.xy, r3.x; mov r2.xw, r2.yxxx;"), Unknown},
		{"a distance of 8", body(next, "uav_raw_load_id(0) r2.x, r3.x; uav_raw_load_id(0) r4.x, r3.z; mov r2.y, r4.x;"),
			body(next, "uav_raw_load_id(0) r2.xy, r3.x;"), Unknown},
		{"the sum may wrap around", body(tight, "uav_raw_load_id(0) r2.x, r3.x; uav_raw_load_id(0) r4.x, r3.y; mov r2.y, r4.x;"),
			body(tight, "uav_raw_load_id(0) r2.xy, r3.x;"), Unknown},
		{"from the second word on", body(next, "uav_raw_load_id(0) r2.x, r3.y; uav_raw_load_id(0) r4.x, r3.w; mov r2.z, r4.x;"),
			body(next, "uav_raw_load_id(0) r2.x_z, r3.y;"), Proved},
		{"over the end of 16 bytes", body(next, "uav_raw_load_id(0) r2.w, r3.y; uav_raw_load_id(0) r2.x, r3.y;"),
			body(next, "uav_raw_load_id(0) r2.x__w, r3.y;"), Proved},
		{"over a store", body(next, "uav_raw_load_id(0) r2.x, r3.x; uav_raw_store_id(0) mem.x, r3.z, r0.x; uav_raw_load_id(0) r4.x, r3.y; mov r2.y, r4.x;"),
			body(next, "uav_raw_load_id(0) r2.xy, r3.x; uav_raw_store_id(0) mem.x, r3.z, r0.x;"), Unknown},
		{"another view", body(next, "uav_raw_load_id(0) r2.x, r3.x; uav_raw_load_id(1) r4.x, r3.y; mov r2.y, r4.x;"),
			body(next, "uav_raw_load_id(0) r2.xy, r3.x;"), Unknown},
		{"stores", body(next, "uav_raw_store_id(0) mem.x, r3.x, r0.x; uav_raw_store_id(0) mem.x, r3.y, r0.z;"),
			body(next, "uav_raw_store_id(0) mem.xy, r3.x, r0.xz;"), Proved},
		{"stores exchanged", body(next, "uav_raw_store_id(0) mem.x, r3.x, r0.x; uav_raw_store_id(0) mem.x, r3.y, r0.z;"),
			body(next, "uav_raw_store_id(0) mem.xy, r3.x, r0.zx;"), Unknown},
		{"stores in another order", body(next, "uav_raw_store_id(0) mem.x, r3.y, r0.z; uav_raw_store_id(0) mem.x, r3.x, r0.x;"),
			body(next, "uav_raw_store_id(0) mem.xy, r3.x, r0.xz;"), Unknown},
		{"a store more", body(next, "uav_raw_store_id(0) mem.x, r3.x, r0.x; uav_raw_store_id(0) mem.x, r3.z, r0.z;"),
			body(next, "uav_raw_store_id(0) mem.xyz, r3.x, r0.xzz;"), Unknown},
		{"stores under another condition", body(next, "uav_raw_store_id(0) mem.x, r3.x, r0.x; if_logicalnz r0.y; uav_raw_store_id(0) mem.x, r3.y, r0.z; endif;"),
			body(next, "uav_raw_store_id(0) mem.xy, r3.x, r0.xz;"), Unknown},
		{"local memory", body(next, "lds_load_id(1) r2.x, r3.x; lds_load_id(1) r4.x, r3.y; mov r2.y, r4.x;"),
			body(next, "lds_load_id(1) r2.xy, r3.x;"), Proved},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := CheckKernel(parseKernel(t, memoryKernel(c.before)), parseKernel(t, memoryKernel(c.after)),
				Options{Numerics: Real, Seed: 1, Brief: !long})
			if r.Verdict != c.want && !(c.want == Unknown && r.Verdict == Refuted) || r.Contradicted {
				t.Errorf("%v (%s), want %v", r.Verdict, r.Why, c.want)
			}
		})
	}
}

// TestRestrict checks loads that move over stores to other views, which the application keeps apart from views that the
// kernel only reads.
func TestRestrict(t *testing.T) {
	body := func(code string) string { return "mov r2, r0; mov r3, r0;" + seldom + code + "endif; mov g[r10.x], r2" }
	for _, c := range []struct {
		name, before, after string
		want                Verdict
	}{
		{"over a store", body("uav_raw_store_id(0) mem.x, r10.x, r1.x; uav_raw_load_id(1) r2.x, r10.x;"),
			body("uav_raw_load_id(1) r2.x, r10.x; uav_raw_store_id(0) mem.x, r10.x, r1.x;"), Proved},
		{"over a store, into another word", body("uav_raw_store_id(0) mem.x, r10.x, r1.x; uav_raw_load_id(1) r2.x, r10.x;"),
			body("uav_raw_load_id(1) r2.y, r10.x; mov r2.x, r2.y; uav_raw_store_id(0) mem.x, r10.x, r1.x;"), Unknown},
		{"over a store to the same view", body("uav_raw_store_id(1) mem.x, r10.x, r1.x; uav_raw_load_id(1) r2.x, r10.x;"),
			body("uav_raw_load_id(1) r2.x, r10.x; uav_raw_store_id(1) mem.x, r10.x, r1.x;"), Unknown},
		{"a view that is written later", body("uav_raw_store_id(0) mem.x, r10.x, r1.x; uav_raw_load_id(1) r2.x, r10.x;") + "; uav_raw_store_id(1) mem.x, l3.w, r1.x",
			body("uav_raw_load_id(1) r2.x, r10.x; uav_raw_store_id(0) mem.x, r10.x, r1.x;") + "; uav_raw_store_id(1) mem.x, l3.w, r1.x", Unknown},
		{"a view that an atomic operation writes", body("uav_add_id(1) l3.w, l0.y; uav_raw_load_id(1) r2.x, r10.x;"),
			body("uav_raw_load_id(1) r2.x, r10.x; uav_add_id(1) l3.w, l0.y;"), Unknown},
		{"a view that only the second version writes", body("uav_raw_store_id(0) mem.x, r10.x, r1.x; uav_raw_load_id(1) r2.x, r10.x;"),
			body("uav_raw_store_id(0) mem.x, r10.x, r1.x; uav_raw_load_id(1) r2.x, r10.x; uav_raw_store_id(1) mem.x, r10.x, r2.x;"), Unknown},
		{"over a fence", body("fence_memory; uav_raw_load_id(1) r2.x, r10.x;"), body("uav_raw_load_id(1) r2.x, r10.x; fence_memory;"), Proved},
		{"local memory", body("lds_store_id(1) r10.x, r0.x; lds_load_id(1) r2.x, l0.x;"),
			body("lds_load_id(1) r2.x, l0.x; lds_store_id(1) r10.x, r0.x;"), Unknown},
		{"a store to another view lost", body("uav_raw_store_id(0) mem.x, r10.x, r1.x; uav_raw_load_id(1) r2.x, r10.x;"),
			body("uav_raw_load_id(1) r2.x, r10.x;"), Unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := CheckKernel(parseKernel(t, memoryKernel(c.before)), parseKernel(t, memoryKernel(c.after)),
				Options{Numerics: Real, Seed: 1, Brief: !long, Tile: ir.Tile{X: 1, Y: 1, Restrict: true}})
			if r.Verdict != c.want && !(c.want == Unknown && r.Verdict == Refuted) || r.Contradicted {
				t.Errorf("%v (%s), want %v", r.Verdict, r.Why, c.want)
			}
		})
	}
}

// TestGlobalShareLeft checks that the final contents of the global data share count, whether terms or only
// the bits of executions show a difference.
func TestGlobalShareLeft(t *testing.T) {
	const (
		head  = "il_cs_2_0; dcl_num_thread_per_group 64; dcl_cb cb0[4]; dcl_gds_id(1) 64; dcl_literal l0, 0, 1, 2, 4; dcl_literal l1, 7, 8, 9, 0;"
		tail  = "mov g[vaTid.x], l0; end"
		round = "rcp_zeroop(infinity) r0.y, cb0[0].z; utof r0.x, vaTid.x; mul r0.x, r0.x, r0.y; ishl r1.x, vaTid.x, l0.z;"
		trips = "mov r2.x, l0.x; whileloop; ige r2.y, r2.x, cb0[0].x; break_logicalnz r2.y; %s iadd r2.x, r2.x, l0.y; endloop;"
	)
	loop := func(body string) string { return strings.Replace(trips, "%s", body, 1) }
	for _, c := range []struct {
		name, before, after string
		numerics            ir.Numerics
		want                Verdict
	}{
		{"nothing else", "gds_store_id(1) l0.w, l1.x;", "mov r5.x, l1.x; gds_store_id(1) l0.w, r5.x;", Bits, Proved},
		{"a store lost", "gds_store_id(1) l0.w, l1.x;", "", Real, Refuted},
		{"another word", "gds_store_id(1) l0.w, l1.x;", "gds_store_id(1) l0.w, l1.y;", Real, Refuted},
		{"elsewhere", "gds_store_id(1) l0.w, l1.x;", "gds_store_id(1) l1.y, l1.x;", Real, Refuted},
		{"an atomic doubled", loop("gds_add_id(1) l0.w, r2.x;"),
			loop("gds_add_id(1) l0.w, r2.x; gds_add_id(1) l0.w, r2.x;"), Real, Refuted},
		{"atomics exchanged", "gds_add_id(1) l0.x, l1.x; gds_umax_id(1) l0.x, l1.y;",
			"gds_umax_id(1) l0.x, l1.y; gds_add_id(1) l0.x, l1.x;", Real, Refuted},
		{"what was there first", "gds_load_id(1) r0.x, l0.x; gds_store_id(1) l0.w, r0.x;", "gds_store_id(1) l0.w, l0.x;",
			Real, Refuted},
		{"another rounding", round + "add r0.x, r0.x, cb0[0].x; add r0.x, r0.x, r0.y; gds_store_id(1) r1.x, r0.x;",
			round + "add r0.y, cb0[0].x, r0.y; add r0.x, r0.x, r0.y; gds_store_id(1) r1.x, r0.x;", Bits, Refuted},
	} {
		r := CheckKernel(parseKernel(t, head+c.before+tail), parseKernel(t, head+c.after+tail),
			Options{Numerics: c.numerics, Seed: 1})
		if r.Verdict != c.want {
			t.Errorf("%s: %v (%s), want %v", c.name, r.Verdict, r.Why, c.want)
		}
	}
}

package verify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/ir"
)

// A sum of words that all invocations of a group load, and one that they stage in local memory.
const (
	stageHead = "il_cs_2_0; dcl_num_thread_per_group 64; dcl_cb cb0[4]; dcl_raw_uav_id(0); dcl_raw_uav_id(1);" +
		"dcl_literal l0, 0, 1, 4, 63; dcl_literal l1, 252, 16, 2, 65; dcl_literal l2, 256, 64, 128, 124;" +
		"ishl r0.x, vaTid.x, l1.z; mov r1.x, l0.x; mov r2.x, l0.x;"
	stageExit  = "whileloop; ige r1.y, r1.x, cb0[0].x; break_logicalnz r1.y;"
	stageTest  = "iand r3.x, r1.x, l0.w; if_logicalz r3.x;"
	stageTile  = loadWord + "ishl r6.x, vTidInGrpFlat.x, l1.z; lds_store_id(1) mem.x, r6.x, r5.x;"
	stageFence = "fence_threads_lds;"
	stageBlock = stageTest + stageFence + stageTile + stageFence + "endif;"
	stageLoad  = "ishl r7.x, r1.x, l1.z; iand r7.x, r7.x, l1.x; lds_load_id(1) r8.x, r7.x;"
	stageNext  = "add r2.x, r2.x, r8.x; iadd r1.x, r1.x, l0.y; endloop;"
	stageEnd   = "uav_raw_store_id(1) mem.x, r0.x, r2.x; end"
	stagedLoop = stageExit + stageBlock + stageLoad + stageNext
	directLoop = stageExit + "ishl r7.x, r1.x, l1.z; uav_raw_load_id(0) r8.x, r7.x;" + stageNext
	unstaged   = stageHead + directLoop + stageEnd
	loadWord   = "iadd r4.x, r1.x, vTidInGrpFlat.x; ishl r4.x, r4.x, l1.z; uav_raw_load_id(0) r5.x, r4.x;"
)

var inLocal = strings.Replace(stageHead, "il_cs_2_0;", "il_cs_2_0; dcl_lds_id(1) 256;", 1)

// square and odd return kernels with groups of other shapes.
func square(text string) string { return strings.Replace(text, "per_group 64", "per_group 8, 8", 1) }
func odd(text string) string    { return strings.Replace(text, "per_group 64", "per_group 48", 1) }

// ordered and counted return kernels whose results depend on the order of invocations.
func ordered(text string) string {
	return strings.Replace(text, "endloop;", "append_buf_alloc_id(0) r9.x; add r2.x, r2.x, r9.x; endloop;", 1)
}

func counted(text string) string {
	return strings.NewReplacer("dcl_cb", "dcl_gds_id(1) 16; dcl_cb", "endloop;",
		"gds_read_add_id(1) r9.x, l0.x, l0.y; add r2.x, r2.x, r9.x; endloop;").Replace(text)
}

// shared returns a kernel that also accesses words in view 1 of which two invocations of a group access one.
func shared(text string) string {
	return strings.NewReplacer("ishl r0.x, vaTid.x, l1.z;", "ishl r0.x, vaTid.x, l0.z; iadd r9.x, r0.x, l3.x;"+
		"uav_raw_load_id(1) r9, r9.x; iadd r0.x, r0.x, l3.y;", "dcl_literal l0", "dcl_literal l3, -4, 12, 0, 0; dcl_literal l0",
		"r2.x; end", "r9.w; end").Replace(text)
}

// TestStaged accepts kernels that stage words in local memory correctly, and no others.
func TestStaged(t *testing.T) {
	after := inLocal + stagedLoop + stageEnd
	edit := func(edits ...string) string { return rewritten(t, after, edits...) }
	restrict := ir.Tile{X: 1, Y: 1, Restrict: true}
	double := []string{"ishl r7.x, r1.x, l1.z", "ishl r7.x, r1.x, l1.z; iadd r7.x, r7.x, l0.z"}
	for _, c := range []struct {
		name, before, after string
		why                 string // "" if it is right
	}{
		{"a tile", unstaged, after, ""},
		{"in the other branch", unstaged, edit("if_logicalz r3.x;", "if_logicalnz r3.x; mov r9.x, l0.x; else;"), ""},
		{"a mask before the scale", unstaged, edit("ishl r7.x, r1.x, l1.z; iand r7.x, r7.x, l1.x",
			"iand r7.x, r1.x, l0.w; ishl r7.x, r7.x, l1.z"), ""},
		{"under a condition",
			rewritten(t, unstaged, "uav_raw_load_id(0) r8.x, r7.x;",
				"mov r8.x, l0.x; if_logicalnz vaTid.x; uav_raw_load_id(0) r8.x, r7.x; endif;"),
			edit("lds_load_id(1) r8.x, r7.x;",
				"mov r8.x, l0.x; if_logicalnz vaTid.x; lds_load_id(1) r8.x, r7.x; endif;"), ""},
		{"a loop for some groups",
			rewritten(t, unstaged, "whileloop", "if_logicalnz cb0[1].x; whileloop", "endloop", "endloop; endif"),
			edit("whileloop", "if_logicalnz cb0[1].x; whileloop", "endloop", "endloop; endif"), ""},
		{"two loops", stageHead + directLoop + "mov r1.x, l0.x;" + directLoop + stageEnd,
			inLocal + stagedLoop + "mov r1.x, l0.x;" + stagedLoop + stageEnd, ""},
		{"the tile of another loop", stageHead + directLoop + "mov r1.x, l0.x;" + directLoop + stageEnd,
			inLocal + stagedLoop + "mov r1.x, l0.x;" + stageExit + stageLoad + stageNext + stageEnd,
			"behind the block"},
		{"two blocks in a loop", unstaged, edit(stageBlock+stageLoad, stageBlock+stageLoad+stageBlock), "two blocks"},
		{"a load in a second block", unstaged, edit(stageBlock, stageBlock+stageTest+stageFence+
			stageLoad+stageTile+stageFence+"endif;"), "two blocks"},
		{"no staged word", unstaged,
			edit(stageTile, "", "iand r7.x, r7.x, l1.x", "iand r7.x, vTidInGrpFlat.x, l0.x"), "stores nothing"},
		{"no first barrier", unstaged, edit(stageTest+stageFence, stageTest), "is not between two barriers"},
		{"no second barrier", unstaged, edit(stageFence+"endif", "endif"), "does not have two barriers"},
		{"a barrier behind the block", unstaged,
			edit(stageFence+"endif;", "endif;"+stageFence), "does not have two barriers"},
		{"a barrier before the block", unstaged,
			edit(stageTest+stageFence, stageFence+stageTest), "is not between two barriers"},
		{"a store before the first barrier", unstaged,
			edit(stageFence+stageTile, stageTile+stageFence), "is not between"},
		{"a store behind the second barrier", unstaged,
			edit(stageTile+stageFence, stageFence+stageTile), "is not between"},
		{"a fence that does not wait", unstaged,
			edit(stageFence+"endif", "fence_lds; endif"), "more than local memory"},
		{"a barrier without local memory", unstaged,
			edit(stageFence+"endif", "fence_threads; endif"), "more than local memory"},
		{"a barrier of all memory", unstaged,
			edit(stageFence+"endif", "fence_threads_lds_memory; endif"), "more than local memory"},
		{"a third barrier", unstaged, edit("whileloop;", "fence_threads_lds; whileloop;"), "another barrier"},
		{"a load before the block", unstaged, edit(stageBlock+stageLoad, stageLoad+stageBlock), "behind the block"},
		{"a load in the block", unstaged,
			edit(stageFence+"endif", "lds_load_id(1) r9.x, r6.x;"+stageFence+"endif"), "behind the block"},
		{"a load behind the loop", unstaged,
			edit("endloop;", "endloop; lds_load_id(1) r2.x, r6.x;"), "behind the block"},
		{"a store behind the block", unstaged,
			edit("endif;", "endif; lds_store_id(1) mem.x, r6.x, r5.x;"), "behind the block"},
		{"an atomic operation", unstaged, edit("endif;", "endif; lds_add_id(1) r6.x, r5.x;"), "behind the block"},
		{"a barrier under a divergent condition", unstaged,
			edit("if_logicalz r3.x", "iadd r3.x, r3.x, vTidInGrpFlat.x; if_logicalz r3.x"),
			"does not run once"},
		{"a block for some invocations", unstaged,
			edit(stageFence+stageTile+stageFence, "if_logicalnz vTidInGrpFlat.x;"+stageFence+stageTile+stageFence+"endif;"),
			"no loop of a whole group"},
		{"a loop for some invocations", unstaged,
			edit("whileloop", "if_logicalnz vTidInGrpFlat.x; whileloop", "endloop", "endloop; endif"),
			"no loop of a whole group"},
		{"invocations return", unstaged,
			edit("whileloop", "if_logicalnz vTidInGrpFlat.x; ret_dyn; endif; whileloop"), "no loop of a whole group"},
		{"invocations leave", unstaged,
			edit("break_logicalnz r1.y;", "break_logicalnz r1.y; break_logicalnz vTidInGrpFlat.x;"), "may leave"},
		{"invocations leave behind the block", unstaged,
			edit(stageNext, "if_logicalnz r8.x; break; endif;"+stageNext), "under a condition"},
		{"invocations leave for their words", unstaged,
			edit("ige r1.y, r1.x, cb0[0].x", "ige r1.y, r1.x, r8.x"), "may leave"},
		{"invocations continue", unstaged,
			edit(stageBlock, "if_logicalnz vTidInGrpFlat.x; iadd r1.x, r1.x, l0.y; continue; endif;"+stageBlock),
			"no loop of a whole group"},
		{"a block in odd trips", unstaged, edit("if_logicalz", "if_logicalnz"), "does not run once"},
		{"a block in each trip", unstaged, edit("iand r3.x, r1.x, l0.w", "mov r3.x, l0.x"), "does not run once"},
		{"a block for half a tile", unstaged,
			edit("iand r3.x, r1.x, l0.w", "iand r3.x, r1.x, l2.w"), "does not run once"},
		{"a block for two tiles", unstaged,
			edit("iand r3.x, r1.x, l0.w", "iadd r3.x, l0.w, l2.y; iand r3.x, r1.x, r3.x"), "does not run once"},
		{"a step that skips blocks", unstaged,
			edit("iadd r1.x, r1.x, l0.y; endloop", "iadd r1.x, r1.x, l1.w; endloop"), "does not run once"},
		{"a first trip without a block", unstaged, edit("mov r1.x, l0.x", "mov r1.x, l0.y"), "does not run once"},
		{"a first trip that differs", unstaged,
			edit("mov r1.x, l0.x", "mov r1.x, vTidInGrpFlat.x"), "does not run once"},
		{"a conditional step", unstaged,
			edit("iadd r1.x, r1.x, l0.y; endloop", "if_logicalnz r8.x; iadd r1.x, r1.x, l0.y; endif; endloop"),
			"does not run once"},
		{"the next word", unstaged, edit(double...), "trip of a tile"},
		{"the next word beyond the tile", unstaged,
			edit("lds_load_id(1) r8.x, r7.x", "iadd r7.x, r7.x, l0.z; lds_load_id(1) r8.x, r7.x"),
			"no invocation has stored"},
		{"no mask", unstaged, edit("iand r7.x, r7.x, l1.x;", ""), "trip of a tile"},
		{"a short mask", unstaged, edit("iand r7.x, r7.x, l1.x", "iand r7.x, r7.x, l2.w"), "trip of a tile"},
		{"the own word", unstaged,
			edit("lds_load_id(1) r8.x, r7.x", "lds_load_id(1) r8.x, r6.x"),
			"trip of a tile"},
		{"the next word of memory", unstaged,
			edit("ishl r4.x, r4.x, l1.z", "ishl r4.x, r4.x, l1.z; iadd r4.x, r4.x, l0.z"), "differs"},
		{"another order of words", unstaged,
			edit("ishl r6.x, vTidInGrpFlat.x, l1.z",
				"inegate r6.x, vTidInGrpFlat.x; iadd r6.x, r6.x, l0.w; ishl r6.x, r6.x, l1.z"),
			"equal parts"},
		{"the tile of another trip", unstaged,
			edit("iadd r4.x, r1.x, vTidInGrpFlat.x", "mov r4.x, vTidInGrpFlat.x"), "only read"},
		{"one word for all", unstaged, edit("iadd r4.x, r1.x, vTidInGrpFlat.x", "mov r4.x, r1.x"), "only read"},
		{"words that overlap", unstaged,
			edit("ishl r6.x, vTidInGrpFlat.x, l1.z", "ishl r6.x, vTidInGrpFlat.x, l0.y"), "equal parts"},
		{"words that coincide", unstaged,
			edit("ishl r6.x, vTidInGrpFlat.x, l1.z", "iand r6.x, vTidInGrpFlat.x, l2.w; ishl r6.x, r6.x, l1.z"),
			"equal parts"},
		{"words beyond local memory", unstaged, edit("dcl_lds_id(1) 256", "dcl_lds_id(1) 252"), "equal parts"},
		{"too much local memory", unstaged,
			edit("dcl_lds_id(1) 256", "dcl_lds_id(1) 16388"), "declared only in the new version"},
		{"a group of another size", unstaged,
			edit("dcl_num_thread_per_group 64", "dcl_num_thread_per_group 32"), "declared differently"},
		{"words of the invocation", unstaged,
			edit("iadd r4.x, r1.x, vTidInGrpFlat.x", "iadd r4.x, r1.x, vaTid.x"), "differs"},
		{"an address that no form has", unstaged,
			edit("ishl r4.x, r4.x, l1.z", "imul r4.x, r4.x, r4.x"), "only read"},
		{"a word that is computed", unstaged,
			edit("lds_store_id(1) mem.x, r6.x, r5.x", "add r5.x, r5.x, r5.x; lds_store_id(1) mem.x, r6.x, r5.x"),
			"only read"},
		{"a word from before the block", unstaged,
			edit(stageTest, loadWord+stageTest, stageFence+loadWord, stageFence), "only read"},
		{"another view", unstaged, edit("uav_raw_load_id(0)", "uav_raw_load_id(1)"), "the same word of stored memory"},
		{"a view that is written",
			rewritten(t, unstaged, "mem.x, r0.x", "mem.x, r0.x, r2.x; uav_raw_store_id(0) mem.x, r0.x"),
			edit("mem.x, r0.x, r2.x", "mem.x, r0.x, r2.x; uav_raw_store_id(0) mem.x, r0.x, r2.x"), "the same word of stored memory"},
		{"a number of the order of invocations", ordered(unstaged), ordered(after), "the same word of stored memory"},
		{"words of two invocations", shared(unstaged), shared(after), "the same word of stored memory"},
		{"memory of several groups", counted(unstaged), counted(after), "the same word of stored memory"},
		{"a group that is no row", square(unstaged), square(after), "not rows"},
		{"a group of 48", odd(unstaged), odd(after), "not rows of a power of two"},
	} {
		r := CheckKernel(parseKernel(t, c.before), parseKernel(t, c.after), Options{Numerics: ir.Terms, Tile: restrict})
		if c.why == "" && r.Verdict != Proved || c.why != "" && (r.Verdict.OK() || !strings.Contains(r.Why, c.why)) {
			t.Errorf("%s: %v (%s), want %q", c.name, r.Verdict, r.Why, c.why)
		}
	}
	if r := CheckKernel(parseKernel(t, unstaged), parseKernel(t, after), Options{Numerics: ir.Terms}); r.Verdict.OK() {
		t.Errorf("another view may hold the words: %v", r.Verdict)
	}
}

// TestStagedGrowth checks that a proof takes twice the memory for twice as many loops, or as long a sum.
func TestStagedGrowth(t *testing.T) {
	restrict := Options{Numerics: ir.Terms, Tile: ir.Tile{X: 1, Y: 1, Restrict: true}}
	for name, loops := range map[string]func(n int, loop string) string{
		"loops in a row": func(n int, loop string) string { return strings.Repeat("mov r1.x, l0.x;"+loop, n) },
		"a long sum": func(n int, loop string) string {
			text := ""
			for i := range 4 * n {
				text += fmt.Sprintf("iadd r0.x, r0.x, cb0[%d].x;", i)
			}
			return text + loop
		},
	} {
		var held float64
		for n := 128; n <= 256; n *= 2 {
			sized := func(head, loop string) string {
				return strings.Replace(head, "cb0[4]", "cb0[1024]", 1) + loops(n, loop) + stageEnd
			}
			before, after := parseKernel(t, sized(stageHead, directLoop)), parseKernel(t, sized(inLocal, stagedLoop))
			bytes := allocated(func() { CheckKernel(before, after, restrict) })
			if held > 0 && bytes > 2.5*held {
				t.Errorf("%s: %.0f KiB are allocated for %d, and %.0f for half that", name, bytes/1024, n, held/1024)
			}
			held = bytes
		}
	}
}

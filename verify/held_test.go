package verify

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/ir"
)

// A sum in memory, and one in a register.
const (
	heldHead = "il_cs_2_0; dcl_num_thread_per_group 64; dcl_cb cb0[4]; dcl_literal l0, 0.0, 1.0, 0.5, 0.0; dcl_literal l1, 0, 1, 2, 3; mov r0.x, vaTid.x; mov r2.x, l0.x;"
	heldLoop = "whileloop; ge r2.y, r2.x, cb0[0].x; break_logicalnz r2.y;"
	heldNext = "add r2.x, r2.x, l0.y; endloop;"
	inMemory = heldHead + heldLoop + "mov r1.x, g[r0.x]; mad r1.x, r2.x, cb0[1].x, r1.x; mov g[r0.x].x, r1.x;" +
		heldNext + "end"
	inRegs = heldHead + "mov r1.x, g[r0.x];" + heldLoop + "mad r1.x, r2.x, cb0[1].x, r1.x;" + heldNext +
		"mov g[r0.x].x, r1.x; end"
)

// rarely returns a kernel with a loop that executes each on every trip, and seldom under a rare condition.
func rarely(each, seldom, behind string) string {
	return heldHead + "dcl_literal l8, 0x12345678, 0, 0, 0; dcl_indexed_temp_array x0[4]; mov x0[1].x, l0.x; mov r7.x, l0.x; mov r1.x, g[r0.x].x;" + heldLoop + each +
		"ieq r2.w, cb0[3].w, l8.x; if_logicalnz r2.w;" + seldom + "endif;" + heldNext + behind +
		"add r7.x, r7.x, x0[1].x; mov g[r0.x + 1000].x, r7.x; end"
}

// A sum in a word of a view, and one in a register. The loop computes the address.
const (
	viewHead = heldHead + "dcl_raw_uav_id(0); dcl_raw_uav_id(1); dcl_literal l7, 4, 16, 8, 0; ishl r0.x, vaTid.x, l7.x; mov r5.x, r0.x;"
	inView   = viewHead + heldLoop + "iadd r4.x, r0.x, l7.x; uav_raw_load_id(1) r3.x, r0.x; uav_raw_load_id(0) r1.x, r4.x;" +
		"mad r1.x, r2.x, r3.x, r1.x; uav_raw_store_id(0) mem.x, r4.x, r1.x;" + heldNext + "end"
	viewInRegs = viewHead + "iadd r4.x, r0.x, l7.x; uav_raw_load_id(0) r1.x, r4.x;" + heldLoop +
		"uav_raw_load_id(1) r3.x, r0.x; mad r1.x, r2.x, r3.x, r1.x;" + heldNext + "uav_raw_store_id(0) mem.x, r4.x, r1.x; end"
	// The registers of an address change after its computation, or under a condition.
	early = "iadd r5.x, r0.x, l7.x; iadd r0.x, r0.x, l7.y;"
	rare  = "if_logicalnz cb0[3].w; iadd r0.x, r0.x, l7.y; endif;"
)

// structured returns a kernel with a word of a structure in place of that of a view.
func structured(text string) string {
	return strings.NewReplacer("dcl_raw_uav_id(0)", "dcl_struct_uav_id(0) 64", "mov r5.x, r0.x;",
		"mov r5.x, r0.x; mov r6.x, vaTid.x; mov r6.y, l7.x; imul r6.z, vaTid.x, l7.z;", "uav_raw_load_id(0) r1.x, r4.x",
		"uav_struct_load_id(0) r1.x, r6.xy", "uav_raw_store_id(0) mem.x, r4.x", "uav_struct_store_id(0) mem.x, r6.xy").Replace(text)
}

// beyond returns a kernel with elements beyond those of any launch, which stores the sum of the values that
// its trips load.
func beyond(text string) string {
	return strings.NewReplacer("mov r2.x, l0.x;",
		"mov r2.x, l0.x; mov r3.x, l0.x; mov r4.x, r0.x; ishl r0.x, l1.y, l8.x;", "dcl_literal l1,", "dcl_literal l8, 24, 0, 0, 0; dcl_literal l1,",
		"mad r1.x, r2.x, cb0[1].x, r1.x;", "add r1.x, r1.x, l0.y; add r3.x, r3.x, r1.x;").Replace(strings.TrimSuffix(text,
		"end")) + "mov g[r4.x].x, r3.x; end"
}

// TestHeld accepts kernels that keep elements of memory in registers correctly, and no others.
func TestHeld(t *testing.T) {
	keeps := ir.Tile{X: 1, Y: 1, Held: true}
	edit := func(text string, edits ...string) string { return rewritten(t, text, edits...) }
	for _, c := range []struct {
		name          string
		before, after string
		tile          ir.Tile
		want          Verdict
		why           string
	}{
		{"a register", inMemory, inRegs, keeps, Proved, ""},
		{"not declared", inMemory, inRegs, ir.Tile{}, Unknown, "memory"},
		{"another element", inMemory, edit(inRegs, "mov g[r0.x].x", "mov g[r0.x + 1].x"), keeps, Refuted, ""},
		{"not loaded", inMemory, edit(inRegs, "mov r1.x, g[r0.x]", "mov r1.x, l0.x"), keeps, Refuted, ""},
		{"not stored", inMemory, edit(inRegs, "mov g[r0.x].x, r1.x;", ""), keeps, Refuted, ""},
		{"stored before the loop", inMemory, edit(inRegs, heldLoop, "mov g[r0.x].x, r1.x;"+heldLoop,
			"endloop;mov g[r0.x].x, r1.x;", "endloop;"), keeps, Refuted, ""},
		{"a store that stays", edit(inMemory, "whileloop;", "whileloop; iadd r0.x, r0.x, l1.y;"),
			edit(inRegs, "whileloop;", "whileloop; iadd r0.x, r0.x, l1.y;"), keeps, Refuted, ""},
		{"nothing is kept", inMemory, inMemory, keeps, Unknown, "memory"},
		{"beyond the end, where a load does not find what was stored", beyond(inMemory), beyond(inRegs), keeps, Unknown,
			"differs if memory is kept in registers"},
		// Elements in addresses are read from memory, too, and stay there, although few launches read them.
		{"an element is an index", rarely("mov g[r0.x].x, l1.z;", "mov r7.x, cb0[g[r0.x].x].x;", ""),
			rarely("mov r1.x, l1.z;", "mov r7.x, cb0[g[r0.x].x].x;", "mov g[r0.x].x, r1.x;"), keeps, Refuted, ""},
		{"any element is an index", rarely("mov g[r0.x].x, l1.z;", "mov r7.x, cb0[g[5].x + 1].x;", ""),
			rarely("mov r1.x, l1.z;", "mov r7.x, cb0[g[5].x + 1].x;", "mov g[r0.x].x, r1.x;"), keeps, Refuted, ""},
		{"an element is where to store", rarely("mov g[r0.x].x, l1.y;", "mov x0[g[r0.x].x].x, cb0[1].x;", ""),
			rarely("mov r1.x, l1.y;", "mov x0[g[r0.x].x].x, cb0[1].x;", "mov g[r0.x].x, r1.x;"), keeps, Refuted, ""},
		{"a word of a view", inView, viewInRegs, keeps, Proved, ""},
		{"the word of another view", inView, edit(viewInRegs, "uav_raw_store_id(0)", "uav_raw_store_id(1)"), keeps,
			Refuted, ""},
		{"the next word", inView, edit(viewInRegs, "_store_id(0) mem.x, r4.x", "_store_id(0) mem.x, r0.x"), keeps, Refuted, ""},
		{"the next component", inView, edit(viewInRegs, "uav_raw_store_id(0) mem.x", "uav_raw_store_id(0) mem.y"), keeps,
			Refuted, ""},
		{"a word is not loaded", inView, edit(viewInRegs, "uav_raw_load_id(0) r1.x, r4.x", "mov r1.x, l0.x"), keeps,
			Refuted, ""},
		{"a load that nothing reads", edit(inView, "mad r1.x,", "uav_raw_load_id(0) r6.x, r0.x; mad r1.x,"), viewInRegs, keeps,
			Proved, ""},
		{"two components that are one word",
			edit(inView, "mad r1.x,", "uav_raw_load_id(0) r6.y, r0.x; add r1.x, r1.x, r6.y; mad r1.x,"),
			edit(viewInRegs, "mad r1.x,", "add r1.x, r1.x, r1.x; mad r1.x,"), keeps, Unknown, "memory"},
		{"an address from before", edit(inView, "mov r5.x, r0.x;", early, "r4.x, r0.x, l7.x", "r4.x, r5.x, l7.z"),
			edit(viewInRegs, "mov r5.x, r0.x;", early, "r4.x, r0.x, l7.x", "r4.x, r5.x, l7.z"), keeps, Proved, ""},
		{"a word of a structure", structured(inView), structured(viewInRegs), keeps, Proved, ""},
		{"of another structure", structured(inView),
			edit(structured(viewInRegs), "store_id(0) mem.x, r6.xy", "store_id(0) mem.x, r6.zy"), keeps, Refuted, ""},
		{"another word of the structure", structured(inView),
			edit(structured(viewInRegs), "store_id(0) mem.x, r6.xy", "store_id(0) mem.y, r6.xy"), keeps, Refuted, ""},
		{"a structure that moves", edit(structured(inView), heldNext, "iadd r6.x, r6.x, l7.x;"+heldNext),
			edit(structured(viewInRegs), heldNext, "iadd r6.x, r6.x, l7.x;"+heldNext), keeps, Refuted, ""},
		{"words of two structures", edit(structured(inView), heldNext, "uav_struct_store_id(0) mem.x, r6.zy, r1.x;"+heldNext),
			edit(structured(viewInRegs), "uav_struct_store", "uav_struct_store_id(0) mem.x, r6.zy, r1.x; uav_struct_store"), keeps,
			Refuted, ""},
		{"an address that moves", edit(inView, heldNext, "iadd r0.x, r0.x, l7.y;"+heldNext),
			edit(viewInRegs, heldNext, "iadd r0.x, r0.x, l7.y;"+heldNext), keeps, Refuted, ""},
		{"an address that moves under a condition", edit(inView, heldNext, rare+heldNext),
			edit(viewInRegs, heldNext, rare+heldNext), keeps, Refuted, ""},
	} {
		report := CheckKernel(parseKernel(t, c.before), parseKernel(t, c.after),
			Options{Numerics: ir.Real, Tile: c.tile})
		if report.Verdict != c.want || !strings.Contains(report.Why, c.why) {
			t.Errorf("%s: %v (%s), not %v", c.name, report.Verdict, report.Why, c.want)
		}
	}
}

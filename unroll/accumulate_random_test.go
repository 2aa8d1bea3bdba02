package unroll_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/unroll"
)

// memories are the spaces of random kernels: how to load component C of element N into component D of r1, to store
// it from there, and to store all. L is the literal with the distance of N in bytes, and M
// the literal N.
var memories = []struct{ declare, address, load, store, all, last string }{
	{"", "ishl r0.x, vaTid.x, l1.y", "mov r1.D, g[r0.x + N].C", "mov g[r0.x + N].C, r1.D", "mov g[r0.x + N], r1_neg(x)",
		"mov g[r0.x + 3].x, r6.x"},
	{"dcl_literal l3, 0, 1, 2, -1\n", "ishl r0.x, vaTid.x, l1.y", "iadd r5.x, r0.x, M\nmov r1.D, g[r5.x].C", "mov g[r0.x + N].C, r1.D",
		"iadd r5.x, r0.x, M\niadd r5.x, r5.x, l3.w\nmov g[r5.x + 1], r1_neg(x)", "mov g[r0.x + 3].x, r6.x"},
	{"dcl_raw_uav_id(0)\ndcl_raw_uav_id(1)\n", "ishl r0.x, vaTid.x, l2.w",
		"iadd r5.x, r0.x, L\nuav_raw_load_id(0) r5.C, r5.x\nmov r1.D, r5.C",
		"iadd r5.x, r0.x, L\nuav_raw_store_id(0) mem.C, r5.x, r1.D",
		"iadd r5.x, r0.x, L\nuav_raw_store_id(0) mem, r5.x, r1_neg(x)\nuav_raw_load_id(1) r5, r5.x\nadd r6, r6, r5",
		"mov g[vaTid.x].x, r6.x"},
	{"dcl_arena_uav_id(8)\ndcl_arena_uav_id(9)\n", "ishl r0.x, vaTid.x, l2.w",
		"ishl r5.x, vaTid.x, l2.w\niadd r5.x, r5.x, L\nuav_arena_load_id(8)_size(dword) r5.C, r5.x\nmov r1.D, r5.C",
		"iadd r5.x, L, r0.x\nuav_arena_store_id(8)_size(dword) mem.C, r5.x, r1.D",
		"iadd r5.x, r0.x, L\nuav_arena_store_id(8)_size(dword) mem, r5.x, r1_neg(x)", "mov g[vaTid.x].x, r6.x"},
	{"dcl_struct_uav_id(0) 64\n", "mov r10, vaTid.x\nmov r11, r10\nmov r12, r10\nmov r10.y, l2.x\nmov r11.y, l2.y\nmov r12.y, l2.z",
		"uav_struct_load_id(0) r5.C, r1N.xy\nmov r1.D, r5.C", "uav_struct_store_id(0) mem.C, r1N.xy, r1.D",
		"uav_struct_store_id(0) mem, r1N.xy, r1_neg(x)", "mov g[vaTid.x].x, r6.x"},
}

// random returns a kernel with a loop, or a nested one, that loads and stores at random places.
func random(r *rand.Rand) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	memory := memories[r.IntN(len(memories))]
	access := func(format, of, to string) {
		n := r.IntN(3)
		line("%s", strings.NewReplacer("N", fmt.Sprint(n), "C", of, "D", to, "L", "l2."+"xyz"[n:n+1],
			"M", "l3."+"xyz"[n:n+1]).Replace(format))
	}
	line("il_cs_2_0\ndcl_num_thread_per_group 64\ndcl_cb cb0[4]\ndcl_literal l0, 0.0, 1.0, 0.5, 0.0\ndcl_literal l1, 0, 2, 2, 3\ndcl_literal l2, 0, 16, 32, 6")
	line("%s%s\nmov r1, l0.y\nmov r2.x, l0.x\nmov r6, l0.x", memory.declare, memory.address)
	component := func() string { return "xyzw"[r.IntN(4):][:1] }
	body := func(counter string) {
		for range 2 + r.IntN(5) {
			switch r.IntN(8) {
			case 0, 1:
				access(memory.load, component(), component())
			case 2:
				access(memory.load, component(), component())
				line("add r1.%s, r1.%s, r1.%s", component(), component(), component())
			case 3, 4:
				access(memory.store, component(), component())
			case 5:
				line("mad r1.%s, %s, cb0[%d].%s, r1.%s", component(), counter, 1+r.IntN(3), component(), component())
			case 6:
				access(memory.all, "", "")
			case 7:
				line("ge r3.x, r1.%s, cb0[2].y\nif_logicalnz r3.x\nadd r6.x, r6.x, r1.%s\nbreak\nendif", component(), component())
			}
		}
	}
	line("whileloop\nge r2.y, r2.x, cb0[0].x\nbreak_logicalnz r2.y")
	if r.IntN(3) == 0 {
		line("mov r4.x, l0.x\nwhileloop\nge r4.y, r4.x, cb0[0].y\nbreak_logicalnz r4.y")
		body("r4.x")
		line("add r4.x, r4.x, l0.y\nendloop")
	}
	body("r2.x")
	line("add r2.x, r2.x, l0.y\nendloop\nadd r6.x, r6.x, r1.x\n%s\nend", memory.last)
	return b.String()
}

// TestAccumulateRandom checks that kernels that keep memory in registers compute the same, and that wrong ones are
// refused.
func TestAccumulateRandom(t *testing.T) {
	passtest.Random{Count: testcorpus.Count(40, 100), Wrong: testcorpus.Count(12, 20), Seed: 1, Kernel: random,
		Pipeline: passtest.Always(unroll.Accumulate), Changed: func(u *passes.Unit) bool { return !u.Tile.Same() }}.Test(t)
}

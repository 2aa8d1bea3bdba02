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

func TestLocalFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{unroll.Local}, "../testdata/passes/promote-local")
}

// randomLocal returns a kernel that loads and stores own words of local memory in loops and branches.
func randomLocal(r *rand.Rand) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("il_cs_2_0\ndcl_num_thread_per_group 64\ndcl_cb cb0[4]\ndcl_raw_uav_id(0)\ndcl_lds_id(1) %d", 1024)
	line("dcl_literal l0, 0, 4, 8, 12\ndcl_literal l1, 16, 1, 3, 4\nimul r0.x, vTidInGrpFlat.x, l1.x\nmov r1, cb0[1]\nmov r8.xy, l0.x")
	line("lds_store_id(1) mem, r0.x, cb0[2]")
	var body func(n, depth int)
	body = func(n, depth int) {
		for range n {
			k := r.IntN(4)
			line("iadd r5.x, r0.x, l0.%c", "xyzw"[k])
			c, lanes := "xyzw"[r.IntN(4)], []string{"x", "y", "xy"}[r.IntN(3)]
			if k == 3 {
				lanes = "x"
			}
			switch r.IntN(6) {
			case 0, 1:
				line("lds_store_id(1) mem.%s, r5.x, r1.%c", lanes, c)
			case 2:
				line("lds_store_id(1) mem.%s, r5.x, r1_neg(xyzw).%c", lanes, c)
			case 3:
				if depth > 1 {
					continue
				}
				line("ilt r9.x, r1.%c, cb0[2].x\nif_logicalnz r9.x", c)
				body(1+r.IntN(2), depth+1)
				if depth == 1 && r.IntN(3) == 0 {
					line("break")
				}
				line("else")
				body(r.IntN(2), depth+1)
				line("endif")
			default:
				line("lds_load_id(1) r6.%s, r5.x\niadd r1.%c, r6.%c, r1.%[2]c", lanes, c, lanes[len(lanes)-1])
			}
		}
	}
	body(r.IntN(3), 2)
	line("whileloop\nige r8.y, r8.x, cb0[0].x\nbreak_logicalnz r8.y")
	body(2+r.IntN(4), 1)
	line("iadd r8.x, r8.x, l1.y\nendloop")
	body(1+r.IntN(3), 2)
	line("lds_load_id(1) r7, r0.x\niadd r1, r1, r7\nishl r5.x, vaTidFlat.x, l1.w\nuav_raw_store_id(0) mem, r5.x, r1\nend")
	return b.String()
}

// TestLocalRandom checks that own words are registers, and that wrong kernels are refused.
func TestLocalRandom(t *testing.T) {
	passtest.Random{Count: testcorpus.Count(40, 200), Wrong: 2, Seed: 7, Kernel: randomLocal,
		Pipeline: passtest.Always(unroll.Local),
		More: func(t *testing.T, c *passtest.Changed) int { // accesses that are others than those of the registers
			wrong, _ := passtest.Refused(t, c.After, c.Before, c.Options, c.Rand, 7)
			return wrong
		}}.Test(t)
}

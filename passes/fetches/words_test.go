package fetches_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/fetches"
)

func TestWordsFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{fetches.Words}, "../../testdata/passes/vectorize-memory")
}

// randomWords returns a kernel that loads and stores words at small distances, in a loop too.
func randomWords(r *rand.Rand) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("il_cs_2_0\ndcl_num_thread_per_group 64\ndcl_cb cb0[4]\ndcl_raw_uav_id(0)\ndcl_raw_uav_id(1)\ndcl_raw_uav_id(2)")
	line("dcl_literal l0, 0, 4, 8, 12\ndcl_literal l1, 16, 20, 24, 28\ndcl_literal l2, 64, 12, 1, 0")
	line("imul r0.x, vaTid.x, l2.%c\nmov r1, cb0[1]\nmov r8.x, l0.x", "xxxy"[r.IntN(4)])
	body := func(base string) {
		for range 4 + r.IntN(8) {
			c, d, lane := "xyzw"[r.IntN(4)], "xyzw"[r.IntN(4)], "xxxy"[r.IntN(4)]
			line("iadd r5.x, %s, l%d.%c", base, r.IntN(2), "xyzw"[r.IntN(4)])
			switch r.IntN(6) {
			case 0:
				line("uav_raw_store_id(2) mem.%c, r5.x, r1.%c", lane, c)
			case 1:
				line("uav_raw_store_id(2) mem.xy, r5.x, r1.%c%c", c, d)
			case 2:
				line("uav_raw_load_id(0) r6.xy, r5.x\nadd r1.%c, r1.%[1]c, r6.y\nadd r1.%[2]c, r1.%[2]c, r6.x", c, d)
			default:
				line("uav_raw_load_id(%d) r6.%c, r5.x\nmad r1.%c, r1.%c, cb0[2].x, r6.%[2]c", r.IntN(8)/7, lane, c, d)
			}
		}
	}
	body("r0.x")
	if r.IntN(2) == 0 {
		line("whileloop\nige r8.y, r8.x, cb0[0].x\nbreak_logicalnz r8.y\nimad r7.x, r8.x, l1.x, r0.x")
		body("r7.x")
		line("iadd r8.x, r8.x, l2.z\nendloop")
	}
	line("uav_raw_store_id(2) mem, r0.x, r1\nend")
	return b.String()
}

// TestWordsRandom checks that joined accesses are proved, and that wrong ones are refused.
func TestWordsRandom(t *testing.T) {
	passtest.Random{Count: testcorpus.Count(40, 200), Wrong: testcorpus.Count(10, 20), Seed: 5, Kernel: randomWords,
		Pipeline: passtest.Always(fetches.Words)}.Test(t)
}

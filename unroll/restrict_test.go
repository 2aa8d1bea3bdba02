package unroll_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/unroll"
	"github.com/shaderlift/shaderlift/verify"
)

func TestRestrictFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{unroll.Restrict, unroll.Preload}, "../testdata/passes/restrict")
}

// randomViews returns a kernel that loads from views 0 and 1, and stores to view 0 and perhaps to g[].
func randomViews(r *rand.Rand) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("il_cs_2_0\ndcl_num_thread_per_group 64\ndcl_cb cb0[4]\ndcl_raw_uav_id(0)\ndcl_raw_uav_id(1)\ndcl_literal l0, 0, 4, 8, 12")
	line("dcl_literal l1, 6, 1, 3, 0\nishl r0.x, vaTid.x, l1.x\nmov r1, cb0[1]\nmov r8.x, l0.x")
	body := func(n int) {
		for range n {
			line("iadd r5.x, r0.x, l0.%c", "xyzw"[r.IntN(4)])
			c := "xyzw"[r.IntN(4)]
			switch r.IntN(7) {
			case 0, 1:
				line("uav_raw_store_id(0) mem.x, r5.x, r1.%c", c)
			case 2:
				line("uav_raw_load_id(0) r6.x, r5.x\nmad r1.%c, r6.x, cb0[2].x, r1.%[1]c", c)
			case 3:
				line("mov r6.x, g[r5.x].x\nmad r1.%c, r6.x, cb0[2].y, r1.%[1]c", c)
			default:
				line("uav_raw_load_id(1) r6.x, r5.x\nmad r1.%c, r6.x, cb0[2].z, r1.%[1]c", c)
			}
		}
	}
	body(r.IntN(3))
	line("whileloop\nige r8.y, r8.x, cb0[0].x\nbreak_logicalnz r8.y")
	body(3 + r.IntN(5))
	line("iadd r8.x, r8.x, l1.y\nendloop")
	body(r.IntN(4))
	if r.IntN(4) == 0 {
		line("mov g[vaTid.x], r1")
	}
	line("uav_raw_store_id(0) mem, r0.x, r1\nend")
	return b.String()
}

// TestRestrictRandom checks that loads from views that are only read move over stores, and that wrong kernels are
// refused: loads from views that are written, other words. At least half of a sample need the promise.
func TestRestrictRandom(t *testing.T) {
	changed, sampled, promised := 0, 0, 0
	passtest.Random{Count: testcorpus.Count(40, 200), Wrong: testcorpus.Count(10, 20), Seed: 3, Kernel: randomViews,
		Pipeline: passtest.Always(unroll.Restrict, unroll.Preload, cleanup.GVN, cleanup.DCE),
		Changed:  func(u *passes.Unit) bool { return u.Tile.Restrict },
		More: func(t *testing.T, c *passtest.Changed) int {
			if changed++; changed%4 != 0 {
				return 0
			}
			sampled++
			c.Options.Tile = ir.Tile{}
			if !verify.CheckKernel(c.Before, c.After, c.Options).Verdict.OK() {
				promised++
			}
			return 0
		}}.Test(t)
	if sampled < 5 || promised < sampled/2 {
		t.Errorf("%d of %d only with the promise", promised, sampled)
	}
}

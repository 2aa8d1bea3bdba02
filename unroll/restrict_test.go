package unroll_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
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
// refused: loads from views that are written, other words.
func TestRestrictRandom(t *testing.T) {
	n := testcorpus.Count(40, 200)
	changed, refused, accepted, promised := 0, 0, 0, 0
	p := passes.Pipeline{{Pass: unroll.Restrict}, {Pass: unroll.Preload}, {Pass: cleanup.GVN}, {Pass: cleanup.DCE}}
	for seed := range n {
		text := randomViews(rand.New(rand.NewPCG(uint64(seed), 3)))
		k, err := il.Parse("random", []byte(text))
		if err != nil || len(il.Check(k)) > 0 {
			t.Fatalf("%v\n%s", err, text)
		}
		u, err := (&passtest.Source{Kernel: k}).Lift()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := passes.Run(u, p, passes.Config{Numerics: passes.Terms}); err != nil {
			t.Fatalf("%d: %v\n%s", seed, err, text)
		}
		if !u.Tile.Restrict {
			continue
		}
		changed++
		out, err := amdil.Emit(k, u.Kernel)
		if err != nil {
			t.Fatalf("%d: %v", seed, err)
		}
		o := verify.Options{Numerics: passes.Terms, Tile: u.Tile, Brief: true}
		if v := verify.CheckKernel(k, out, o); v.Verdict != verify.Proved {
			t.Errorf("%d: %v %s\n%s\n%s", seed, v.Verdict, v.Why, text, il.Print(out))
		}
		wrong, right := passtest.Refused(t, k, out, o, rand.New(rand.NewPCG(uint64(seed), 4)), testcorpus.Count(10, 20))
		refused, accepted = refused+wrong, accepted+right
		if !verify.CheckKernel(k, out, verify.Options{Numerics: passes.Terms, Brief: true}).Verdict.OK() {
			promised++
		}
	}
	t.Logf("%d of %d changed, %d only with the promise, %d variants refused, %d accepted", changed, n, promised, refused, accepted)
	if changed < n/2 || refused < 200 || promised < changed/2 {
		t.Errorf("%d of %d changed, %d only with the promise, %d variants refused", changed, n, promised, refused)
	}
}

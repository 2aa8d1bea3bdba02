package fetches_test

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
	"github.com/shaderlift/shaderlift/passes/fetches"
	"github.com/shaderlift/shaderlift/verify"
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
	n := testcorpus.Count(40, 200)
	changed, refused, accepted := 0, 0, 0
	for seed := range n {
		text := randomWords(rand.New(rand.NewPCG(uint64(seed), 5)))
		k, err := il.Parse("random", []byte(text))
		if err != nil || len(il.Check(k)) > 0 {
			t.Fatalf("%v\n%s", err, text)
		}
		u, err := (&passtest.Source{Kernel: k}).Lift()
		if err != nil {
			t.Fatal(err)
		}
		report, err := passes.Run(u, passes.Pipeline{{Pass: fetches.Words}}, passes.Config{Numerics: passes.Terms})
		if err != nil {
			t.Fatalf("%d: %v\n%s", seed, err, text)
		}
		if report.Steps == 0 {
			continue
		}
		changed++
		out, err := amdil.Emit(k, u.Kernel)
		if err != nil {
			t.Fatalf("%d: %v", seed, err)
		}
		o := verify.Options{Numerics: passes.Terms, Brief: true}
		if v := verify.CheckKernel(k, out, o); v.Verdict != verify.Proved {
			t.Errorf("%d: %v %s\n%s\n%s", seed, v.Verdict, v.Why, text, il.Print(out))
		}
		wrong, right := passtest.Refused(t, k, out, o, rand.New(rand.NewPCG(uint64(seed), 6)), testcorpus.Count(10, 20))
		refused, accepted = refused+wrong, accepted+right
	}
	t.Logf("%d of %d changed, %d variants refused, %d accepted", changed, n, refused, accepted)
	if changed < n/2 || refused < 200 {
		t.Errorf("%d of %d changed, %d variants refused", changed, n, refused)
	}
}

package unroll_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/suite"
	"github.com/shaderlift/shaderlift/unroll"
	"github.com/shaderlift/shaderlift/verify"
)

func TestStageFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{unroll.Stage, unroll.Unroll}, "../testdata/passes/stage-local")
}

// randomStaged returns a kernel with a loop whose trips load words of views 0 and 1, most of them for all invocations
// of a group, and which stores to view 2.
func randomStaged(r *rand.Rand) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("il_cs_2_0\ndcl_num_thread_per_group %d\ndcl_cb cb0[4]", 16<<r.IntN(4))
	line("dcl_raw_uav_id(0)\ndcl_raw_uav_id(1)\ndcl_raw_uav_id(2)")
	line("dcl_literal l0, 0, 1, 2, 3\ndcl_literal l1, 4, 8, 12, 16\ndcl_literal l2, 0.5, 0, 0, 0")
	line("imul r0.x, vaTid.x, l1.w\nmov r1, cb0[1]\nmov r6, r1\nmov r2.x, l0.x")
	line("whileloop\nige r2.y, r2.x, cb0[0].x\nbreak_logicalnz r2.y")
	line("imul r3.x, r2.x, l1.%c", "xyzw"[r.IntN(4)])
	if r.IntN(3) == 0 {
		line("iadd r3.x, r3.x, %s", []string{"l1.x", "cb0[2].x", "vThreadGrpIdFlat.x", "vaTid.x"}[r.IntN(4)])
	}
	for range 2 + r.IntN(4) {
		c := "xyzw"[r.IntN(4)]
		conditional := r.IntN(4) == 0
		if conditional {
			line("if_logicalnz %s", []string{"cb0[3].x", "vaTid.x", "r1.x"}[r.IntN(3)])
		}
		switch r.IntN(4) {
		case 0:
			line("uav_raw_load_id(2) r6, r0.x")
		case 1:
			line("iadd r5.x, r3.x, l1.%c\nuav_raw_load_id(%d) r6.xyz, r5.x", "xyz"[r.IntN(3)], r.IntN(9)/4)
		default:
			line("iadd r5.x, r3.x, l1.%c\nuav_raw_load_id(%d) r6.%c, r5.x", "xyz"[r.IntN(3)], r.IntN(2), c)
		}
		line("mad r1.%c, r1.%[1]c, l2.x, r6.%[1]c", c)
		if conditional {
			line("endif")
		}
	}
	line("iadd r2.x, r2.x, l0.y\nendloop\nuav_raw_store_id(2) mem, r0.x, r1\nend")
	return b.String()
}

// staged applies a pipeline that stages words.
func staged(t *testing.T, k *il.Kernel, pipeline string) (out *il.Kernel, tile ir.Tile) {
	t.Helper()
	u, err := (&passtest.Source{Kernel: k}).Lift()
	if err != nil {
		t.Fatal(err)
	}
	p, err := suite.Parse(pipeline)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := passes.Run(u, p, passes.Config{Numerics: passes.Terms}); err != nil {
		t.Fatal(err)
	}
	if u.Kernel.LocalBytes == 0 {
		return nil, u.Tile
	}
	if out, err = amdil.Emit(k, u.Kernel); err != nil {
		t.Fatal(err)
	}
	return out, u.Tile
}

// TestStageRandom checks that staged words are proved, and that wrong kernels are refused. Kernels without a barrier
// are always wrong.
func TestStageRandom(t *testing.T) {
	n := testcorpus.Count(40, 200)
	changed, refused, accepted := 0, 0, 0
	for seed := range n {
		text := randomStaged(rand.New(rand.NewPCG(uint64(seed), 11)))
		k, err := il.Parse("random", []byte(text))
		if err != nil || len(il.Check(k)) > 0 {
			t.Fatalf("%v\n%s", err, text)
		}
		out, tile := staged(t, k, []string{"stage-local", "stage-local,gvn,dce", "vectorize-memory,stage-local,gvn,dce",
			"unroll{factor=4},stage-local,gvn,dce"}[seed%4])
		if out == nil {
			continue
		}
		o := verify.Options{Numerics: passes.Terms, Tile: tile, Brief: true}
		v := verify.CheckKernel(k, out, o)
		if v.Verdict == verify.Unknown && strings.Contains(v.Why, "the same word") {
			continue
		}
		if v.Verdict != verify.Proved {
			t.Errorf("%d: %v %s\n%s\n%s", seed, v.Verdict, v.Why, text, il.Print(out))
		}
		changed++
		mutate := rand.New(rand.NewPCG(uint64(seed), 12))
		wrong, right := passtest.Refused(t, k, out, o, mutate, testcorpus.Count(12, 20))
		refused, accepted = refused+wrong, accepted+right
		for i := range out.Insts {
			if out.Insts[i].Op != il.OpFence {
				continue
			}
			bad := *out
			bad.Insts = slices.Delete(slices.Clone(out.Insts), i, i+1)
			if v := verify.CheckKernel(k, &bad, o); v.Verdict.OK() {
				t.Errorf("%d: accepted without a barrier\n%s", seed, il.Print(&bad))
			}
			refused++
		}
	}
	t.Logf("%d of %d changed, %d variants refused, %d accepted", changed, n, refused, accepted)
	if changed < n/2 || refused < 200 {
		t.Errorf("%d of %d changed, %d variants refused", changed, n, refused)
	}
}

// TestStageViews checks that a kernel that OpenCL compiles is staged and proved, alone and with other passes.
func TestStageViews(t *testing.T) {
	k := passtest.ReadKernel(t, "../testdata/gem/gem_uav.il")
	for _, pipeline := range []string{"stage-local", "vectorize-memory,stage-local,gvn,dce",
		"accumulate,stage-local,dce",
		"accumulate,restrict,preload,vectorize-memory,stage-local,gvn,dce",
		"unroll{factor=8},vectorize-memory,stage-local,gvn,dce", "unswitch,dce,unroll{factor=2},stage-local,gvn,dce",
		"coarsen{x=2},gvn,stage-local,gvn,dce"} {
		out, tile := staged(t, k, pipeline)
		if out == nil {
			t.Errorf("%s: nothing is staged", pipeline)
			continue
		}
		v := verify.CheckKernel(k, out, verify.Options{Numerics: passes.Terms, Tile: tile})
		if v.Verdict != verify.Proved {
			t.Errorf("%s: %v %s", pipeline, v.Verdict, v.Why)
		}
	}
}

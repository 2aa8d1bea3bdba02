package local_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/gen/ilgen"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/algebra"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/passes/coarsen"
	"github.com/shaderlift/shaderlift/passes/local"
	"github.com/shaderlift/shaderlift/verify"
)

func TestFixtures(t *testing.T) {
	passtest.Run(t, []*passes.Pass{local.Pass}, "../../testdata/passes/local")
}

// rewrite runs a pipeline over k and verifies the result.
func rewrite(t *testing.T, k *il.Kernel, pipeline string) (out *il.Kernel, r verify.Report) {
	t.Helper()
	f, err := amdil.Lift(k)
	if err != nil {
		t.Fatal(err)
	}
	p, err := passes.Parse(pipeline, []*passes.Pass{local.Pass, coarsen.Pass, algebra.Fold, cleanup.GVN, cleanup.DCE})
	if err != nil {
		t.Fatal(err)
	}
	u := &passes.Unit{Kernel: f}
	if _, err := passes.Run(u, p, passes.Config{Numerics: passes.Terms}); err != nil {
		t.Fatal(err)
	}
	if out, err = amdil.Emit(k, u.Kernel); err != nil {
		t.Fatal(err)
	}
	return out, verify.CheckKernel(k, out, verify.Options{Numerics: passes.Terms, Tile: u.Tile, Brief: true})
}

// count returns the number of statements with an op.
func count(k *il.Kernel, op il.Op) (n int) {
	for i := range k.Insts {
		if k.Insts[i].Op == op {
			n++
		}
	}
	return n
}

// TestGaussJordan checks Volkov's register copies: with 8 elements an invocation, there are at least 1.5 times fewer
// loads, and the barriers behind the subtraction go. The result is the same terms.
func TestGaussJordan(t *testing.T) {
	k, err := il.Parse("elimination", ilgen.GaussJordan(32))
	if err != nil {
		t.Fatal(err)
	}
	for _, elements := range []int{1, 2, 4, 8, 16} {
		pipeline := fmt.Sprintf("coarsen{group=%d},", elements)
		if elements == 1 {
			pipeline = ""
		}
		plain, r := rewrite(t, k, pipeline+"fold,gvn,dce")
		if r.Verdict != verify.Proved {
			t.Errorf("%d elements: %v, %s", elements, r.Verdict, r.Why)
		}
		kept, r := rewrite(t, k, pipeline+"fold,gvn,dce,forward-local,fold,gvn,dce")
		if r.Verdict != verify.Proved {
			t.Errorf("%d elements in registers: %v, %s", elements, r.Verdict, r.Why)
		}
		before, after := count(plain, il.OpLdsLoad), count(kept, il.OpLdsLoad)
		t.Logf("%d elements: %d loads, %d with registers", elements, before, after)
		if 2*before < 3*after {
			t.Errorf("%d elements: %d loads, %d with registers", elements, before, after)
		}
		if n := count(kept, il.OpFence); count(plain, il.OpFence) != 65 || n != 32 {
			t.Errorf("%d elements: %d barriers stay", elements, n)
		}
	}
}

// random returns a kernel with random accesses to local memory.
func random(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 11))
	var b strings.Builder
	b.WriteString("il_cs_2_0\ndcl_num_thread_per_group 64\ndcl_lds_id(1) 256\ndcl_lds_id(2) 256\ndcl_raw_uav_id(0)\ndcl_raw_uav_id(1)\n")
	fmt.Fprintf(&b, "dcl_literal l0, 4, 63, %d, %d\ndcl_literal l1, 1.0, 0.5, -2.0, 0.0\n", r.IntN(64), r.IntN(64))
	b.WriteString("imul r1.x___, vTidInGrpFlat.x, l0.x\nimul r2.x___, vaTidFlat.x, l0.x\nuav_raw_load_id(0) r3.x___, r2.x\n")
	b.WriteString("ixor r7.x___, vTidInGrpFlat.x, l0.z\nimul r7.x___, r7.x, l0.x\nimul r8.x___, l0.w, l0.x\n")
	b.WriteString("lds_store_id(1) r1.x, r3.x\nlds_store_id(2) r1.x, r2.x\nfence_threads_lds\n")
	address := func() string { return []string{"r1.x", "r1.x", "r7.x", "r8.x"}[r.IntN(4)] }
	access := func() {
		if r.IntN(3) > 0 {
			fmt.Fprintf(&b, "lds_load_id(%d) r5.x___, %s\nmad r3.x___, r5.x, l1.%c, r3.x\n", 1+r.IntN(2), address(), "xyz"[r.IntN(3)])
		} else {
			at := []string{"r1.x", "r1.x", "r7.x"}[r.IntN(3)]
			if r.IntN(20) == 0 {
				at = "r8.x" // all invocations store to one word
			}
			fmt.Fprintf(&b, "lds_store_id(%d) %s, r3.x\n", 1+r.IntN(2), at)
		}
	}
	for range 2 + r.IntN(4) {
		for range 1 + r.IntN(3) {
			access()
		}
		if r.IntN(2) == 0 {
			b.WriteString([]string{"ilt r6.x___, vTidInGrpFlat.x, l0.z\n", "lt r6.x___, r3.x, l1.w\n", "ieq r6.x___, vTidInGrpFlat.x, l0.w\n"}[r.IntN(3)])
			b.WriteString("if_logicalnz r6.x\n")
			access()
			access()
			if r.IntN(2) == 0 {
				b.WriteString("else\n")
				access()
			}
			b.WriteString("endif\n")
		}
		b.WriteString("fence_threads_lds\n")
	}
	b.WriteString("lds_load_id(1) r5.x___, r1.x\nadd r3.x___, r3.x, r5.x\nuav_raw_store_id(1) mem0.x___, r2.x, r3.x\nend\n")
	return b.String()
}

// TestRandom checks that executions of random kernels do not differ, that most kernels are proved, and that variants of
// these with other accesses are refused. The others race, or a barrier goes between two phases that store to one word.
func TestRandom(t *testing.T) {
	seeds := 100
	if s := os.Getenv("KERNELS"); s != "" {
		seeds, _ = strconv.Atoi(s)
	}
	verdicts, wrong := map[string]int{}, 0
	for seed := range uint64(seeds) {
		k, err := il.Parse("random", []byte(random(seed)))
		if err != nil {
			t.Fatal(seed, err)
		}
		out, r := rewrite(t, k, "forward-local")
		if verdicts[r.Verdict.String()]++; r.Verdict == verify.Refuted {
			t.Errorf("%d: %s\n%s\n%s", seed, r.Why, il.Print(k), il.Print(out))
		}
		if count(out, il.OpLdsLoad) < count(k, il.OpLdsLoad) {
			verdicts["fewer loads"]++
			if r.Verdict == verify.Proved {
				verdicts["fewer loads, proved"]++
				o := verify.Options{Numerics: passes.Terms, Brief: true}
				n, _ := passtest.Refused(t, k, out, o, rand.New(rand.NewPCG(seed, 12)), 9)
				wrong += n
			}
		}
	}
	t.Logf("%v, %d variants refused", verdicts, wrong)
	if verdicts["fewer loads, proved"] < seeds/2 || wrong < 2*seeds {
		t.Error("too few are proved, or too few variants are refused")
	}
}

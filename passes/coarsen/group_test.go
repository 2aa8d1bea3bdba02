package coarsen_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/gen/ilgen"
	"github.com/shaderlift/shaderlift/passes"
)

// TestGaussJordan checks that coarser eliminations are the same terms. Neighbours in a row cannot become one
// invocation: one of them stores an element that the next one loads.
func TestGaussJordan(t *testing.T) {
	k, err := il.Parse("elimination", ilgen.GaussJordan(8))
	if err != nil {
		t.Fatal(err)
	}
	for tile, want := range map[string]string{"group=2": "proved", "group=4": "proved", "group=8": "proved",
		"adjacent=2": "unknown", "adjacent=4": "unknown"} {
		n := verdicts{}
		n.coarsened(t, tile, k, "coarsen{"+tile+"},fold,gvn,dce", passes.Terms)
		if n[want] != 1 {
			t.Errorf("%s: %v, not %s", tile, n, want)
		}
	}
}

// randomGroup returns a random kernel whose phases load from one local memory and store to another one, in turn. Some
// phases also store to the memory that they load from.
func randomGroup(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 7))
	var b strings.Builder
	b.WriteString("il_cs_2_0\ndcl_num_thread_per_group 32\ndcl_lds_id(1) 128\ndcl_lds_id(2) 128\ndcl_raw_uav_id(0)\ndcl_raw_uav_id(1)\n")
	fmt.Fprintf(&b, "dcl_literal l0, 4, 31, %d, %d\ndcl_literal l1, 1.0, 0.5, -2.0, 0.0\n", r.IntN(32), r.IntN(32))
	b.WriteString(`imul r1.x___, vTidInGrpFlat.x, l0.x
imul r2.x___, vaTidFlat.x, l0.x
uav_raw_load_id(0) r3.x___, r2.x
lds_store_id(1) r1.x, r3.x
lds_store_id(2) r1.x, r2.x
fence_threads_lds
`)
	from, to := 1, 2
	for range 1 + r.IntN(4) {
		for range 1 + r.IntN(3) {
			b.WriteString([]string{"ixor r4.x___, vTidInGrpFlat.x, l0.z\n", "inegate r4.x___, vTidInGrpFlat.x\niadd r4.x___, r4.x, l0.y\n",
				"iadd r4.x___, vTidInGrpFlat.x, l0.w\niand r4.x___, r4.x, l0.y\n", "mov r4.x___, l0.w\n"}[r.IntN(4)])
			fmt.Fprintf(&b, "imul r4.x___, r4.x, l0.x\nlds_load_id(%d) r5.x___, r4.x\nmad r3.x___, r5.x, l1.%c, r3.x\n", from, "xyz"[r.IntN(3)])
		}
		guard := []string{"", "ilt r6.x___, vTidInGrpFlat.x, l0.z\nif_logicalnz r6.x\n", "lt r6.x___, r3.x, l1.w\nif_logicalz r6.x\n",
			"ieq r6.x___, vTidInGrpFlat.x, l0.w\nif_logicalz r6.x\n"}[r.IntN(4)]
		fmt.Fprintf(&b, "%sadd r3.x___, r3.x, l1.y\nlds_store_id(%d) r1.x, r3.x\n", guard, to)
		if r.IntN(4) == 0 {
			fmt.Fprintf(&b, "lds_store_id(%d) r1.x, r3.x\n", from)
		}
		if guard != "" {
			b.WriteString("endif\n")
		}
		b.WriteString("fence_threads_lds\n")
		from, to = to, from
	}
	fmt.Fprintf(&b, "lds_load_id(%d) r5.x___, r1.x\nadd r3.x___, r3.x, r5.x\nuav_raw_store_id(1) mem0.x___, r2.x, r3.x\nend\n", from)
	return b.String()
}

// TestRandomGroups checks that random kernels with barriers are coarsened, and proved unless their invocations race.
func TestRandomGroups(t *testing.T) {
	seeds := 60
	if s := os.Getenv("KERNELS"); s != "" {
		seeds, _ = strconv.Atoi(s)
	}
	n, tiles := verdicts{}, []string{"group=2", "adjacent=2", "group=8", "adjacent=4"}
	for seed := range uint64(seeds) {
		k, err := il.Parse("random", []byte(randomGroup(seed)))
		if err != nil {
			t.Fatal(seed, err)
		}
		n.coarsened(t, strconv.Itoa(int(seed)), k, "coarsen{"+tiles[seed%4]+"},fold,gvn,dce", passes.Terms)
	}
	t.Log(n)
	if n["proved"] < seeds/2 || n["proved"]+n["unknown"] < seeds {
		t.Error("too few are proved")
	}
}

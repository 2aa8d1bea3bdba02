package opt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/ir"
)

// TestRefutedKernels checks that the report on a refuted kernel names the file and line in each
// version. For an output that only one version has, it names the output instead of values.
func TestRefutedKernels(t *testing.T) {
	wrong := strings.Replace(productKernel, "mov r2.x, r1.x", "add r2.x, r1.x, l0.y", 1)
	for _, c := range []struct {
		name, after string
		o           Options
		want        string
	}{
		{"a line", wrong, Options{}, "after: after.il:1"},
		{"no coarser", productKernel, Options{Kernel: KernelOptions{Coarsen: ir.Tile{X: 2, Y: 1}}},
			"every point: o1.x is of one version alone; the input is:"},
	} {
		res, _ := Verify(t.Context(), kernelInput("before.il", productKernel), kernelInput("after.il", c.after), c.o)
		if res.Verdict().String() != "refuted" {
			t.Fatalf("%s: %v", c.name, res)
		}
		found := false
		for _, r := range res.Remarks {
			found = found || r.Code == "counterexample" && strings.Contains(r.Message, c.want)
		}
		if !found {
			t.Errorf("%s: %v, want %q", c.name, res.Remarks, c.want)
		}
	}
}

// TestVerifyHeld checks that a user may promise exclusive access to the elements that a loop stores to,
// and that it is not assumed without a promise.
func TestVerifyHeld(t *testing.T) {
	const loop = "il_cs_2_0\ndcl_num_thread_per_group 64\ndcl_cb cb0[2]\ndcl_literal l0, 0.0, 1.0, 0.0, 0.0\nmov r2.x, l0.x\n%swhileloop\nge r2.y, r2.x, cb0[0].x\nbreak_logicalnz r2.y\n%sadd r1, r1, cb0[1]\n%sadd r2.x, r2.x, l0.y\nendloop\n%send\n"
	const load, store = "mov r1, g[vaTid0.x]\n", "mov g[vaTid0.x], r1\n"
	before, after := fmt.Sprintf(loop, "", load, store, ""), fmt.Sprintf(loop, load, "", "", store)
	for promise, proved := range map[ir.Tile]bool{{}: false, {X: 1, Y: 1, Held: true}: true} {
		res, _ := Verify(t.Context(), kernelInput("before.il", before), kernelInput("after.il", after),
			Options{Kernel: KernelOptions{Coarsen: promise}})
		if got := res.Verdict().String(); (got == "proved") != proved {
			t.Errorf("%v: %s", promise, got)
		}
	}
}

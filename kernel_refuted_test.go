package shaderlift

import (
	"strings"
	"testing"
)

// What is said of a refuted kernel names the file and line of either version, and outputs that only
// one of them has, instead of values that they do not have.
func TestRefutedKernels(t *testing.T) {
	wrong := strings.Replace(productKernel, "mov r2.x, r1.x", "add r2.x, r1.x, l0.y", 1)
	for _, c := range []struct {
		name, after string
		o           Options
		want        string
	}{
		{"a line", wrong, Options{}, "after, the first value that the other one never has is computed at after.il:1"},
		{"no coarser", productKernel, Options{Coarsen: "x=2"}, "every point: o1.x is of one version alone; the input is:"},
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

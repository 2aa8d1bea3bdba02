package shaderlift_test

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
)

// What is written of programs of ps_1_x, by what is in it.
func TestFixedPoint(t *testing.T) {
	for _, c := range []struct{ name, vs, ps, want string }{
		{"issued together", "", "ps_1_1\ntex t0\nmul r0.rgb, t0, v0\nadd r0.a, t0, v1\n", "+add r0.w"},
		{"moved clamp", "", "ps_1_1\ntex t0\nmul r1, t0, v0\nmov_sat r0, r1\n", "mul_sat r0, t0, v0"},
		{"copied", "", "ps_1_4\ntexld r0, t0\nmov r1, r0\nmul r0, r1, r1\n", "texld r0, t0\nmul r0, r0, r0"},
		{"joined where no product leaves the range", "", "ps_1_1\ntex t0\nmul r0, v0, v1\nadd r0, r0, t0\n", "mad r0, v0, v1, t0"},
		{"not joined where one may", "", "ps_1_1\ntex t0\nmul r0, t0, t0\nadd r0, r0, v0\n", "mul r0, t0, t0"},
		{"what the vertex program writes for nobody", "vs_1_1\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0, v1\nmov oT1, v1\nmov oD0, v1\n",
			"ps_1_1\ntex t0\nmul r0, t0, v0\n", "tex t0\nmul r0, t0, v0"},
	} {
		in := program("a.psh", c.ps)
		if c.vs != "" {
			in = pair(c.vs, c.ps)
		}
		res, err := shaderlift.Optimize(t.Context(), in, shaderlift.Options{})
		if err != nil || len(res.Faults) > 0 {
			t.Errorf("%s: %v %v", c.name, err, res.Faults)
			continue
		}
		got := string(res.Files[len(res.Files)-1].Data)
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: no %q in\n%s", c.name, c.want, got)
		}
		if c.vs == "" {
			continue
		}
		if vs := string(res.Files[0].Data); strings.Contains(vs, "oT1") || !strings.Contains(vs, "oT0") || !strings.Contains(vs, "oD0") {
			t.Errorf("%s: the vertex program is\n%s", c.name, vs)
		}
	}
}

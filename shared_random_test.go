package shaderlift_test

import (
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/internal/test/gen"
)

// TestSharedRandomPairs checks for generated pairs that a shared program gets the same version with its
// partner as alone, without a fault.
func TestSharedRandomPairs(t *testing.T) {
	versions := 0
	for seed := range uint64(40) {
		vs, ps := gen.PairOf(d3d9.VS30, d3d9.PS30, seed, 4+int(seed%20))
		in := pairInput(string(d3d9.Print(vs)), string(d3d9.Print(ps)))
		for _, stage := range []d3d9.Stage{d3d9.Vertex, d3d9.Pixel} {
			o := shaderlift.Options{Target: "d3d9", Numerics: []shaderlift.Numerics{shaderlift.Real, shaderlift.Approx}[seed%2]}
			alone := optimizedAlone(t, in.Files[stage], o)
			o.Host.Shared = []d3d9.Stage{stage}
			res, err := shaderlift.Optimize(t.Context(), in, o)
			if err != nil || len(res.Faults) > 0 {
				t.Errorf("seed %d, %v: %v, %v", seed, stage, err, res.Faults)
				continue
			}
			if string(res.Files[stage].Data) != string(alone.Files[0].Data) {
				t.Errorf("seed %d: the %v program is\n%s, not\n%s", seed, stage, res.Files[stage].Data, alone.Files[0].Data)
			}
			if alone.Status == shaderlift.Improved {
				versions++
			}
		}
	}
	t.Logf("%d versions", versions)
}

// TestSharedSemantics checks that Optimize terminates if an input of the pixel program has two
// semantics with equal values.
func TestSharedSemantics(t *testing.T) {
	in := pairInput("vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1\ndcl_texcoord1 o2\nmov o0, v0\nmov o1, v1\nmov o2, v1\n",
		"ps_3_0\ndcl_texcoord v0.xy\ndcl_texcoord1 v0.zw\nmov r0, v0\nmul oC0, r0, c0\n")
	res, err := shaderlift.Optimize(t.Context(), in,
		shaderlift.Options{Host: shaderlift.HostOptions{Shared: []d3d9.Stage{d3d9.Vertex}}})
	if err != nil || res.Status != shaderlift.Improved {
		t.Errorf("%v, %v", res.Status, err)
	}
}

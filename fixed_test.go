package shaderlift_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/opt/explain"
)

// TestFixedPointStays checks that programs of ps_1_x come back byte for byte with a remark, and that the vertex program of
// a pair is optimized nevertheless. Each pixel program has an instruction that could go.
func TestFixedPointStays(t *testing.T) {
	const vs = "vs_1_1\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov r0, v1\nmov oT0, r0\nmov oD0, v1\n"
	for _, ps := range []string{
		"ps_1_1\ntex t0 ; read\nmul r1, t0, v0\nmov_sat r0, r1\n",
		"ps_1_2\ntex t0\nmul r1, t0, v0\nmov r0, r1\n",
		"ps_1_3\ntex t0\nmul r1, t0, v0\nmov r0, r1\n",
		"ps_1_4\ntexld r0, t0\nmov r1, r0\nmul r0, r1, v0\n",
	} {
		for _, target := range []shaderlift.Target{"", shaderlift.SlotTarget} {
			for _, in := range []shaderlift.Input{program("a.psh", ps), pair(vs, ps)} {
				for _, o := range []shaderlift.Options{{Target: target}, {Target: target, Fit: "ps_2_0"},
					{Target: target, Pipeline: "dce"}} {
					res, err := shaderlift.Optimize(t.Context(), in, o)
					if err != nil || len(res.Faults) > 0 {
						t.Errorf("%s%+v: %v, %v", ps, o, err, res.Faults)
						continue
					}
					last := len(in.Files) - 1
					if !bytes.Equal(res.Files[last].Data, in.Files[last].Data) || !hasRemark(res, "not-optimized") {
						t.Errorf("the pixel program is\n%sand was\n%sremarks: %v", res.Files[last].Data, ps, res.Remarks)
					}
					if last == 0 || o.Pipeline != "" {
						continue
					}
					if got := string(res.Files[0].Data); res.Status != shaderlift.Improved || strings.Contains(got, "mov oT0, r0") {
						t.Errorf("%+v: %s, the vertex program is\n%s", o, res.Status, got)
					}
				}
			}
		}
	}
}

// TestExplainFixedPoint checks that every instruction of a program of ps_1_x is kept, with a reason of its own.
func TestExplainFixedPoint(t *testing.T) {
	res, err := shaderlift.Explain(t.Context(), program("a.psh", "ps_1_1\ntex t0\nmul r1, t0, v0\nmov r0, r1\n"),
		shaderlift.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range res.Programs[0].Instructions {
		if in.Fate != explain.Kept || in.Why == nil || in.Why.Code != "not-optimized" {
			t.Errorf("%s: %s, %v", in.Text, in.Fate, in.Why)
		}
	}
}

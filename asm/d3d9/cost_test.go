package d3d9

import (
	"encoding/json"
	"testing"
)

// TestMeasure compares slots with sums computed by hand from the tables of the reference pages.
func TestMeasure(t *testing.T) {
	for _, test := range []struct {
		name, src string
		want      Cost
	}{
		{"scalar and macro", "vs_1_1\ndef c0, 0, 0, 0, 0\ndcl_position v0\nexp r0.x, v0.x\nm4x4 oPos, v0, c4\nmov oT0, c[a0.x + 9]\nmov oD0, c5",
			Cost{Slots: 16, Arithmetic: 16, Temps: 1, Constants: 5, Interpolators: 2, Components: 8}},
		{"2.0 texture", "ps_2_0\ndcl t0.xy\ndcl t1\ndcl v0\ndcl_2d s0\ndcl_cube s1\ntexld r0, t0, s0\ntexld r3, t1, s1\nlrp r1, r0, r3, c2\nmov oC0, r1",
			Cost{Slots: 5, Arithmetic: 3, Texture: 2, Temps: 3, Constants: 1, Interpolators: 2, Components: 5, TextureRuns: 1}},
		{"cube and bias", "ps_3_0\ndcl_texcoord v4\ndcl vPos.xy\ndcl_2d s0\ndcl_cube s1\ntexld r0, v4, s1\ntexldb r1, v4, s0\ntexkill r0\ntexldl r2, v4, s1\nadd oC0, r1, vPos.xyxy",
			Cost{Slots: 18, Arithmetic: 1, Texture: 17, Temps: 3, Interpolators: 1, Components: 4, TextureRuns: 2}},
		{"predicate and flow", "vs_3_0\ndcl_position v0\ndcl_position o0\ndcl_fog o1.x\ndcl_color o2\nmov o0, v0\nmov o1.x, c1.x\nsetp_gt p0, v0, c1\nif b0\n(p0) mov o2, c1\nendif",
			Cost{Slots: 9, Arithmetic: 9, Constants: 1, Interpolators: 1, Components: 4}},
		{"relative", "ps_3_0\ndcl_texcoord v0\ndcl_texcoord1 v1\ndcl_color v2\nloop aL, i0\nmov r0, v[aL]\nendloop\nmov oC0, r0",
			Cost{Slots: 7, Arithmetic: 7, Temps: 1, Interpolators: 3, Components: 12}},
		{"luminance", "ps_1_1\ntex t0\ntexbeml t1, t0\ntexbeml t2, t0\nadd r0, t1, t2",
			Cost{Slots: 6, Arithmetic: 3, Texture: 3, Temps: 1, Interpolators: 3, Components: 12, TextureRuns: 1}},
	} {
		if got := Measure(parse(t, test.src)); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

// TestCostJSON fixes the names that scripts read.
func TestCostJSON(t *testing.T) {
	got, err := json.Marshal(Cost{16, 13, 3, 4, 5, 1, 3, 2})
	const want = `{"slots":16,"arithmetic":13,"texture":3,"temps":4,"constants":5,"interpolators":1,"components":3,"texture_runs":2}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}

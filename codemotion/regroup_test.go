package codemotion

import (
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/passes"
)

// The regrouped form leaves fewer pixel slots. Terms that would round differently, or only look alike, stay.
func TestRegrouped(t *testing.T) {
	const vertex = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\ndcl_normal v2\nmov oPos, v0\nmov oT0, v1\nmov oT1.xyz, v2\n"
	for _, test := range []struct {
		name, pixel   string
		before, after int
	}{
		{"factors of the host become one", "texld r0, t0, s0\nmul r0, r0, c0\nmul r0, r0, c1\nmov oC0, r0\n", 4, 3},
		{"and from both sides of a product", "texld r0, t0, s0\ntexld r1, t1, s0\nmul r0, r0, c0\nmul r1, r1, c1\nmul r0, r0, r1\nmov oC0, r0\n", 6, 5},
		{"sums of what is interpolated and of the host",
			"texld r0, t0, s0\nadd r0, r0.w, -t1.x\nadd r0, r0, c1\nmov oC0, r0\n", 4, 3},
		{"quotients by what is interpolated", "rcp r0.w, t0.w\nmul r0.xy, r0.w, t0\nmad r0.xy, r0, c8, c8.x\nadd r0.xy, r0, c2\ntexld r0, r0, s0\nmov oC0, r0\n", 6, 4},
		{"a clamp is not affine, what it clamps is",
			"texld r0, t0, s0\nmov r1.xyz, c2\ndp3_sat r1.x, t1, r1\nmul r0, r0, r1.x\nmov oC0, r0\n", 5, 4},
		{"literals would round", "texld r0, t0, s0\nmul r0, r0, c9.x\nmul r0, r0, c9.y\nmov oC0, r0\n", 4, 4},
		{"and over what is interpolated", "rcp r0.w, t0.w\nmul r0.xy, r0.w, c9\nmad r0.xy, r0, c9, c9.x\ntexld r0, r0, s0\nmov oC0, r0\n", 5, 5},
		{"products of literals are part of sums",
			"texld r0, t0, s0\nadd r0, r0, -c9.x\nmad r0, r0, c9.y, t0\nmov oC0, r0\n", 4, 3},
		{"unless they are infinite", "texld r0, t0, s0\nadd r0, r0, -c9.z\nmad r0, r0, c9.z, t0\nmov oC0, r0\n", 4, 4},
		{"a square is not affine", "texld r0, t0, s0\nmul r0, r0, t0\nmul r0, r0, t0\nmov oC0, r0\n", 4, 4},
		{"others read the product", "texld r0, t0, s0\nmul r0, r0, c0\nmul r1, r0, c1\nmul r0, r0, r0\nadd r0, r0, r1\nmov oC0, r0\n", 6, 6},
	} {
		t.Run(test.name, func(t *testing.T) {
			vs, err := d3d9.Parse("in.vsh", []byte(vertex))
			if err != nil {
				t.Fatal(err)
			}
			ps, err := d3d9.Parse("in.psh", []byte("ps_2_0\ndef c8, 0.5, -0.5, 0, 0\ndef c9, 0.1, 0.3, 1e30, 0\ndcl t0\ndcl t1.xyz\ndcl_2d s0\n"+test.pixel))
			if err != nil {
				t.Fatal(err)
			}
			s := small{vs, ps}
			for _, slots := range []bool{true, false} {
				report, err := passes.Run(s.unit(t), passes.Pipeline{{Pass: Pass}},
					passes.Config{Numerics: passes.Real, Measure: s.measure, Static: slots, HostMirrored: true})
				if err != nil {
					t.Fatal(err)
				}
				if before, after := report.Before[0], report.After[0]; before != test.before || after != test.after {
					t.Errorf("%d -> %d pixel slots (for slots: %t), want %d -> %d", before, after, slots, test.before, test.after)
				}
			}
		})
	}
}

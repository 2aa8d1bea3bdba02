package draw

import (
	"strings"
	"testing"
)

// TestPreloads checks which fetches and components the GPU reads before it starts a program: two registers, and a fetch
// whose coordinates nothing else reads, unless another register has room for them.
func TestPreloads(t *testing.T) {
	const head = "ps_3_0\ndcl_texcoord v0.xy\ndcl_texcoord1 v1\ndcl_texcoord2 v2\ndcl_texcoord3 v3.xy\ndcl_2d s0\n"
	for name, test := range map[string]struct {
		code                   string
		fetches, interpolation float64
	}{
		"alone":        {"texld r0, v0, s0\nmul r0, r0, v1\nmov oC0, r0\n", 0, 0},
		"third":        {"mul r1, v1, v2\ntexld r0, v0, s0\nmul r0, r1, r0\nmov oC0, r0\n", 1, 6},
		"two readers":  {"texld r0, v0, s0\nmad r0, r0, v1, v0.x\nmov oC0, r0\n", 1, 0},
		"joined":       {"texld r0, v0, s0\nmad r0, r0, v1, v3.x\nmov oC0, r0\n", 1, 3},
		"computed":     {"add r1.xy, v0, c0\ntexld r0, r1, s0\nmov oC0, r0\n", 1, 0},
		"three of two": {"mul r0, v1, v2\nmul r0, r0, v0.x\nmov oC0, r0\n", 0, 3},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := New(nil, nil, parse(t, head+test.code))
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			target, err := ByName("bifrost")
			if err != nil {
				t.Fatal(err)
			}
			p, err := target.Price(d)
			if err != nil {
				t.Fatal(err)
			}
			if p.Pixel[Texture] != test.fetches || p.Pixel[Interpolation] != test.interpolation {
				t.Errorf("%v fetches and %v of interpolation, want %v and %v:\n%s", p.Pixel[Texture], p.Pixel[Interpolation],
					test.fetches, test.interpolation, strings.TrimSpace(test.code))
			}
		})
	}
}

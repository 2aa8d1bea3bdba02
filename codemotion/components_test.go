package codemotion_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/codemotion"
	"github.com/shaderlift/shaderlift/vsps"
)

// TestComponents checks the components that pairs could omit. The vertex programs begin with a position and write
// only the outputs of their case; the pixel programs read t0 to t3 completely, unless the case has its own.
func TestComponents(t *testing.T) {
	const all = "mov r0, t0; add r0, r0, t1; add r0, r0, t2; add r0, r0, t3; mov oC0, r0"
	for _, c := range []struct{ name, vs, ps, want string }{
		{"independent", "mov oT0, v1; mul oT1, v1, v1; mov r2, v0; dp4 oT2.x, r2, v1; mov oT2.yzw, v0", all, ""},
		{"dead", "mov oT0, v1; mov oT1.xyz, v0; mov oT5.xy, v0; mov oD0, v0", "mov r0, t0; mad r0, t1.x, r0, t1.y; mov oC0, r0",
			"oD0.x dead; oD0.y dead; oD0.z dead; oD0.w dead; t1.z dead; oT5.x dead; oT5.y dead"},
		{"read by dead code", "mov oT0, v1; mov oT1.x, v0", "mov r1, t1; mov oC0, t0", "t1.x dead"},
		{"uniform", "mov oT0, v1; rsq r0.x, c1.x; mad oT1.xy, r0.x, c2, r0.x", all, "t1.x uniform; t1.y uniform"},
		{"duplicate", "mov r2, v0; mul r0, r2, v1; mov oT0, r0; mul oT1.xy, r2.yxzw, v1.yxzw", all,
			"t1.x duplicate t0.y; t1.y duplicate t0.x"},
		{"offsets", "add oT0.xy, v1, c0; add oT1.xy, v1, c1; mul oT2.xy, v1, c2", all,
			"t1.x spanned t0.x; t1.y spanned t0.y; t2.x spanned t0.x; t2.y spanned t0.y"},
		{"sum", "mov oT0.xy, v1; mov oT1.xy, v0; add r0.x, v1.x, v1.y; mad oT2.x, v0.y, c1.x, -r0.x", all,
			"t2.x spanned t0.x t0.y t1.y"},
		{"matrices", "dp3 oT0.x, v1, c4; dp3 oT0.y, v1, c5; dp3 oT0.z, v1, c6; dp3 oT1.x, v1, c7", all,
			"t1.x spanned t0.x t0.y t0.z"},
		{"not affine", "mov oT0.x, v1.x; mul oT1.x, v1.x, v1.x; max oT2.x, v1.x, c0.x; abs r0.x, v1.x; mov oT3.x, r0.x", all, ""},
		{"literals", "def c9, 0.5, -3, 0.1, 0; mad oT0.x, v1.x, c9.x, c9.y; mul oT1.x, v1.x, c9.x; add oT2.x, r1.x, c9.y; mov oT3.x, v1.y",
			all, "t1.x spanned t0.x; t2.x duplicate t0.x"},
	} {
		vs, definition := c.vs, ""
		if strings.HasPrefix(vs, "def") {
			definition, vs, _ = strings.Cut(vs, "; ")
			definition += "; "
		}
		p := pair{
			parse(t, "vs_2_0; "+definition+"dcl_position v0; dcl_texcoord v1; mov oPos, v0; mul r1.x, v1.x, c9.x; "+vs),
			parse(t, "ps_2_0; dcl t0; dcl t1; dcl t2; dcl t3; "+c.ps),
		}
		u := p.unit(t)
		link, err := vsps.Link(p.vs, p.ps)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range codemotion.Components(u.Vertex, u.Pixel, link) {
			got = append(got, strings.TrimSpace(fmt.Sprint(x.Name, " ", x.Use, " ", strings.Join(x.From, " "))))
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
	}
}

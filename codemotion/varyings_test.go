package codemotion_test

import (
	"testing"

	"github.com/shaderlift/shaderlift/codemotion"
	"github.com/shaderlift/shaderlift/passes/cleanup"
)

// A register that the pixel program declares but never reads need not be written.
func TestVaryingsDeclaredOnly(t *testing.T) {
	p := pair{
		parse(t, "vs_3_0; dcl_position v0; dcl_texcoord v1; dcl_position o0; dcl_texcoord o1; dcl_texcoord1 o2; mov o0, v0; mov o1, v1; mul o2, v1, c0"),
		parse(t, "ps_3_0; dcl_texcoord v0.xy; dcl_texcoord1 v1; mov oC0, v0.xyxy"),
	}
	q, _, _ := run(t, p, false, codemotion.Varyings)
	if got, want := code(q.vs), "mov o0, v0; mov o1, v1"; got != want {
		t.Errorf("vertex program %s, want %s", got, want)
	}
	if got, want := decls(q.ps), "dcl_texcoord v0.xy"; got != want {
		t.Errorf("pixel program declares %s, want %s", got, want)
	}
	if got, want := decls(q.vs), "dcl_position v0; dcl_texcoord v1; dcl_position o0; dcl_texcoord o1"; got != want {
		t.Errorf("vertex program declares %s, want %s", got, want)
	}
}

// Duplicates of 3.0 are found by semantics, for any registers; a centroid is not a duplicate.
func TestVaryingsMerge30(t *testing.T) {
	const vs = "vs_3_0; dcl_position v0; dcl_texcoord v1; dcl_texcoord5 o0; dcl_position o1; dcl_texcoord2 o4; mov o1, v0; mul r0, v1, c0; mov o0, r0; mov o4, r0"
	for _, c := range []struct{ ps, want string }{
		{"ps_3_0; dcl_texcoord2 v0; dcl_texcoord5 v3; mul r0, v0, c0; mul oC0, r0, v3.wzyx",
			"mul r0, v0, c0; mul oC0, r0, v0.wzyx"},
		{"ps_3_0; dcl_texcoord2 v0; dcl_texcoord5_centroid v3; mul r0, v0, c0; mul oC0, r0, v3.wzyx",
			"mul r0, v0, c0; mul oC0, r0, v3.wzyx"},
	} {
		q, _, _ := run(t, pair{parse(t, vs), parse(t, c.ps)}, false, cleanup.Copyprop, codemotion.Varyings)
		if got := code(q.ps); got != c.want {
			t.Errorf("pixel program %s, want %s", got, c.want)
		}
	}
}

package d3d9_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// TestListings checks that the dialect of vkd3d's listings is read, and written as assembly.
func TestListings(t *testing.T) {
	for _, c := range []struct{ name, listed, want string }{
		{"constants", "vs_3_0\ndef c4 = 1.00000000e+00, -2.50000000e-01, 0.00000000e+00, 3.00000000e+00\ndefi i1 = 4, 0, 1, 0\ndefb b2 = true\nmov o0, c[a0.x + 4]\n",
			"vs_3_0\ndef c4, 1, -0.25, 0, 3\ndefi i1, 4, 0, 1, 0\ndefb b2, true\nmov o0, c[a0.x + 4]\n"},
		{"absolute values", "ps_3_0\ndcl_texcoord0 v0\nmad oC0, |v0.x|, -|c0|, v0\n",
			"ps_3_0\ndcl_texcoord0 v0\nmad oC0, v0_abs.x, -c0_abs, v0\n"},
		{"branches", "ps_3_0\nloop aL, i0\nifc_gt r0.x, c0.x\nbreakc_le r0.x, c0.y\nendif\nendloop\nmov oC0, c0\n",
			"ps_3_0\nloop aL, i0\nif_gt r0.x, c0.x\nbreak_le r0.x, c0.y\nendif\nendloop\nmov oC0, c0\n"},
		{"textures", "ps_1_1\ntexld t0\ntexcoord t1\nmul r0, t0, t1\n", "ps_1_1\ntex t0\ntexcoord t1\nmul r0, t0, t1\n"},
		{"textures of 1.4", "ps_1_4\ntexld r0, t0\ntexcoord r1.xyz, t1\nmul r0, r0, r1\n",
			"ps_1_4\ntexld r0, t0\ntexcrd r1.xyz, t1\nmul r0, r0, r1\n"},
		{"of fxc", "//\n// Registers:\n//\n//   Name         Reg   Size\n\n    ps_2_0\n    def c0, 1.#INF, -1.#IND, 0, 1\n    mov r0, c0  // r0<0,1,2,3>\n\n#line 12 \"C:\\shaders\\a.fx\"\n    mov oC0, r0  // ::main<0,1,2,3>\n\n// approximately 2 instruction slots used\n", ""},
	} {
		p, err := d3d9.Parse("listing", []byte(c.listed))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		want := c.want
		if want == "" { // it is assembly already
			want = c.listed
		}
		if diff := cmp.Diff(want, string(d3d9.Print(p))); diff != "" {
			t.Errorf("%s: it is written as\n%s", c.name, diff)
		}
		if p.Insts[0].Op == d3d9.OpDef && strings.Contains(c.listed, "#INF") {
			if diff := cmp.Diff([4]uint32{0x7f800000, 0xffc00000, 0, 0x3f800000}, p.Insts[0].Imm); diff != "" {
				t.Error(diff)
			}
		}
	}
	for _, wrong := range []string{"def c0 == 1, 2, 3, 4\n", "def c0, = 1, 2, 3, 4\n", "mov r0, |c0\n",
		"mov r0, |c0_abs|\n", "mov r0, |-c0|\n", "def c0, 1.#, 0, 0, 0\n", "def c0, 1.#FOO, 0, 0, 0\n", "mov |r0|, c0\n"} {
		if p, err := d3d9.Parse("wrong", []byte("ps_3_0\n"+wrong)); err == nil {
			t.Errorf("%q is read as\n%s", wrong, d3d9.Print(p))
		}
	}
}

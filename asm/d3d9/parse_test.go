package d3d9

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm"
)

// parse parses a valid text.
func parse(t testing.TB, src string) *Program {
	t.Helper()
	p, err := Parse("test.sh", []byte(src))
	if err != nil {
		t.Fatalf("%v\nin\n%s", err, src)
	}
	if got := string(Print(p)); got != src {
		t.Fatalf("printing it untouched gives\n%q\nwant\n%q", got, src)
	}
	return p
}

// canonical returns the canonical text of the statements, one per line.
func canonical(p *Program) string {
	var b strings.Builder
	for i := range p.Insts {
		fmt.Fprintln(&b, Format(p.Model, &p.Insts[i]))
	}
	return b.String()
}

// TestSpellings checks that different spellings of a statement have the same canonical form, and
// that the text keeps each spelling.
func TestSpellings(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"VS.1.1\r\n\r\nMOV  R0.XY , C[ 2+a0.x + 1 ].RG\t; x\r\n", "mov r0.xy, c[a0.x + 3].xyyy\n"},
		{"vs_1_1 mov r0,c[1+2]mov r1,c3[4]", "mov r0, c3\nmov r1, c7\n"},
		{"vs_2_0\nmov r0, c3[aL] // loop\nmova a0.xy, r1", "mov r0, c[aL + 3]\nmova a0.xy, r1\n"},
		{"vs_2_0 mov r0, c0[a0.zzzz] mov r0, c0[a0]", "mov r0, c[a0.z]\nmov r0, c[a0]\n"},
		{"vs_3_0\nmov o[aL+1].xyz, v[aL + 2].wzyx", "mov o[aL + 1].xyz, v[aL + 2].wzyx\n"},
		{"vs_3_0 mov r0, -c_abs[a0.x] mov r0, -c[a0.x]_abs.y", "mov r0, -c[a0.x]_abs\nmov r0, -c[a0.x]_abs.y\n"},
		{"vs_1_1 mov oFog.x, c0.x mov oFog, c0.x mov oPts, c0.x mov oPos, v0",
			"mov oFog.x, c0.x\nmov oFog, c0.x\nmov oPts, c0.x\nmov oPos, v0\n"},
		{"ps_2_0 mad_sat_pp r0, r1, r2, r3 mad_pp_sat r0, r1, r2, r3",
			"mad_sat_pp r0, r1, r2, r3\nmad_sat_pp r0, r1, r2, r3\n"},
		{"ps_1_3\nmov_sat_x2 r0, 1 - r1 mov_x2_sat r0, -r1_bx2.a", "mov_x2_sat r0, 1-r1\nmov_x2_sat r0, -r1_bx2.w\n"},
		{"ps_1_4 texld r1, t0_da.xyw\nphase\ntexcrd r0.rgb, t1_DW.xyw\ntexld r2, r0_db",
			"texld r1, t0_dw.xyww\nphase\ntexcrd r0.xyz, t1_dw.xyww\ntexld r2, r0_dz\n"},
		{"ps_1_1 tex t0\nmul r0.rgb, t0, v0\n  + mov r0.a, t0.a", "tex t0\nmul r0.xyz, t0, v0\n+mov r0.w, t0.w\n"},
		{"ps_3_0 setp_le p0.xy, r0, r1 ( ! p0.x ) mov r0, r1 (p0) texld r0, r1, s0",
			"setp_le p0.xy, r0, r1\n(!p0.x) mov r0, r1\n(p0) texld r0, r1, s0\n"},
		{"ps_3_0 dcl_texcoord0 v0 dcl_color1_centroid_pp v1.xyz dcl vPos.xy dcl vFace dcl_cube_pp s15",
			"dcl_texcoord v0\ndcl_color1_pp_centroid v1.xyz\ndcl vPos.xy\ndcl vFace\ndcl_cube_pp s15\n"},
		{"ps_2_x if b0 if_lt r0.x, c0.x rep i0 break break_ge r0.x, r0.y endrep else endif endif",
			"if b0\nif_lt r0.x, c0.x\nrep i0\nbreak\nbreak_ge r0.x, r0.y\nendrep\nelse\nendif\nendif\n"},
		{"vs_2_0 def c0, 1.0f, -.5, 0, -0 defi i0, -1, 0x10, - 3, 2147483647 defb b0, TRUE",
			"def c0, 1, -0.5, 0, -0\ndefi i0, -1, 16, -3, 2147483647\ndefb b0, true\n"},
		{"ps_2_0 mov r0, /* not\nr1 */ r2 /* end", ""},
		{"\ufeff// by hand\n/* long\n*/ #line 3\n", ""},
		{"vs_1_1 mov r0, \\\n r1", "mov r0, r1\n"},
		{"vs_1_1 mov r0, // so\n r1", "mov r0, r1\n"},
	} {
		if c.want == "" {
			if _, err := Parse("", []byte(c.src)); err == nil {
				t.Errorf("%q must be refused", c.src)
			}
			continue
		}
		if got := canonical(parse(t, c.src)); got != c.want {
			t.Errorf("%q means\n%swant\n%s", c.src, got, c.want)
		}
	}
}

func TestLeads(t *testing.T) {
	p := parse(t, "// head\r\nvs_1_1 // first\r\n  mov r0, c0; a\r\n\tadd r0 , r0, c1 ;b\r\n; end")
	if want := "// head\r\nvs_1_1"; p.Head != want {
		t.Errorf("head %q, want %q", p.Head, want)
	}
	for i, want := range [][2]string{{" // first\r\n  ", "mov r0, c0"}, {"; a\r\n\t", "add r0 , r0, c1"}} {
		if in := p.Insts[i]; in.Lead != want[0] || in.Text != want[1] {
			t.Errorf("statement %d is %q %q, want %q", i, in.Lead, in.Text, want)
		}
	}
	if pos := p.Insts[1].Pos; pos.Line != 4 || pos.Col != 2 || pos.File != "test.sh" {
		t.Errorf("the second statement is at %s", pos)
	}
	if want := " ;b\r\n; end"; p.Tail != want {
		t.Errorf("tail %q, want %q", p.Tail, want)
	}
}

// TestTextEnd checks that terminators of old editors after a text are kept and ignored.
func TestTextEnd(t *testing.T) {
	for _, tail := range []string{"\x1a", "\n\x1a", " // c\r\n\x1a\x1a", "\n\x00", "\x00\n\x1a\r\n"} {
		src := "vs_1_1\nmov r0, c0" + tail
		p := parse(t, src)
		if p.Tail != tail || len(p.Insts) != 1 {
			t.Errorf("the tail of %q is %q", src, p.Tail)
		}
		if got := string(Print(p)); got != src {
			t.Errorf("%q is printed as %q", src, got)
		}
		if !IsText([]byte(src)) {
			t.Errorf("%q is not recognized", src)
		}
	}
	for src, want := range map[string]string{
		"vs_1_1\nmov r0, c0\n\x1amov r1, c0\x1a": "3:1 syntax",
		"\x1a":                                   "1:2 no-version",
	} {
		if got := codes(t, src); got != want {
			t.Errorf("%q is told to be wrong at %q, want %q", src, got, want)
		}
	}
}

// codes returns the diagnostics of a text as line:col code.
func codes(t *testing.T, src string) string {
	t.Helper()
	_, err := Parse("", []byte(src))
	var ds asm.Diags
	if err != nil && !errors.As(err, &ds) {
		t.Fatalf("the error is %T", err)
	}
	var list []string
	for _, d := range ds {
		list = append(list, fmt.Sprintf("%d:%d %s", d.Pos.Line, d.Pos.Col, d.Code))
	}
	return strings.Join(list, "; ")
}

func TestDiagnostics(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"", "1:1 no-version"},
		{"\n  vs_9_9", "2:3 unknown-version"},
		{"vs_1_1\nfoo r0, r1\nmov r0, q1\nmov r0, r1", "2:1 unknown-opcode; 3:9 unknown-register"},
		{"vs_1_1\nmov r0\nmov r1,\nmov r2, r3", "2:5 operand-count; 4:1 unknown-register"},
		{"vs_1_1\nmov r0, r1, r2\nnop r1", "2:11 operand-count; 3:5 syntax"},
		{"vs_1_1\nmov r0, r1 r2\nadd r0, r1, r2", "2:12 syntax"},
		{"vs_1_1\nmov r32, r1\nmov r0, c[8192]\nmov r0, c[99999]", "2:5 register-range; 3:9 register-range; 4:11 syntax"},
		{"vs_1_1\nmov r0, c[aL]\nmov r0, c[a0]\nmov r0, r[a0.x]\nmov r0, c[r0]",
			"2:9 relative-address; 3:9 index-component; 4:9 relative-address; 5:11 relative-address"},
		{"vs_2_0\nmov r0, c[aL.x]\nmov r0, oPos[1]\nmov r0, c[1\nmov r0, c",
			"2:11 index-component; 3:9 relative-address; 4:11 syntax; 5:9 unknown-register"},
		{"vs_1_1\nmov r0.yx, r1\nmov r0.xx, r1\nmov r0.q, r1\nmov r0.xyzwx, r1\nmov r0., r1",
			"2:7 write-mask; 3:7 write-mask; 4:8 components; 5:8 components; 6:8 syntax"},
		{"vs_1_1\nmov_sat r0, r1\nmov_pp r0, r1\nmov_x2 r0, r1\nmov_no r0, r1\nmov_x2_x2 r0, r1",
			"2:9 modifier-not-in-model; 3:8 modifier-not-in-model; 4:8 modifier-not-in-model; 5:1 unknown-suffix; 6:1 unknown-suffix"},
		{"vs_1_1\nmov r0, r1_abs\nmov r0, 1-r1\nmov r0, 2-r1\nmov r0, !r1\nmov r0_x2, r1",
			"2:9 modifier-not-in-model; 3:9 modifier-not-in-model; 4:9 syntax; 5:9 modifier-not-in-model; 6:5 destination-modifier"},
		{"vs_1_1\nsetp_gt p0, r0, r1\n(p0) mov r0, r1\n+mov r0, r1\nmov_gt r0, r1",
			"2:1 op-not-in-model; 3:2 register-not-in-model; 4:1 co-issue; 5:1 comparison"},
		{"ps_3_0\n(p0) ret\n(r0) mov r0, r1\n(p0 mov r0, r1\nif_xx r0, r1\nsetp p0, r0, r1",
			"2:1 predicate; 3:1 predicate; 4:5 syntax; 5:1 unknown-suffix; 6:1 comparison"},
		{"vs_1_1\ndcl v0\ndcl_2d v0\ndcl_position r0\ndcl_position16 v0\ndcl_position_sat v0\ndcl_foo v0",
			"2:1 declaration; 3:1 declaration; 4:14 declaration; 5:1 declaration; 6:18 declaration; 7:1 unknown-suffix"},
		{"ps_2_0\ndcl_texcoord t0\ndcl_position s0\ndcl r0", "2:1 declaration; 3:1 declaration; 4:5 declaration"},
		{"vs_2_0\ndef c0, 1, 2, 3\ndef c0, 1, 2, 3, 4, 5\ndef i0, 1, 2, 3, 4\ndef c0.x, 1, 2, 3, 4\ndef c0, 1, 2, 3, 1e99\ndefi i0, 1.5, 0, 0, 0\ndefb b0, 2\ndefi i0, 1, 2, 3, 2147483648",
			"2:15 operand-count; 3:19 operand-count; 4:5 declaration; 5:5 declaration; 6:18 number; 7:10 number; 8:10 syntax; 9:19 number"},
		{"vs_1_1\n#include \"x\"\n#if 1\n#foo\nmov r0, # r1",
			"2:1 include; 4:1 unknown-directive; 5:9 syntax; 3:1 condition"},
		{"#define r0 r1\n#define\n#define mov add\n#define xy yx\nvs_1_1", "2:1 macro"},
		{"#define TWO mov r0, r1 mov r1, q0\nvs_1_1\n TWO\nmov r0,\n#define SRC r1\nSRC", "3:2 unknown-register"},
		{"ps_2_0\n//! comment 1234567\n//! comment 00000000 xyz\nmov r0, r1 /*",
			"2:13 comment-word; 3:22 comment-word; 4:12 unterminated-comment"},
		{"ps_2_0\nmov r0, \x00\n@\n(", "2:9 syntax; 3:1 syntax; 4:1 syntax"},
		{"ps_2_0\n" + strings.Repeat("foo\n", 100),
			strings.TrimSuffix(strings.Repeat("%d:1 unknown-opcode; ", maxDiags), "; ")},
	} {
		want := c.want
		for line := 2; strings.Contains(want, "%d"); line++ {
			want = strings.Replace(want, "%d", fmt.Sprint(line), 1)
		}
		if got := codes(t, c.src); got != want {
			t.Errorf("%.80q gives\n  %s\nwant\n  %s", c.src, got, want)
		}
	}
}

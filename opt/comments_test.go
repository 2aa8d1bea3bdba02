package opt

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
)

// Comments stay with their statements when others go, come, change or move.
func TestKeepComments(t *testing.T) {
	const src = "// head\nps_2_0 // version\ndcl t0 // input\n\n// first\nmul r0, t0, t0 // product\n" +
		"  // second\n  add r1, t0, t0 // sum\nmov oC0, r0 // out\n// tail\n"
	parse := func(newline string) *d3d9.Program {
		p, err := d3d9.Parse("p", []byte(strings.ReplaceAll(src, "\n", newline)))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	changed := func(in d3d9.Inst) d3d9.Inst {
		in.Src[0].Mod = d3d9.ModNeg
		in.Lead, in.Text = "", ""
		return in
	}
	fresh := func(in d3d9.Inst) d3d9.Inst {
		in.Lead, in.Text, in.Pos.Line = "", "", 0
		return in
	}
	for _, test := range []struct {
		name string
		edit func(s []d3d9.Inst) []d3d9.Inst
		want string
	}{
		{"nothing", func(s []d3d9.Inst) []d3d9.Inst { return s }, src},
		{"one goes", func(s []d3d9.Inst) []d3d9.Inst { return []d3d9.Inst{s[0], s[1], s[3]} },
			"// head\nps_2_0 // version\ndcl t0 // input\n\n// first\nmul r0, t0, t0 // product\nmov oC0, r0 // out\n// tail\n"},
		{"the last goes", func(s []d3d9.Inst) []d3d9.Inst { return s[:2] },
			"// head\nps_2_0 // version\ndcl t0 // input\n\n// first\nmul r0, t0, t0 // product\n// tail\n"},
		{"one changes", func(s []d3d9.Inst) []d3d9.Inst { return []d3d9.Inst{s[0], s[1], changed(s[2]), s[3]} },
			"// head\nps_2_0 // version\ndcl t0 // input\n\n// first\nmul r0, t0, t0 // product\n  // second\n  add r1, -t0, t0 // sum\nmov oC0, r0 // out\n// tail\n"},
		{"one comes", func(s []d3d9.Inst) []d3d9.Inst { return []d3d9.Inst{s[0], fresh(changed(s[1])), s[1], s[3]} },
			"// head\nps_2_0 // version\ndcl t0 // input\nmul r0, -t0, t0\n\n// first\nmul r0, t0, t0 // product\nmov oC0, r0 // out\n// tail\n"},
		{"one is made anew", func(s []d3d9.Inst) []d3d9.Inst { return []d3d9.Inst{s[0], s[1], s[2], fresh(s[3])} }, src},
		{"two change places", func(s []d3d9.Inst) []d3d9.Inst { return []d3d9.Inst{s[0], s[2], s[1], s[3]} },
			"// head\nps_2_0 // version\ndcl t0 // input\n  // second\n  add r1, t0, t0 // sum\n\n// first\nmul r0, t0, t0 // product\nmov oC0, r0 // out\n// tail\n"},
	} {
		for _, newline := range []string{"\n", "\r\n"} {
			orig, out := parse(newline), parse(newline)
			out.Insts = test.edit(out.Insts)
			transferComments(orig, out)
			want := strings.ReplaceAll(test.want, "\n", newline)
			if got := string(d3d9.Print(out)); got != want {
				t.Errorf("%s:\n%q, want\n%q", test.name, got, want)
			}
		}
	}
}

// The same in a kernel, whose comments begin with a semicolon.
func TestKeepKernelComments(t *testing.T) {
	const src = "il_ps_2_0 ; head\ndcl_output_generic o0 ; output\nmov r0, r1 ; dead\n; first\nmov r1, r0 ; move\n  mov o0, r1 ; out\nend\n; tail\n"
	parse := func() *il.Kernel {
		k, err := il.Parse("k", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	orig, out := parse(), parse()
	s := out.Insts
	s[2].Src[0].Num, s[2].Lead, s[2].Text = 2, "", ""
	out.Insts = []il.Inst{s[0], s[2], s[3], s[4]}
	transferKernelComments(orig, out)
	const want = "il_ps_2_0 ; head\ndcl_output_generic o0 ; output\n; first\nmov r1, r2 ; move\n  mov o0, r1 ; out\nend\n; tail\n"
	if got := string(il.Print(out)); got != want {
		t.Errorf("%q, want\n%q", got, want)
	}
}

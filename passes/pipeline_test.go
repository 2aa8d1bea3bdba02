package passes_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/passes"
)

var table = []*passes.Pass{
	{Name: "break-deps"},
	{Name: "regalloc", Options: []passes.Option{{Name: "temps", Default: "12"}}},
	{Name: "unroll", Options: []passes.Option{{Name: "factor", Default: "2"}, {Name: "full", Default: "false"},
		{Name: "style", Default: "peel"}}},
	{Name: "group-fetches", Options: []passes.Option{{Name: "window", Default: "auto", Words: []string{"auto", "all"},
		Number: true, Least: 1}}},
}

func TestParse(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"", ""},
		{" ", ""},
		{"break-deps", "break-deps"},
		{"unroll{factor=4},break-deps,regalloc{temps=12}", "unroll{factor=4},break-deps,regalloc{temps=12}"},
		{" unroll { full = true , factor=1 }\n, unroll", "unroll{full=true,factor=1},unroll"},
		{"unroll{}", "unroll"},
		{"unroll{style=x_1.5}", "unroll{style=x_1.5}"},
		{"group-fetches{window=all},group-fetches{window=24}", "group-fetches{window=all},group-fetches{window=24}"},
	} {
		p, err := passes.Parse(test.src, table)
		if err != nil {
			t.Errorf("%q: %v", test.src, err)
		} else if p.String() != test.want {
			t.Errorf("%q: %q, want %q", test.src, p, test.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"unrol", `<pipeline>:1:1: unknown pass "unrol"; did you mean "unroll"? [unknown-pass]`},
		{"break-deps,", `<pipeline>:1:12: expected the name of a pass [pipeline-syntax]`},
		{",", `<pipeline>:1:1: expected the name of a pass [pipeline-syntax]`},
		{"break-deps\n  unroll", `<pipeline>:2:3: unexpected 'u' (want a comma between passes) [pipeline-syntax]`},
		{"unroll{factor}", `<pipeline>:1:14: factor wants = [pipeline-syntax]`},
		{"unroll{factor=}", `<pipeline>:1:15: expected the value of factor [pipeline-syntax]`},
		{"unroll{factor=4", `<pipeline>:1:16: the settings of unroll want , or } [pipeline-syntax]`},
		{"unroll{factor=four}", `<pipeline>:1:15: unroll: factor wants a whole number from 0 on, not "four" [bad-option]`},
		{"group-fetches{window=most}", `<pipeline>:1:22: group-fetches: window wants a number from 1 on, auto or all, not "most" [bad-option]`},
		{"group-fetches{window=0}", `<pipeline>:1:22: group-fetches: window wants a number from 1 on, auto or all, not "0" [bad-option]`},
		{"unroll{full=1}", `<pipeline>:1:13: unroll: full wants true or false, not "1" [bad-option]`},
		{"unroll{temps=4}", `<pipeline>:1:8: unroll has no option "temps" [unknown-option]`},
		{"unroll{factor=4,factor=4}", `<pipeline>:1:17: factor is set twice [repeated-option]`},
	} {
		_, err := passes.Parse(test.src, table)
		var diag *asm.Diag
		if !errors.As(err, &diag) || err.Error() != test.want {
			t.Errorf("%q: %v, want %s", test.src, err, test.want)
		}
	}
}

// Options reach the pass; unset ones have their defaults.
func TestOptions(t *testing.T) {
	var got string
	p := &passes.Pass{Name: "p", Options: []passes.Option{{Name: "n", Default: "3"}, {Name: "b", Default: "false"},
		{Name: "w", Default: "x"}}}
	p.Run = func(c *passes.Ctx, _ *passes.Unit) error {
		got = strings.Repeat("n", c.Int("n")) + c.Option("w")
		if c.Bool("b") {
			got += "b"
		}
		return nil
	}
	for src, want := range map[string]string{"p": "nnnx", "p{n=1,b=true,w=y}": "nyb"} {
		pl, err := passes.Parse(src, []*passes.Pass{p})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := passes.Run(lift(t, program), pl, passes.Config{}); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", src, got, err, want)
		}
	}
}

// String writes a parsed pipeline so that Parse reads the same one.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"unroll{factor=4},break-deps", "regalloc{temps=12} , regalloc", "unroll{", "\n,{}="} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		p, err := passes.Parse(src, table)
		if err != nil {
			var diag *asm.Diag
			if !errors.As(err, &diag) || diag.Pos.Col < 1 || diag.Pos.Line < 1 || diag.Code == "" {
				t.Fatalf("%q: error %#v", src, err)
			}
			return
		}
		again, err := passes.Parse(p.String(), table)
		if err != nil || cmp.Diff(p.String(), again.String()) != "" {
			t.Fatalf("%q: %q reads as %q, %v", src, p, again, err)
		}
	})
}

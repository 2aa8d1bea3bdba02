package wine_test

import (
	"strings"
	"testing"

	"github.com/shaderlift/shaderlift/bench/wine"
)

// misread lists pairs that Wine misreads, and equivalent pairs that it draws correctly.
var misread = []struct{ what, vertex, pixel, plainVertex, plainPixel string }{
	{
		"a subroutine", passVS, "ps_3_0\ndcl_texcoord v0\ncall l0\nmov oC0, r0\nret\nlabel l0\nmul r0, v0, v0\nret\n",
		passVS, "ps_3_0\ndcl_texcoord v0\nmul r0, v0, v0\nmov oC0, r0\n",
	},
	{
		"a register of two usages", "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1.xy\ndcl_texcoord1 o1.zw\nmov o0, v0\nmov o1, v1\n",
		"ps_3_0\ndcl_texcoord v0.xy\ndcl_texcoord1 v0.zw\nmov oC0, v0\n",
		passVS, "ps_3_0\ndcl_texcoord v0\nmov oC0, v0\n",
	},
	{
		"a co-issued pair whose second instruction reads the result of the first", "vs_1_1\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oD0, v1\n",
		"ps_1_1\ndef c0, 0.25, 0.25, 0.25, 0.25\nmov r0, v0\nadd r0.xyz, r0, c0\n+mov r0.w, r0.z\n",
		"vs_1_1\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oD0, v1\n",
		"ps_1_1\ndef c0, 0.25, 0.25, 0.25, 0.25\nmov r0, v0\nmov r1.w, r0.z\nadd r0.xyz, r0, c0\n+mov r0.w, r1.w\n",
	},
}

const misreadCase = `size 8 8
clear 9 9 9 9
attr position 0 2  -0.5 0.5  0.5 0.5  -0.5 -0.5  0.5 -0.5
attr texcoord 0 4  0.1 0.2 0.3 0.6  0.2 0.2 0.3 0.7  0.1 0.4 0.3 0.6  0.2 0.4 0.3 0.6
`

// Misread recognizes the misread pairs and not the equivalent ones.
func TestMisread(t *testing.T) {
	for _, m := range misread {
		if got := wine.Misread(wine.Programs{Vertex: parse(t, m.vertex), Pixel: parse(t, m.pixel)}); got != m.what {
			t.Errorf("%q is taken for %q", m.what, got)
		}
		if got := wine.Misread(wine.Programs{Vertex: parse(t, m.plainVertex), Pixel: parse(t, m.plainPixel)}); got != "" {
			t.Errorf("%q without it is taken for %q", m.what, got)
		}
	}
}

// TestWineMisreads checks that Wine draws the misread pairs unlike the interpreter, and the equivalent pairs
// like it. Wine refuses programs that it does not translate.
func TestWineMisreads(t *testing.T) {
	asked(t)
	c := parseCase(t, misreadCase)
	var subjects []wine.Subject
	for _, m := range misread {
		plain := wine.Programs{Vertex: parse(t, m.plainVertex), Pixel: parse(t, m.plainPixel)}
		subjects = append(subjects, wine.Subject{Before: wine.Programs{Vertex: parse(t, m.vertex),
			Pixel: parse(t, m.pixel)}, After: &plain, Case: c})
	}
	for _, untranslated := range []string{
		"ps_3_0\ndcl_texcoord v0\nsetp_gt p0, v0, v0.y\nmov oC0, v0\n",
		"ps_3_0\ndcl_texcoord v0\nsetp_gt p0, v0, v0.y\nmov r0, v0\n(p0) add r0, r0, r0\nmov oC0, r0\n",
	} {
		subjects = append(subjects, wine.Subject{Before: wine.Programs{Vertex: parse(t, passVS),
			Pixel: parse(t, untranslated)}, Case: c})
	}
	r := start(t, 3)
	outcomes, err := r.Check(subjects)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range outcomes {
		switch {
		case i >= len(misread):
			if o.Err == nil || !strings.Contains(o.Err.Error(), "not translated") {
				t.Errorf("a predicate is drawn: %v, %+v", o.Err, o.Before)
			}
		case o.Err != nil:
			t.Errorf("%s: %v", misread[i].what, o.Err)
		case o.Before.Wrong == 0:
			t.Errorf("%s is not misread: %+v", misread[i].what, o.Before)
		case o.After.Wrong > 0 || o.After.Close != o.After.Compared:
			t.Errorf("without %s: %+v", misread[i].what, o.After)
		}
	}
}

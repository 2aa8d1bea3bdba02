package main

import (
	"testing"

	"github.com/shaderlift/shaderlift"
)

func TestOptimize(t *testing.T) {
	for in, want := range map[string]string{
		"ps_2_0\ndef c0, 2, 0, 0, 0\ndcl t0\nmul r0, t0, c0.x\nmov oC0, r0\n":  "ps_2_0\ndcl t0\nadd r0, t0, t0\nmov oC0, r0\n// changed, proved-real\n",
		"ps_2_0\ndef c0, 3, 0, 0, 0\ndcl t0\nmul r0, t0, c0.x\nmov oC0, r0\n":  "",
		"ps_2_0\ndef c0, 2, 0, 0, 0\ndcl t0\nmul r0, t0, -c0.x\nmov oC0, r0\n": "",
	} {
		got, err := optimize(shaderlift.File{Name: "a.psh", Data: []byte(in)})
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = in + "// unchanged, proved\n"
		}
		if got != want {
			t.Errorf("%s becomes\n%swant\n%s", in, got, want)
		}
	}
}

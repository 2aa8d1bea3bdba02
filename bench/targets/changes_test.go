package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRead checks that counts of a compiler are combined with the prices of its target.
func TestRead(t *testing.T) {
	dirs := map[string]string{"was": "add r0, v0, c0\nmul oC0, r0, r0\n", "is": "mul oC0, v0, v0\n"}
	root := t.TempDir()
	for name, code := range dirs {
		folder := filepath.Join(root, name)
		if err := os.Mkdir(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string]string{
			"a.vsh": "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1\nmov o0, v0\nmov o1, v1\n",
			"a.psh": "ps_3_0\ndcl_texcoord v0\n" + code,
		} {
			if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	row := func(judge, before, after string) string {
		return strings.Join([]string{filepath.Join(root, "was"), filepath.Join(root, "is"), judge, "pixel", before, after},
			"\t") + "\n"
	}
	got, err := read(strings.NewReader(row("navi21", "16", "12")+row("RV670", "4", "4")), newPricer().price)
	if err != nil {
		t.Fatal(err)
	}
	c := got[key{"navi21", "pixel"}]
	if len(c) != 1 || c[0].judged() != -0.25 || c[0].priceWas-c[0].priceIs != 4 {
		t.Errorf("navi21: %+v", c)
	}
	if c := got[key{"RV670", "pixel"}]; len(c) != 1 || c[0].judged() != 0 || c[0].priceIs >= c[0].priceWas {
		t.Errorf("RV670: %+v", c)
	}
	if _, err := read(strings.NewReader(row("nobody", "1", "1")), newPricer().price); err == nil {
		t.Error("counts of an unknown compiler are accepted")
	}
}

func TestSummary(t *testing.T) {
	list := []change{{100, 90, 50, 40}, {100, 100, 50, 50}, {100, 120, 50, 55}, {10, 11, 5, 5}}
	got := summary(list)
	if want := "4 | 0.95 | 1.00 | 3 | 1.00 | 3 | 1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if math.Abs(list[0].predicted()+0.2) > 1e-12 {
		t.Error(list[0].predicted())
	}
}

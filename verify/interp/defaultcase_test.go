package interp

import (
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// TestFlat checks the detection of draws that have no area under any constants.
func TestFlat(t *testing.T) {
	for _, tt := range []struct {
		name, position string
		flat           bool
	}{
		{"as it comes", "mov oPos, v0", false},
		{"a matrix", "m4x4 oPos, v0, c0", false},
		{"out of view", "add oPos, v0, c8.x", false},
		{"a point", "mov oPos, c0", true},
		{"a line", "mov oPos, v0.xxzw", true},
		{"behind", "mul oPos, v0, c9.xxxy", true},
	} {
		vs, err := d3d9.Parse("flat.vsh", []byte("vs_2_0\ndcl_position v0\ndef c8, 100, 0, 0, 0\ndef c9, 1, -1, 0, 0\n"+
			tt.position+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		ps, err := d3d9.Parse("flat.psh", []byte("ps_2_0\ndef c0, 1, 1, 1, 1\nmov r0, c0\nmov oC0, r0\n"))
		if err != nil {
			t.Fatal(err)
		}
		v, err := Compile(vs)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Compile(ps)
		if err != nil {
			t.Fatal(err)
		}
		flat := true
		for style := range flatStyles {
			flat = flat && defaultDraw(vs, ps, v, p, style).isFlat(v, p)
		}
		if flat != tt.flat {
			t.Errorf("%s: flat is %v", tt.name, flat)
		}
	}
}

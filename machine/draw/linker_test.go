package draw

import (
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// What drivers for OpenGL know of literals that the vertex program sends: of coordinates that
// OpenGL has a name for, only the 0 and 1 in their last components.
func TestNamed(t *testing.T) {
	for _, c := range []struct {
		code string
		want int // components that have to be interpolated
	}{
		{"dcl_texcoord0", 2},
		{"dcl_texcoord3", 2},
		{"dcl_texcoord4", 0},
		{"dcl_normal0", 0},
	} {
		vs := parse(t, "vs_3_0\ndcl_position v0\ndcl_position o0\n"+c.code+" o1\ndef c0, 0.25, 0.5, 0, 1\nmov o0, v0\nmov o1, c0\n")
		ps := parse(t, "ps_3_0\n"+c.code+" v0\nmul r0, v0, c0\nmov oC0, r0\n")
		d, err := New(nil, vs, ps)
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		p := d.view(vectorial).pixel
		for i := range p.nodes {
			if p.live[i] && p.nodes[i].kind == input && d3d9.File(p.nodes[i].reg.File) == d3d9.Input {
				got++
			}
		}
		if got != c.want {
			t.Errorf("%s: %d components are interpolated, not %d", c.code, got, c.want)
		}
	}
}

// Of two products that are added the one that was computed with the sum is taken along.
func TestFusedProduct(t *testing.T) {
	d, err := New(nil, nil, parse(t, "ps_2_0\ndcl t0\ndcl t1\nmul r0, t0, c0\nmad r0, t1, c1, r0\nmov oC0, r0\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := d.view(apart).pixel
	for i, fused := range s.fused {
		if n := &s.nodes[i]; n.kind == mul && s.live[i] && fused != (n.vector == 2) {
			t.Errorf("node %d of instruction %d is fused: %v", i, n.vector, fused)
		}
	}
}

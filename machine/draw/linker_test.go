package draw

import (
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// TestNamed checks the knowledge of OpenGL drivers about literals from the vertex program. For
// coordinates with an OpenGL name they know only 0 and 1 in the last components.
func TestNamed(t *testing.T) {
	for _, c := range []struct {
		code string
		want int // components that must be interpolated
	}{
		{"dcl_texcoord0", 2},
		{"dcl_texcoord3", 2},
		{"dcl_texcoord4", 0},
		{"dcl_normal0", 0},
	} {
		vs := parse(t, "vs_3_0\ndcl_position v0\ndcl_position o0\n"+c.code+
			" o1\ndef c0, 0.25, 0.5, 0, 1\nmov o0, v0\nmov o1, c0\n")
		ps := parse(t, "ps_3_0\n"+c.code+" v0\nmul r0, v0, c0\nmov oC0, r0\n")
		d, err := New(nil, vs, ps)
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		p := d.programsFor(vectorial).pixel
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

// TestTellsNothing checks that a pixel program without information about its inputs is the separate
// one, and is not built again.
func TestTellsNothing(t *testing.T) {
	for code, alone := range map[string]bool{
		"mov o1, v1":                  true,
		"mul o1, v1, c0":              true,
		"mov o1, v1\nmov o1.y, c1.x":  false, // a literal
		"mov o1, v1\nmov o1.y, c0.x":  false, // a host constant
		"mov o1, v1\nmov o1.y, v1.x":  false, // equal components
		"mov o1, v1\nrcp o1.y, c0.x":  false, // equal at all vertices
		"mov o1, v1\nmov o1.y, -v1.x": true,
	} {
		vs := parse(t, "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord5 o1\ndef c1, 0.25, 0.5, 0, 1\nmov o0, v0\n"+code+"\n")
		d, err := New(nil, vs, parse(t, "ps_3_0\ndcl_texcoord5 v0\nmul oC0, v0, c0\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := d.programsFor(linked).pixel == d.programsFor(apart).pixel; got != alone {
			t.Errorf("%s: the pixel program is what it is alone: %v", code, got)
		}
	}
}

// TestFusedProduct checks that of two added products, the one computed with the sum is fused.
func TestFusedProduct(t *testing.T) {
	d, err := New(nil, nil, parse(t, "ps_2_0\ndcl t0\ndcl t1\nmul r0, t0, c0\nmad r0, t1, c1, r0\nmov oC0, r0\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := d.programsFor(apart).pixel
	for i, fused := range s.fused {
		if n := &s.nodes[i]; n.kind == mul && s.live[i] && fused != (n.vector == 2) {
			t.Errorf("node %d of instruction %d is fused: %v", i, n.vector, fused)
		}
	}
}

// TestMovedBack checks that computations that Mesa's linker moves to the vertex program cost
// nothing in the pixel program. Components that are equal at all vertices are not interpolated on
// Evergreen. The counts are those of its compiler.
func TestMovedBack(t *testing.T) {
	vs := parse(t, "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord5 o1\ndcl_texcoord6 o2\nmov o0, v0\nmov o1, v1\nmov o2, c9\n")
	ps := parse(t, "ps_3_0\ndcl_texcoord5 v0\ndcl_texcoord6 v1\nmul r0, v0, c0\nadd r0, r0, c1\nmul r0, r0, c2\nrcp r1.x, r0.w\nmul r0, r0, v1\nmul oC0, r0, r1.x\n")
	for target, want := range map[string]float64{"rv670": 3, "cypress": 5} {
		if got := price(t, target, vs, ps).Pixel[Arithmetic]; got != want {
			t.Errorf("%s: %g groups, not %g", target, got, want)
		}
	}
	d, err := New(nil, vs, ps)
	if err != nil {
		t.Fatal(err)
	}
	if p := d.programsFor(translated); p.sent != 8 { // both are unchanged for the vertex program
		t.Errorf("%d components are sent", p.sent)
	}
}

package draw

import "testing"

// TestFlow compares loops and branches, in groups of RV670 and instructions of RV515, with Mesa
// 25.0.7's compilers.
func TestFlow(t *testing.T) {
	for _, c := range []struct {
		name, target, code string
		want               float64
	}{
		{"trips are made, and what they count is known", "rv670",
			"mov r0, v0; mov r1.x, c8.x; rep i0; mul r0, r0, c1; add r1.x, r1.x, c8.y; endrep; mul oC0, r0, r1.x", 4},
		{"trips of R520", "rv515", "mov r0, v0; mov r1.x, c8.x; rep i0; mul r0, r0, c1; add r1.x, r1.x, c8.y; endrep; mul oC0, r0, r1.x", 4},
		{"a side that is long, and first to read a constant", "rv670",
			"mov r9, v1; mul r0, v0, r9; if_lt v0.x, c0.x; mul r0, r0, c1; mul r1, r0, v0; mul r1, r1, v1; add r0, r0, r1; endif; mul oC0, r0, v1", 6},
		{"a side that fetches", "rv670", "mov r9, v1; mul r0, v0, r9; if_lt v0.x, c0.x; texldl r1, r0, s0; mul r0, r0, r1; endif; mul oC0, r0, v1", 4},
		{"a test whether it is 0", "rv670", "mov r9, v1; add r0, v0, c1; cmp r1, -r0_abs, r9, v0; mul oC0, r1, r9", 3},
	} {
		if got := price(t, c.target, nil, parse(t,
			pixelOf("defi i0, 3, 0, 0, 0; "+c.code))).Pixel[Arithmetic]; got != c.want {
			t.Errorf("%s: %s takes %g, not %g", c.name, c.target, got, c.want)
		}
	}
}

// TestLoopsThatStay checks that a loop stays if it ends in two places or in a branch, contains
// another loop, or takes too long.
func TestLoopsThatStay(t *testing.T) {
	const code = "defi i0, 3, 0, 0, 0; defi i1, 255, 0, 0, 0; mov r0, v0; "
	for _, c := range []struct {
		code  string
		stays bool
	}{
		{"rep i0; break_lt c2.x, r0.x; texldl r1, r0, s0; mul r0, r0, r1; endrep; mov oC0, r0", false},
		{"rep i0; break_lt c2.x, r0.x; mul r0, r0, c1; break_lt c2.x, r0.y; endrep; mov oC0, r0", true},
		{"rep i0; if_lt v0.x, c0.x; break_lt c2.x, r0.x; endif; mul r0, r0, c1; endrep; mov oC0, r0", true},
		{"rep i1; mul r0, r0, c1; endrep; mov oC0, r0", false},
		{"rep i1; mul r0, r0, c1; mul r0, r0, c2; mul r0, r0, c3; mul r0, r0, c4; mul r0, r0, c5; mul r0, r0, c6; mul r0, r0, c7; endrep; mov oC0, r0", true},
	} {
		d, err := New(nil, nil, parse(t, pixelOf(code+c.code)))
		if err != nil {
			t.Fatal(err)
		}
		stays := false
		for _, n := range d.programsFor(translated).pixel.nodes {
			stays = stays || n.kind == repeat
		}
		if stays != c.stays {
			t.Errorf("%s: stays %v", c.code, stays)
		}
	}
}

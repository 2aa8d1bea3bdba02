package wine

import (
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/verify"
	"github.com/shaderlift/shaderlift/verify/interp"
)

const boundVS = "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1\nmov o0, v0\nadd o1, v1, c0\n"

const boundCase = "size 8 8\nclear 9 9 9 9\nattr position 0 2 -1 1 1 1 -1 -1 1 -1\n" +
	"attr texcoord 0 3 1 2 3 2 2 3 1 4 3 2 4 3\nvc 0 0.1 0.2 0.3 0.4\ntex 0 4 4 linear clamp rand 1\n"

// The box of a draw contains its inputs. Its known constants give bounds that a larger box does not.
func TestBoxOf(t *testing.T) {
	c, err := interp.ParseCase("test", []byte(boundCase))
	if err != nil {
		t.Fatal(err)
	}
	box, ok := BoxOf(c)
	if !ok {
		t.Fatal("a draw with filtered textures has no box")
	}
	p := verify.Pair{Vertex: parse(t, boundVS),
		Pixel: parse(t, "ps_3_0\ndcl_texcoord v0\nrcp r0.x, v0.x\nmul r0.yzw, r0.x, v0\nmov oC0, r0\n")}
	b, err := verify.Bound(p, p, verify.Proved, verify.Options{Box: box})
	if err != nil {
		t.Fatal(err)
	}
	if !b.Finite() {
		t.Errorf("1/x has no bound where x is 1.1 to 2.1: %+v", b.Outputs)
	}
	if b, err = verify.Bound(p, p, verify.Proved, verify.Options{}); err != nil || b.Finite() {
		t.Errorf("1/x has a bound for arbitrary x: %v, %+v", err, b)
	}
	for i, want := range []struct {
		name   string
		lo, hi float64
	}{{"position0.x", -1, 1}, {"position0.y", -1, 1}, {"position0.z", 0, 0}, {"position0.w", 1, 1},
		{"texcoord0.x", 1, 2}, {"texcoord0.y", 2, 4}} {
		if r := box[i]; r.What != want.name || r.Lo != want.lo || r.Hi != want.hi {
			t.Errorf("range %d is %s=%v..%v, want %+v", i, r.What, r.Lo, r.Hi, want)
		}
	}
	c.PixelTex[0].Filter = interp.Nearest
	if _, ok := BoxOf(c); ok {
		t.Error("a draw with a texture that is not filtered has a box")
	}
}

// within compares pictures with the bound of each output that has one.
func TestWithin(t *testing.T) {
	c, err := interp.ParseCase("test", []byte(boundCase))
	if err != nil {
		t.Fatal(err)
	}
	programs := Programs{Vertex: parse(t, boundVS),
		Pixel: parse(t, "ps_3_0\ndcl_texcoord v0\nmul r0, v0, v0.x\nmov oC0, r0\n")}
	e, err := expect(programs, c)
	if err != nil {
		t.Fatal(err)
	}
	box, _ := BoxOf(c)
	b, err := verify.Bound(verify.Pair(programs), verify.Pair(programs), verify.Proved, verify.Options{Box: box})
	if err != nil {
		t.Fatal(err)
	}
	same := e.within(e.pixels, e.pixels, b)
	if same.Bounded == 0 || same.Beyond != 0 || same.Largest != 0 {
		t.Errorf("a picture against itself: %+v", same)
	}
	limit := float32(b.Outputs[0].Before + b.Outputs[0].After)
	for _, tt := range []struct {
		by      float32
		beyond  int
		visible int
	}{{limit / 2, 0, 0}, {2 * limit, 1, 0}, {0.5, 1, 1}} {
		other := slices.Clone(e.pixels)
		at := 4 * (8*3 + 3)
		other[at] += tt.by
		m := e.within(e.pixels, other, b)
		if m.Beyond != tt.beyond || (m.First != nil) != (tt.beyond > 0) || m.Largest == 0 {
			t.Errorf("off by %v of %v: %+v, first %v", tt.by, limit, m, m.First)
		}
		if n := e.visible(e.pixels, other); n != tt.visible {
			t.Errorf("off by %v: %d components are visibly apart", tt.by, n)
		}
	}
}

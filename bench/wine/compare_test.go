package wine_test

import (
	"math"
	"slices"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/bench/wine"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// passVS copies the position and a texture coordinate.
const passVS = "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1\nmov o0, v0\nmov o1, v1\n"

// squareCase covers the middle of the target.
const squareCase = `size 8 8
clear 9 9 9 9
attr position 0 2  -0.5 0.5  0.5 0.5  -0.5 -0.5  0.5 -0.5
attr texcoord 0 4  1 2 3 0  2 2 3 0  1 4 3 0  2 4 3 0
`

func parse(t testing.TB, src string) *d3d9.Program {
	t.Helper()
	p, err := d3d9.Parse("test", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func parseCase(t testing.TB, src string) *interp.Case {
	t.Helper()
	c, err := interp.ParseCase("test", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// drawn returns a pair and the interpreter's picture of it over squareCase.
func drawn(t *testing.T, pixel string) (wine.Programs, *interp.Case, []float32) {
	t.Helper()
	p := wine.Programs{Vertex: parse(t, passVS), Pixel: parse(t, pixel)}
	c := parseCase(t, squareCase)
	return p, c, picture(t, p, c)
}

// picture returns the interpreter's picture of a draw.
func picture(t *testing.T, p wine.Programs, c *interp.Case) []float32 {
	t.Helper()
	vs, err := interp.Compile(p.Vertex)
	if err != nil {
		t.Fatal(err)
	}
	ps, err := interp.Compile(p.Pixel)
	if err != nil {
		t.Fatal(err)
	}
	img, err := interp.Draw(vs, ps, c, interp.Numerics{})
	if err != nil {
		t.Fatal(err)
	}
	return img.Targets[0]
}

const showPS = "ps_3_0\ndcl_texcoord v0\nmov oC0, v0\n"

// at returns the index of component c of pixel (x, y) of an 8 by 8 target.
func at(x, y, c int) int { return 4*(8*y+x) + c }

func TestCompare(t *testing.T) {
	p, c, want := drawn(t, showPS)
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	tests := []struct {
		name   string
		change func(px []float32)
		want   wine.Agreement
	}{
		{"the same", func(px []float32) {}, wine.Agreement{Compared: 64, Close: 64}},
		{"a unit in the last place", func(px []float32) { px[at(3, 3, 2)] = math.Nextafter32(3, 4) },
			wine.Agreement{Compared: 64, Close: 64}},
		{"a part in 200000", func(px []float32) { px[at(3, 3, 2)] *= 1 + 5e-6 }, wine.Agreement{Compared: 64, Close: 64}},
		{"a part in 1000", func(px []float32) { px[at(3, 3, 2)] *= 1.001 },
			wine.Agreement{Compared: 64, Close: 63, Wrong: 1}},
		{"special values", func(px []float32) { px[at(3, 3, 2)], px[at(3, 3, 1)] = nan, inf },
			wine.Agreement{Compared: 64, Close: 62, Special: 2}},
		{"another value where the interpreter has zero", func(px []float32) { px[at(3, 3, 3)] = 0.5 },
			wine.Agreement{Compared: 64, Close: 63, Wrong: 1}},
		{"a pixel not drawn", func(px []float32) { copy(px[at(3, 3, 0):], px[:4]) },
			wine.Agreement{Compared: 61, Close: 60, Wrong: 1}},
		{"a pixel too many", func(px []float32) { px[at(1, 1, 0)] = 1 }, wine.Agreement{Compared: 65, Close: 64, Wrong: 1}},
	}
	for _, tt := range tests {
		px := slices.Clone(want)
		tt.change(px)
		got, err := wine.Compare(p, c, px)
		if err != nil {
			t.Fatal(err)
		}
		first := got.First
		got.First = nil
		if got != tt.want || (first != nil) != (tt.want.Wrong > 0) {
			t.Errorf("%s: %+v, first %v", tt.name, got, first)
		}
	}
}

func TestComparePlacesTheDifference(t *testing.T) {
	p, c, want := drawn(t, showPS)
	px := slices.Clone(want)
	px[at(4, 3, 1)] = -1
	a, err := wine.Compare(p, c, px)
	if err != nil {
		t.Fatal(err)
	}
	if d := a.First; d == nil || d.X != 4 || d.Y != 3 || d.Component != 1 || d.Target != 0 || d.Got != -1 || !d.Covered {
		t.Errorf("first difference: %+v", d)
	}
}

// A component that depends on a comparison of values that differ only by rounding is unstable. Other components
// are not.
func TestCompareKnowsUnstableComponents(t *testing.T) {
	p, c, want := drawn(t, `ps_3_0
def c0, 3, 0.25, 0.75, 0
dcl_texcoord v0
add r0.x, v0.z, -c0.x
cmp r0.y, r0.x, c0.y, c0.z
cmp r0.z, v0.x, c0.y, c0.z
mov r0.xw, v0
mov oC0, r0
`)
	px := slices.Clone(want)
	for _, k := range []int{1, 2} {
		px[at(3, 3, k)] = 1 - px[at(3, 3, k)]
	}
	a, err := wine.Compare(p, c, px)
	if err != nil {
		t.Fatal(err)
	}
	if a.Unstable != 1 || a.Wrong != 1 || a.First.Component != 2 {
		t.Errorf("%+v, first %v", a, a.First)
	}
}

// Interpolation rounds large inputs more: the fraction of a large number is off by units in the last place of
// that number.
func TestCompareKnowsLargeInputs(t *testing.T) {
	p, c, _ := drawn(t, "ps_3_0\ndcl_texcoord v0\nfrc r0, v0\nmov oC0, r0\n")
	for _, a := range c.Attrs {
		if a.Usage == d3d9.UsageTexCoord {
			for i := range a.Data {
				a.Data[i] += 300.3
			}
		}
	}
	want := picture(t, p, c)
	px := slices.Clone(want)
	px[at(3, 3, 2)] += 0x1p-15 // a unit of 303
	a, err := wine.Compare(p, c, px)
	if err != nil {
		t.Fatal(err)
	}
	if a.Close != 63 || a.Unstable != 1 {
		t.Errorf("%+v, first %v", a, a.First)
	}
}

func TestCompareRefusesOtherSizes(t *testing.T) {
	p, c, want := drawn(t, showPS)
	if _, err := wine.Compare(p, c, want[4:]); err == nil {
		t.Error("a picture that lacks a pixel was compared")
	}
}

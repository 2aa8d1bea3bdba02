package interp

import (
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// echo returns the coordinates of a fetch.
type echo struct{}

func (echo) Sample(f *Fetch) {
	for c := range 3 {
		*f.Out[c] = *f.Coord[c]
	}
	for i := range f.Out[3] {
		f.Out[3][i] = float32(f.Sampler)
	}
}

// runFixed runs a program of ps_1_x over t0 to t3 and v0, with a texture that returns its coordinates. It
// returns the result, the depth if the program writes one, and whether the fragment was killed.
func runFixed(t *testing.T, src string, n Numerics, t0, t1, t2, t3, v0 [4]float32) (color [4]float32, depth float32,
	killed bool) {
	t.Helper()
	s := mustCompile(t, mustParse(t, src))
	set := map[d3d9.Reg][4]float32{
		{File: d3d9.Texture}: t0, {File: d3d9.Texture, Index: 1}: t1, {File: d3d9.Texture, Index: 2}: t2,
		{File: d3d9.Texture, Index: 3}: t3, {File: d3d9.Input}: v0,
	}
	in := make([]Words, len(s.Inputs()))
	for i, p := range s.Inputs() {
		for c := range 4 {
			in[i][c] = []float32{set[p.Reg][c], set[p.Reg][c], set[p.Reg][c], set[p.Reg][c]}
		}
	}
	res, err := s.Run(&Env{Textures: echo{}, Numerics: n,
		Constants: &Constants{Float: [][4]float32{1: {2, -3, 0.5, 0.25}}}}, 4, in)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range s.Outputs() {
		if p.Reg.File == d3d9.DepthOut {
			depth = res.Out[i][0][0]
			continue
		}
		for c := range 4 {
			color[c] = res.Out[i][c][0]
		}
	}
	return color, depth, res.Killed[0]
}

// TestFixed checks instructions and modifiers of ps_1_x against values computed by hand from the reference.
func TestFixed(t *testing.T) {
	t0, t1, t2, t3 := [4]float32{0.5, 0.25, 2, 4}, [4]float32{1, 2, 3, 5}, [4]float32{4, 5, 6, 7}, [4]float32{-1, 3, 0.5,
		0.75}
	v0 := [4]float32{0.25, 0.75, 2, 0.5} // blue is clamped
	for _, c := range []struct {
		src  string
		want [4]float32
	}{
		{"ps_1_1\nmov r0, v0", [4]float32{0.25, 0.75, 1, 0.5}},
		{"ps_1_1\nmov r0, c1", [4]float32{1, -1, 0.5, 0.25}},
		{"ps_1_1\nmov r0, v0_bias", [4]float32{-0.25, 0.25, 0.5, 0}},
		{"ps_1_1\nmov r0, -v0_bx2", [4]float32{0.5, -0.5, -1, 0}},
		{"ps_1_1\nmov r0, 1-v0", [4]float32{0.75, 0.25, 0, 0.5}},
		{"ps_1_4\nmov r0, v0_x2", [4]float32{0.5, 1.5, 2, 1}},
		{"ps_1_1\nadd_x4 r0, v0, v0.a", [4]float32{3, 5, 6, 4}},
		{"ps_1_1\nadd_x4_sat r0, v0, -v0.a", [4]float32{0, 1, 1, 0}},
		{"ps_1_1\nmov_d2 r0, v0", [4]float32{0.125, 0.375, 0.5, 0.25}},
		{"ps_1_1\ndp3 r0, v0, v0", [4]float32{1.625, 1.625, 1.625, 1.625}},
		{"ps_1_1\nlrp r0, v0, c1, v0", [4]float32{0.4375, -0.5625, 0.5, 0.375}},
		{"ps_1_2\ntex t0\ncmp r0, c1, v0, t0", [4]float32{0.25, 0.25, 1, 0.5}},
		{"ps_1_1\nmov r0, v0\ncnd r0, r0.a, c1, v0", [4]float32{0.25, 0.75, 1, 0.5}},
		{"ps_1_4\ncnd r0, v0, c1, v0", [4]float32{0.25, -1, 0.5, 0.5}},
		{"ps_1_1\nmov r0, v0\nmov r0.rgb, r0.a\n+mov r0.a, r0.b", [4]float32{0.5, 0.5, 0.5, 1}},
		{"ps_1_1\ntex t0\nmov r0, t0", [4]float32{0.5, 0.25, 0, 0}},
		{"ps_1_1\ntexcoord t0\nmov r0, t0", [4]float32{0.5, 0.25, 1, 1}},
		{"ps_1_1\ntexcoord t3\nmov r0, t3", [4]float32{0, 1, 0.5, 0.75}},
		{"ps_1_1\ntex t0\ntexreg2ar t1, t0\nmov r0, t1", [4]float32{0, 0.5, 0, 1}},
		{"ps_1_1\ntex t0\ntexreg2gb t1, t0\nmov r0, t1", [4]float32{0.25, 0, 0, 1}},
		// The state of stage 1: M00 = 0.5625, M01 = -0.28125, M10 = 0.140625, M11 = 0.84375.
		{"ps_1_1\ntex t0\ntexbem t1, t0\nmov r0, t1",
			[4]float32{1 + 0.5*0.5625 + 0.25*0.140625, 2 - 0.5*0.28125 + 0.25*0.84375, 0, 1}},
		{"ps_1_1\ntex t0\ntexm3x2pad t1, t0\ntexm3x2tex t2, t0\nmov r0, t2", [4]float32{1, 3.25, 0, 2}},
		{"ps_1_1\ntex t0\ntexm3x3pad t1, t0\ntexm3x3pad t2, t0\ntexm3x3tex t3, t0\nmov r0, t3", [4]float32{1, 3.25, 0.25, 3}},
		{"ps_1_2\ntex t0\ntexm3x3pad t1, t0\ntexm3x3pad t2, t0\ntexm3x3 t3, t0\nmov r0, t3", [4]float32{1, 3.25, 0.25, 1}},
		{"ps_1_2\ntex t0\ntexdp3 t1, t0_bx2\nmov r0, t1", [4]float32{-4, -4, -4, -4}},
		{"ps_1_2\ntex t0\ntexdp3tex t1, t0\nmov r0, t1", [4]float32{1, 0, 0, 1}},
		{"ps_1_4\ntexcrd r0.rgb, t1\nmov r0.a, c1", [4]float32{1, 2, 3, 0.25}},
		{"ps_1_4\ntexcrd r0.rg, t1_dw.xyw\nmov r0.ba, c1", [4]float32{0.2, 0.4, 0.5, 0.25}},
		{"ps_1_4\ntexcrd r1.rgb, t1\nphase\ntexld r0, r1_dz", [4]float32{float32(1) / 3, float32(2) / 3, 0, 0}},
		{"ps_1_4\nmov r1, c1\nbem r0.rg, c1, r1\nphase\nmov r0.ba, c1",
			[4]float32{1 + 0.5 - 0.125, -1 - 0.25 - 0.75, 0.5, 0.25}},
	} {
		if got, _, _ := runFixed(t, c.src, Numerics{}, t0, t1, t2, t3, v0); got != c.want {
			t.Errorf("%s\ngives %v, want %v", c.src, got, c.want)
		}
	}
	// The vector to the eye is c1, and the normal is (1, 3.25, 0.25): its square is 11.625, and the
	// product of both -2.125.
	k := float32(2) * (float32(-2.125) / 11.625)
	spec, _, _ := runFixed(t, "ps_1_1\ntex t0\ntexm3x3pad t1, t0\ntexm3x3pad t2, t0\ntexm3x3spec t3, t0, c1\nmov r0, t3",
		Numerics{}, t0, t1, t2, t3, v0)
	if want := [4]float32{k - 1, 3.25*k + 1, 0.25*k - 0.5, 3}; spec != want {
		t.Errorf("texm3x3spec looks up %v, want %v", spec, want)
	}
	if _, depth, _ := runFixed(t, "ps_1_3\ntex t0\ntexm3x2pad t1, t0\ntexm3x2depth t2, t0\nmov r0, c0", Numerics{}, t0,
		t1, t2, t3, v0); depth != 1/3.25 {
		t.Errorf("texm3x2depth gives %v", depth)
	}
	if _, _, killed := runFixed(t, "ps_1_1\ntexkill t3\nmov r0, c0", Numerics{}, t0, t1, t2, t3, v0); !killed {
		t.Error("texkill lets a negative coordinate live")
	}
	if got, _, _ := runFixed(t, "ps_1_1\nadd_x4 r0, v0, v0.a\nadd r0, r0, -v0", Numerics{Range: 1}, t0, t1, t2, t3,
		v0); got != [4]float32{0.75, 0.25, 0, 0.5} {
		t.Errorf("a range of 1 leaves %v", got)
	}
}

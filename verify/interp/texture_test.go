package interp

import (
	"math"
	"testing"

	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// fetchAt runs one texture instruction in ps_3_0 over quads of coordinates and returns the colours.
func fetchAt(t *testing.T, inst, dcl string, tex Textures, coords ...[4]float32) [][4]float32 {
	t.Helper()
	s := mustCompile(t, mustParse(t, "ps_3_0\ndcl_texcoord v0\n"+dcl+" s0\n"+inst+"\nmov oC0, r0\n"))
	n := (len(coords) + 3) &^ 3
	var in Words
	for c := range in {
		in[c] = make([]float32, n)
		for i := range coords {
			in[c][i] = coords[i][c]
		}
	}
	res, err := s.Run(&Env{Textures: tex}, n, []Words{in})
	if err != nil {
		t.Fatal(err)
	}
	out := make([][4]float32, len(coords))
	for i := range out {
		for c := range out[i] {
			out[i][c] = res.Out[0][c][i]
		}
	}
	return out
}

// ramp returns a texture of w by h whose texel (x, y) is (x, y, 10x+y, 1).
func ramp(w, h int, filter Filter, clamp bool) *TextureSet {
	var data []float32
	for y := range h {
		for x := range w {
			data = append(data, float32(x), float32(y), float32(10*x+y), 1)
		}
	}
	return &TextureSet{NewTexture(d3d9.Tex2D, w, h, 1, filter, clamp, data, 0)}
}

func TestNearest(t *testing.T) {
	tests := []struct {
		u, v  float32
		clamp bool
		x, y  float32
	}{
		{0, 0, true, 0, 0},
		{0.249, 0.999, true, 0, 1},
		{0.25, 0.5, true, 1, 1},
		{1, 1, true, 3, 1},
		{-7, 1e30, true, 0, 1},
		{nan, -inf, true, 0, 0},
		{1, 1, false, 0, 0},
		{-0.01, 1.5, false, 3, 1},
		{-5.3, 7.25, false, 2, 0},
	}
	for _, tt := range tests {
		got := fetchAt(t, "texld r0, v0, s0", "dcl_2d", ramp(4, 2, Nearest, tt.clamp), [4]float32{tt.u, tt.v})[0]
		if got[0] != tt.x || got[1] != tt.y {
			t.Errorf("texel at %g %g (clamp %v) = %v, want %g %g", tt.u, tt.v, tt.clamp, got, tt.x, tt.y)
		}
	}
}

func TestLinear(t *testing.T) {
	tests := []struct {
		u, v  float32
		clamp bool
		x, y  float32
	}{
		{0.125, 0.25, true, 0, 0}, // a texel's centre
		{0.25, 0.25, true, 0.5, 0},
		{0.5, 0.5, true, 1.5, 0.5},
		{0.65625, 0.375, true, 2.125, 0.25},
		{0, 0, true, 0, 0},
		{1, 1, true, 3, 1},
		{-3, 4, true, 0, 1},
		{0, 0, false, 1.5, 0.5}, // the last texel and the first, half of each
		{-0.0625, 0.25, false, 2.25, 0},
		{2.25, 1.25, false, 0.5, 0},
	}
	for _, tt := range tests {
		got := fetchAt(t, "texld r0, v0, s0", "dcl_2d", ramp(4, 2, Linear, tt.clamp), [4]float32{tt.u, tt.v})[0]
		if got != [4]float32{tt.x, tt.y, 10*tt.x + tt.y, 1} {
			t.Errorf("colour at %g %g (clamp %v) = %v, want %g %g", tt.u, tt.v, tt.clamp, got, tt.x, tt.y)
		}
	}
}

func TestTexldForms(t *testing.T) {
	set := ramp(4, 2, Nearest, true)
	at := [4]float32{1.25, 0.5, 0, 2} // projected: 0.625, 0.25
	for _, tt := range []struct {
		inst string
		x, y float32
	}{
		{"texld r0, v0, s0", 3, 1},
		{"texldp r0, v0, s0", 2, 0},
		{"texldb r0, v0, s0", 3, 1},
		{"texldl r0, v0, s0", 3, 1},
		{"texldd r0, v0, s0, v0, v0", 3, 1},
		{"texld r0, v0.yxzw, s0", 2, 1},
		{"mov r0, v0\ntexld r0, r0, s0", 3, 1},
		{"mov r0, v0\ntexldp r0, r0, s0", 2, 0},
	} {
		got := fetchAt(t, tt.inst, "dcl_2d", set, at)[0]
		if got[0] != tt.x || got[1] != tt.y {
			t.Errorf("%s = %v, want %g %g", tt.inst, got, tt.x, tt.y)
		}
	}
	got := fetchAt(t, "mov r0, v0\ntexld r0.xw, v0, s0.wzyx", "dcl_2d", set, at)[0]
	if want := [4]float32{1, 0.5, 0, 3}; got != want {
		t.Errorf("swizzled sampler = %v, want %v", got, want)
	}
	if got := fetchAt(t, "texld r0, v0, s0", "dcl_2d", nil, at)[0]; got != [4]float32{0, 0, 0, 1} {
		t.Errorf("no texture = %v", got)
	}
}

func TestCube(t *testing.T) {
	// Face f of 2 by 2 texels (x, y) is (f, x, y, 1).
	var data []float32
	for f := range 6 {
		for y := range 2 {
			for x := range 2 {
				data = append(data, float32(f), float32(x), float32(y), 1)
			}
		}
	}
	for _, tt := range []struct {
		dir        [4]float32
		face, x, y float32
	}{
		// According to the Direct3D 9 documentation of the faces: on +X, u runs along -z and v along -y.
		// The other faces follow in the same way.
		{[4]float32{5, -1, -1}, 0, 1, 1},
		{[4]float32{5, 1, 1}, 0, 0, 0},
		{[4]float32{-5, -1, -1}, 1, 0, 1},
		{[4]float32{1, 5, -1}, 2, 1, 0},
		{[4]float32{-1, -5, -1}, 3, 0, 1},
		{[4]float32{1, 1, 5}, 4, 1, 0},
		{[4]float32{1, 1, -5}, 5, 0, 0},
	} {
		set := &TextureSet{NewTexture(d3d9.TexCube, 2, 2, 2, Nearest, true, data, 0)}
		if got := fetchAt(t, "texld r0, v0, s0", "dcl_cube", set, tt.dir)[0]; got != [4]float32{tt.face, tt.x, tt.y, 1} {
			t.Errorf("cube at %v = %v, want face %g texel %g %g", tt.dir, got, tt.face, tt.x, tt.y)
		}
		// The centre of a face mixes only its own four texels.
		set[0].Filter = Linear
		axis := tt.dir
		for c := range 3 {
			if abs32(axis[c]) != 5 {
				axis[c] = 0
			}
		}
		if got := fetchAt(t, "texld r0, v0, s0", "dcl_cube", set, axis)[0]; got != [4]float32{tt.face, 0.5, 0.5, 1} {
			t.Errorf("centre of face %g = %v", tt.face, got)
		}
	}
}

func TestVolume(t *testing.T) {
	var data []float32
	for z := range 4 {
		for y := range 2 {
			for x := range 2 {
				data = append(data, float32(x), float32(y), float32(z), 1)
			}
		}
	}
	at := [4]float32{0.5, 0.375, 0.4375}
	for filter, want := range map[Filter][4]float32{Nearest: {1, 0, 1, 1}, Linear: {0.5, 0.25, 1.25, 1}} {
		set := &TextureSet{NewTexture(d3d9.TexVolume, 2, 2, 4, filter, true, data, 0)}
		if got := fetchAt(t, "texld r0, v0, s0", "dcl_volume", set, at)[0]; got != want {
			t.Errorf("volume, filter %d = %v, want %v", filter, got, want)
		}
	}
}

// TestLevels checks which mip level each instruction reads: level k of the texture
// is constant, with value k.
func TestLevels(t *testing.T) {
	tex := NewTexture(d3d9.Tex2D, 8, 8, 1, Trilinear, true, make([]float32, 4*64), 0)
	for k := range tex.levels {
		for i := range tex.levels[k].data {
			tex.levels[k].data[i] = float32(k)
		}
	}
	if len(tex.levels) != 4 {
		t.Fatalf("%d levels of an 8 by 8 texture", len(tex.levels))
	}
	quad := func(du, dv, w float32) [][4]float32 {
		return [][4]float32{{0, 0, 0, w}, {du, 0, 0, w}, {0, dv, 0, w}, {du, dv, 0, w}}
	}
	tests := []struct {
		inst   string
		coords [][4]float32
		want   float32
	}{
		{"texld r0, v0, s0", quad(1./8, 1./8, 1), 0}, // a texel a pixel
		{"texld r0, v0, s0", quad(1./4, 1./16, 1), 1},
		{"texld r0, v0, s0", quad(1./16, 1./2, 1), 2},
		{"texld r0, v0, s0", quad(1./64, 1./64, 1), 0},
		{"texld r0, v0, s0", quad(50, 0, 1), 3},
		{"texld r0, v0, s0", quad(float32(math.Sqrt2)/8, 0, 1), 0.5},
		{"texldb r0, v0, s0", quad(1./8, 1./8, 1.5), 1.5},
		{"texldb r0, v0, s0", quad(1./4, 1./8, -0.25), 0.75},
		{"texldl r0, v0, s0", quad(1, 1, 2.25), 2.25},
		{"texldl r0, v0, s0", quad(1, 1, -4), 0},
		{"texldl r0, v0, s0", quad(1, 1, 99), 3},
		{"texldd r0, v0, s0, c0, c1", quad(1, 1, 1), 0}, // no change at all
		{"def c0, 0.25, 0, 9, 9\ndef c1, 0, 0.5, 9, 9\ntexldd r0, v0, s0, c0, c1", quad(0, 0, 1), 2},
		{"texldp r0, v0, s0", [][4]float32{{0, 0, 0, 2}, {1, 0, 0, 4}, {0, 1, 0, 4}, {1, 1, 0, 4}}, 1},
	}
	for _, tt := range tests {
		for i, got := range fetchAt(t, tt.inst, "dcl_2d", &TextureSet{tex}, tt.coords...) {
			if math.Abs(float64(got[0]-tt.want)) > 1e-6 {
				t.Errorf("%s at %v lane %d: level %g, want %g", tt.inst, tt.coords, i, got[0], tt.want)
			}
		}
	}
}

func TestMipAverages(t *testing.T) {
	tex := ramp(4, 2, Trilinear, true)[0]
	l := tex.levels[1]
	if l.w != 2 || l.h != 1 || l.data[0] != 0.5 || l.data[1] != 0.5 || l.data[4] != 2.5 {
		t.Errorf("level 1 is %d by %d: %v", l.w, l.h, l.data)
	}
	if l = tex.levels[2]; l.w != 1 || l.h != 1 || l.data[0] != 1.5 {
		t.Errorf("level 2 is %d by %d: %v", l.w, l.h, l.data)
	}
}

// TestRandom checks the first numbers of the generator, worked out by hand:
// r = 7*2654435761+1 mod 2^32, then one step of the congruence.
func TestRandom(t *testing.T) {
	tex := NewTexture(d3d9.Tex2D, 1, 1, 1, Nearest, true, nil, 7)
	seed := uint64(7)
	r := (seed*2654435761 + 1) % (1 << 32)
	for i, got := range tex.Data {
		r = (r*1664525 + 1013904223) % (1 << 32)
		if want := float32(float64(r/256) / (1 << 24)); got != want {
			t.Errorf("number %d = %g, want %g", i, got, want)
		}
	}
}

// hashTextures is a texture oracle: an arbitrary function of the coordinates.
type hashTextures struct{ kinds []lodMode }

func (h *hashTextures) Sample(f *Fetch) {
	h.kinds = append(h.kinds, f.lod)
	for i := range Lanes {
		for c := range f.Out {
			f.Out[c][i] = f.Coord[0][i] + 2*f.Coord[1][i] + 4*f.Coord[2][i] + float32(100*c+f.Sampler)
		}
	}
}

func TestTextureOracle(t *testing.T) {
	h := &hashTextures{}
	got := fetchAt(t, "texldl r0, v0, s0", "dcl_2d", h, [4]float32{1, 2, 99, 0})[0]
	if got != [4]float32{5, 105, 205, 305} { // a 2-D texture ignores the third coordinate
		t.Errorf("got %v", got)
	}
	if len(h.kinds) != 1 || h.kinds[0] != lodExplicit {
		t.Errorf("fetches %v", h.kinds)
	}
}
